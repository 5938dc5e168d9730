package import Possession
package import Tokens

/// What an operator may do with API clients, people and signing keys, whoever carries the order here.
package struct Administration: Sendable {
    private let tenants: any TenantStore
    let people: any PeopleStore
    private let keeper: SigningKeyKeeper
    /// Takes a new ring into use.
    private let replaceRing: @Sendable (SigningKeyRing) -> Void
    private let secretDigest: @Sendable (String, ClientID) -> SecretDigest
    private let randomBytes: RandomBytes
    private let now: Now

    package init(
        tenants: any TenantStore, people: any PeopleStore, keeper: SigningKeyKeeper, keyed: Keyed,
        randomBytes: @escaping RandomBytes, now: @escaping Now,
        replaceRing: @escaping @Sendable (SigningKeyRing) -> Void
    ) {
        self.tenants = tenants
        self.people = people
        self.keeper = keeper
        secretDigest = keyed.secret
        self.randomBytes = randomBytes
        self.now = now
        self.replaceRing = replaceRing
    }

    package enum Refusal: Error, Sendable {
        case taken
        case unknownClient
        case unknownPerson
        /// Nothing was changed; a later try may pass.
        case overloaded
        case failed(String)
    }

    package struct NewClient: Sendable {
        package let id: ClientID
        /// 256 random bits, base64url. Only its keyed digest is kept.
        package let secret: Secret
    }

    /// - Throws: `.taken`, `.failed`.
    package func addClient(_ id: ClientID, rules: TenantRules) async throws(Refusal) -> NewClient {
        let secret: String
        do { secret = Base64URL.encode(try randomBytes(32)) } catch { throw .failed("the random generator refused") }
        let tenant = Tenant(id: id, rules: rules, secretDigests: [secretDigest(secret, id)], createdAt: now())
        do { try await tenants.add(tenant) } catch {
            throw error == .duplicate ? .taken : .failed("storage: \(error)")
        }
        return NewClient(id: id, secret: Secret(secret))
    }

    /// By name.
    package func clients() async throws(Refusal) -> [Tenant] {
        do { return try await tenants.tenants().sorted { $0.id.text < $1.id.text } } catch {
            throw .failed("storage: \(error)")
        }
    }

    /// Takes effect with the client's next call.
    package func revokeClient(_ id: ClientID) async throws(Refusal) {
        do {
            guard try await tenants.revokeTenant(id, at: now()) else { throw Refusal.unknownClient }
        } catch let refusal as Refusal {
            throw refusal
        } catch { throw .failed("storage: \(error)") }
    }

    /// Every key, oldest first, and whether it signs now.
    package func keys() async throws(Refusal) -> [(key: SigningKeyRecord, signs: Bool)] {
        let now = now()
        do {
            let ring = try await keeper.load(at: now)
            return ring.published(at: now).map { ($0, ring.signer(for: $0.purpose, at: now)?.kid == $0.kid) }
        } catch { throw .failed("signing keys: \(error)") }
    }

    /// Gives every purpose a new key. It signs once everybody had time to learn of it; the old one verifies as long
    /// as its tokens live (TOK-08).
    package func rotateKeys() async throws(Refusal) {
        do {
            for purpose in SigningKeyRecord.Purpose.allCases {
                replaceRing(try await keeper.rotate(purpose, at: now()))
            }
        } catch { throw .failed("signing keys: \(error)") }
    }

    /// Gives each purpose whose newest key is older than `age` a new one.
    func rotateKeys(olderThan age: Duration) async throws(Refusal) {
        let now = now()
        do {
            var ring = try await keeper.load(at: now)
            for purpose in SigningKeyRecord.Purpose.allCases {
                let newest = ring.keys.filter { $0.purpose == purpose }.map(\.createdAt).max()
                guard let newest, newest.adding(age) <= now else { continue }
                ring = try await keeper.rotate(purpose, at: now)
                replaceRing(ring)
            }
        } catch { throw .failed("signing keys: \(error)") }
    }
}
