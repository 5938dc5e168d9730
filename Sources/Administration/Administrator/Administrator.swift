package import Engine
package import Possession
internal import StrictJSON
package import Text
package import Tokens

/// Carries out an operator's orders about API clients, people and signing keys, from a command or the control socket.
package struct Administrator: Sendable {
    let tenants: any TenantStore
    let apiKeys: any APIKeyStore
    let applications: any ApplicationKeyStore
    let devices: any DeviceProtocol
    let activations: any ActivationStore
    let deviceKeys: any DeviceKeyStore
    let people: any PeopleStore
    let erasure: Erasure
    let limits: any LimitStore
    let closedPrefixes: any ClosedPrefixStore
    let sessions: any SessionStore
    let outbox: any Outbox
    let liveLimits: LiveLimits
    /// `nil`: no server runs.
    let numbers: (any NumberDirectory)?
    let refusals: RecentRefusals
    /// `nil` in a sandbox.
    let testNumbers: (any TestNumberStore)?
    let webhooks: WebhookManager
    let audit: any AuditStore
    private let keeper: SigningKeyKeeper
    let keysets: KeysetAdministration
    /// Replaces the key ring in use with one made from it.
    private let changeRing: RingChange
    private let secretDigest: @Sendable (String, ClientID) -> SecretDigest
    let keyDigest: @Sendable (String) -> SecretDigest
    private let makeHookSecret: @Sendable (SecretDigest, ClientID) -> [UInt8]
    let randomBytes: RandomBytes
    let now: Now
    private let secretRule: ClientSecret

    /// The prefix of API keys for backends.
    var apiKeyPrefix: String { secretRule.apiKeyPrefix }

    package init(
        tenants: any TenantStore, apiKeys: any APIKeyStore, applications: any ApplicationKeyStore,
        devices: any DeviceProtocol, activations: any ActivationStore, deviceKeys: any DeviceKeyStore,
        people: any PeopleStore, erasure: Erasure,
        limits: any LimitStore, closedPrefixes: any ClosedPrefixStore,
        sessions: any SessionStore, outbox: any Outbox, liveLimits: LiveLimits,
        numbers: (any NumberDirectory)? = nil, refusals: RecentRefusals = RecentRefusals(),
        testNumbers: (any TestNumberStore)? = nil, webhooks: WebhookManager, audit: any AuditStore,
        keeper: SigningKeyKeeper, keysets: KeysetAdministration, keyed: KeyedDigests,
        randomBytes: @escaping RandomBytes, now: @escaping Now,
        secretRule: ClientSecret,
        changeRing: @escaping RingChange
    ) {
        self.tenants = tenants
        self.apiKeys = apiKeys
        self.applications = applications
        self.devices = devices
        self.activations = activations
        self.deviceKeys = deviceKeys
        self.people = people
        self.erasure = erasure
        self.limits = limits
        self.closedPrefixes = closedPrefixes
        self.sessions = sessions
        self.outbox = outbox
        self.liveLimits = liveLimits
        self.numbers = numbers
        self.refusals = refusals
        self.testNumbers = testNumbers
        self.webhooks = webhooks
        self.audit = audit
        self.keeper = keeper
        self.keysets = keysets
        secretDigest = keyed.secret
        keyDigest = keyed.apiKey
        makeHookSecret = keyed.hook
        self.randomBytes = randomBytes
        self.now = now
        self.secretRule = secretRule
        self.changeRing = changeRing
    }

    package typealias RingChange = @Sendable ((SigningKeyRing) -> SigningKeyRing) -> Void

    package enum Refusal: Error, Sendable, CustomStringConvertible {
        case taken
        /// A client with this id was revoked.
        case burnt
        /// The client is revoked: it can no longer be changed.
        case revoked
        /// A value in the order is wrong. The text names the value and the reason.
        case invalid(String)
        case unknownClient
        case unknownPerson
        case unknownKey
        case unknownDevice
        /// The order names something else that does not exist.
        case missing(String)
        /// The present state does not allow the order.
        case conflict(String)
        /// Nothing was changed. A retry may succeed.
        case overloaded
        case failed(String)

        package var description: String {
            switch self {
            case .taken: "a client with this id exists"
            case .burnt:
                """
                a client with this id was revoked; its sessions, devices and identities are kept under the id, so no other \
                client gets it: choose another id
                """
            case .revoked: "this client is revoked"
            case .unknownClient: "no such client"
            case .unknownKey: "no such key"
            case .unknownDevice: "no such device"
            case .unknownPerson: "nothing is kept of this number or person"
            case .overloaded: "the store is busy"
            case .invalid(let reason), .missing(let reason), .conflict(let reason), .failed(let reason): reason
            }
        }
    }

    /// Runs calls of the store.
    /// - Throws: the refusal that `work` throws; `.failed` for a fault of the store.
    func stored<Value: Sendable>(_ work: () async throws -> Value) async throws(Refusal) -> Value {
        do { return try await work() } catch let refusal as Refusal { throw refusal } catch {
            throw .failed("storage: \(error)")
        }
    }

    package struct NewClient: Sendable {
        package let id: ClientID
        /// 256 random bits in letters and digits, or the operator's own choice. Only its keyed digest is stored.
        package let secret: Secret
    }

    /// - Parameter secret: the operator's own choice; `nil`: make a random one.
    /// - Throws: `.taken`, `.burnt`, `.invalid`, `.failed`.
    package func addClient(
        _ id: ClientID, rules: TenantRules, secret own: Secret? = nil
    ) async throws(Refusal) -> NewClient {
        let secret = try newSecret(own)
        let tenant = Tenant(id: id, rules: rules, secretDigests: [secretDigest(secret.text, id)], createdAt: now())
        do { try await tenants.add(tenant) } catch {
            guard error == .duplicate else { throw .failed("storage: \(error)") }
            let stored = try? await tenants.tenant(id)
            throw stored?.revokedAt == nil ? .taken : .burnt
        }
        return NewClient(id: id, secret: secret)
    }

    private func newSecret(_ own: Secret?) throws(Refusal) -> Secret {
        if let own {
            if let defect = secretRule.defect(of: own) { throw .invalid(defect) }
            return own
        }
        do { return Secret(LettersAndDigits.text(of: try randomBytes(32))) } catch {
            throw .failed("the random generator refused")
        }
    }

    /// Changes the rules that `members` names. The change applies to the client's next sessions; open sessions keep
    /// their rules.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid`, `.failed`.
    func updateClient(_ id: ClientID, _ members: JSONObject) async throws(Refusal) -> Tenant {
        var trial = TenantRules()
        do { try TenantMember.apply(members, to: &trial) } catch { throw .invalid("\(error.name): \(error.reason)") }
        return try await change(id) { tenant in
            var rules = tenant.rules
            do { try TenantMember.apply(members, to: &rules) } catch { return }
            tenant.rules = rules
        }
    }

    /// Gives a client a new secret. The previous one stays valid for a while, so that deployments can change over. An
    /// older one becomes invalid now (TOK-12).
    /// - Parameter own: the operator's own choice; `nil`: make a random one.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid`, `.failed`.
    func rotateSecret(
        _ id: ClientID, to own: Secret?, overlapHours: Int
    ) async throws(Refusal) -> (client: Tenant, secret: Secret) {
        let secret = try newSecret(own)
        let digest = secretDigest(secret.text, id)
        let end = overlapHours > 0 ? now().adding(.seconds(overlapHours * 3600)) : nil
        let client = try await change(id) { $0.replaceSecret(with: digest, keepingOldUntil: end) }
        return (client, secret)
    }

    /// The secret with which a client's server has its own codes sent. It is derived from the client's newest secret,
    /// so it changes with it.
    /// - Throws: `.unknownClient`, `.revoked`, `.failed`.
    func hookSecret(of id: ClientID) async throws(Refusal) -> HookSecret {
        guard let digest = try await validClient(id).secretDigests.first else { throw .unknownClient }
        return HookSecret(makeHookSecret(digest, id))
    }

    /// - Throws: `.unknownClient`, `.revoked`, `.failed`.
    func validClient(_ id: ClientID) async throws(Refusal) -> Tenant {
        guard let client = try await stored({ try await tenants.tenant(id) }) else { throw .unknownClient }
        guard client.revokedAt == nil else { throw .revoked }
        return client
    }

    private func change(
        _ id: ClientID, _ body: @escaping @Sendable (inout Tenant) -> Void
    ) async throws(Refusal) -> Tenant {
        let changed = try await stored { try await tenants.updateTenant(id) { if $0.revokedAt == nil { body(&$0) } } }
        guard let changed else { throw .unknownClient }
        guard changed.revokedAt == nil else { throw .revoked }
        return changed
    }

    /// All clients, sorted by id.
    package func clients() async throws(Refusal) -> [Tenant] {
        try await stored { try await tenants.tenants().sorted { $0.id.text < $1.id.text } }
    }

    /// `nil`: there is no such client.
    func client(_ id: ClientID) async throws(StorageFault) -> Tenant? { try await tenants.tenant(id) }

    /// Takes effect with the client's next call.
    package func revokeClient(_ id: ClientID) async throws(Refusal) {
        guard try await stored({ try await tenants.revokeTenant(id, at: now()) }) else { throw .unknownClient }
    }

    /// Every key whose tokens may still be valid, oldest first: whether it signs now, and when its last token expires;
    /// `nil`: it has no successor yet.
    package func keys() async throws(Refusal) -> [(key: SigningKeyRecord, signs: Bool, verifiesUntil: Timestamp?)] {
        let now = now()
        do {
            let ring = try await keeper.load(at: now)
            return ring.published(at: now).map { key in
                (key, ring.signer(for: key.purpose, at: now)?.kid == key.kid, ring.retirement(of: key))
            }
        } catch { throw .failed(error.advice) }
    }

    /// Makes a new key for every purpose that has one. The new key signs only after clients have had time to fetch it;
    /// the old key verifies until its last token expires (TOK-08).
    package func rotateKeys() async throws(Refusal) {
        do {
            let now = now()
            let ring = try await keeper.load(at: now)
            for purpose in SigningKeyRecord.Purpose.allCases where ring.signer(for: purpose, at: now) != nil {
                let key = try await keeper.rotate(purpose, at: now)
                changeRing { $0.adding(key) }
            }
        } catch { throw .failed(error.advice) }
    }

    /// Makes a new key for each purpose whose newest key is older than `age`.
    package func rotateKeys(olderThan age: Duration) async throws(Refusal) {
        let now = now()
        do {
            let ring = try await keeper.load(at: now)
            for purpose in SigningKeyRecord.Purpose.allCases {
                let newest = ring.keys.filter { $0.purpose == purpose }.map(\.createdAt).max()
                guard let newest, newest.adding(age) <= now else { continue }
                let key = try await byItself(.signingKeysRotated, at: now) { (keeper) throws(SigningKeyFault) in
                    try await keeper.rotate(purpose, at: now)
                }
                changeRing { $0.adding(key) }
            }
        } catch { throw .failed(error.advice) }
    }

    /// Deletes private keys that can never sign again, and keys whose last token has expired.
    /// - Parameter now: a time that has proven trustworthy.
    /// - Returns: the number of deleted private keys.
    package func retireKeys(at now: Timestamp) async throws(Refusal) -> Int {
        do {
            let outlived = try await byItself(.signingKeysRetired, at: now) { (keeper) throws(SigningKeyFault) in
                try await keeper.retire(at: now)
            }
            if !outlived.isEmpty { changeRing { $0.retired(at: now) } }
            return outlived.privateHalves.count
        } catch { throw .failed(error.advice) }
    }

    /// Changes keys without an operator's order, and records the change in the audit log.
    private func byItself<Value: Sendable>(
        _ event: AuditEvent, at now: Timestamp,
        _ work: (SigningKeyKeeper) async throws(SigningKeyFault) -> Value
    ) async throws(SigningKeyFault) -> Value {
        let entry = AuditEntry(event, by: .server, at: now)
        return try await audit.recordingChange(entry) { () async -> Result<Value, SigningKeyFault> in
            do throws(SigningKeyFault) { return .success(try await work(keeper)) } catch { return .failure(error) }
        }.get()
    }
}
