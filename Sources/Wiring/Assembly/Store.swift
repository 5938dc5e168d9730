internal import Administration
internal import Clocks
internal import Sandbox
package import HTTPServer
internal import Glibc
internal import Locks
package import Engine
package import Possession
internal import Records
internal import SQLiteStorage
package import Storage
package import Tokens

/// The opened data directory: database, tables, and the keys that open the stored data.
package struct Store: Sendable {
    let watched: any WatchedDatabase
    /// Findings of the start about the database, for the operator.
    let startWarnings: [String]
    package let sessions: SessionsTable
    package let deviceKeys: DeviceKeysTable
    package let activations: ActivationsTable
    package let deviceTokens: DeviceTokensTable
    let usedNames: UsedNamesTable
    package let identities: IdentitiesTable
    package let domains: DomainsTable
    package let tenants: TenantsTable
    package let apiKeys: APIKeysTable
    package let applicationKeys: ApplicationKeysTable
    package let people: PeopleTable
    package let erasures: Erasures
    package let limitCounts: LimitCountsTable
    package let testNumbers: TestNumbersTable
    package let closedPrefixes: ClosedPrefixesTable
    package let listedNumbers: ListedNumbersTable
    package let connectionNotices: ConnectionNoticesTable
    package let senderNames: SenderNamesTable
    package let refusedStarts: RefusedStartsTable
    package let brands: BrandsTable
    package let webhooks: WebhookEndpointsTable
    package let webhookSigning: WebhookSigning
    package let audit: AuditTable
    package let sandboxClock: SandboxClockTable
    let duties: DutiesTable
    let caches = CacheVersions()
    let restored: RestoredDatabase
    let signingKeys: SigningKeysTable
    package let keeper: SigningKeyKeeper
    package let keysets: KeysetKeeper
    package let keyed: KeyedDigests
    package let mobileAuthTokens: MobileAuthTokenService
    /// The cryptography of activated phones.
    package let devices: PowerAuthProtocol
    package let random: SystemRandom
    /// The clock for all stored times.
    let now: Now
    /// The machine's clock, which never goes back. A sandbox's clock may be ahead of it.
    let machineNow: Now
    /// How far `machineNow` is ahead of the machine's own clock.
    private let lead: @Sendable () -> Duration
    let mode: Configuration.Mode
    /// Limits that an operator may change while the server runs.
    let limits: LiveLimits
    /// Recently refused calls, by number.
    let refusals = RecentRefusals()
    /// The latest time that an earlier run has recorded.
    let clockMark: Timestamp?

    /// Locks the directory, reads or makes the master key, and opens the database.
    ///
    /// - Parameters:
    ///   - now: the clock for all stored times.
    ///   - clock: the machine's clock. It continues from the time of the last stop.
    ///   - consent: the risks that the operator has accepted.
    ///   - isCopy: the key file also belongs to another database.
    ///   - onFatal: called once if it is unknown what is on the disk. The process must end.
    ///   - noteWait: called with the reason while a database cannot be used yet; `nil`: this call does not wait for it.
    static func open(
        _ configuration: Configuration, now: Now? = nil, clock: ForwardClock = ForwardClock(),
        consent: StartConsent = StartConsent(), isCopy: Bool = false,
        onFatal: @escaping @Sendable (String) -> Void = { _ in }, noteWait: (@Sendable (String) -> Void)? = nil
    ) async throws(StartFault) -> Store {
        let random = SystemRandom()
        let opening = DatabaseOpening(
            configuration: configuration, clock: clock, consent: consent, random: random, onFatal: onFatal,
            noteWait: noteWait)
        let opened = try await opening.open()
        do {
            let keysets = try await keysets(
                of: opened.watched.database, opened.master, configuration, random, isCopy: isCopy)
            let store = try Store(opened, keysets, random, configuration, now, clock)
            do {
                try await store.testNumbers.load()
                try await store.closedPrefixes.load()
                try await store.tenants.load()
                try await store.devices.loadTemporaryKeys(at: SystemClock.now())
                try await store.usedNames.begin(at: store.machineNow())
            } catch { throw StartFault.failed("storage: \(error)") }
            do {
                try await store.webhooks.learn()
                try await store.followOtherServers()
            } catch { throw StartFault.failed("storage: \(error)") }
            guard store.watched.servers == 1 || !store.keysets.hasOtherMaster else {
                throw StartFault.failed("the master key is being replaced: stop all servers, and start one first")
            }
            do throws(KeysetFault) {
                try await store.keysets.endOlderMasters(at: SystemClock.now(), noting: store.audit)
            } catch { throw StartFault.failed(error.advice) }
            return store
        } catch {
            await opened.watched.close()
            if let fault = error as? StartFault { throw fault }
            throw .failed("keys: \((error as? TokenFault)?.reason ?? "\(error)")")
        }
    }

    private init(
        _ opened: OpenedDatabase, _ keysets: KeysetKeeper, _ random: SystemRandom, _ configuration: Configuration,
        _ now: Now?, _ clock: ForwardClock
    ) throws(TokenFault) {
        let database = opened.watched.database
        let root = keysets.root
        let sealing = try Sealing(root, keysets.sealer)
        let machineNow: Now = { clock.now() }
        let now = now ?? machineNow
        self.machineNow = machineNow
        lead = { .milliseconds(clock.leadMilliseconds) }
        clockMark = opened.clockMark
        watched = opened.watched
        startWarnings = opened.warnings
        self.random = random
        self.now = now
        mode = configuration.mode
        let limits = LiveLimits(Possession.Limits(configuration))
        self.limits = limits
        keyed = try KeyedDigests(root)
        mobileAuthTokens = try MobileAuthTokenService(root)
        audit = AuditTable(
            database, sealing: sealing, form: try AuditForm(root) { sealing.blindIndex($0) })
        let number = if let server = opened.watched.server { server } else { try random.processNumber() }
        sessions = SessionsTable(database, sealing: sealing, limits: limits, holder: number, audit: audit)
        duties = DutiesTable(database, server: number)
        deviceKeys = DeviceKeysTable(database, sealing: sealing)
        activations = ActivationsTable(database, sealing: sealing, audit: audit)
        deviceTokens = DeviceTokensTable(database)
        usedNames = UsedNamesTable(database)
        identities = IdentitiesTable(database, sealing: sealing)
        domains = DomainsTable(database, sealing: sealing)
        tenants = TenantsTable(database, own: limits.limits.own)
        apiKeys = APIKeysTable(database)
        let sealer = keysets.sealer
        applicationKeys = ApplicationKeysTable(database) { $0.first == sealer.generation }
        devices = PowerAuthProtocol(
            sealer: sealer, randomBytes: random.randomBytes, startedAt: SystemClock.now(),
            temporarySecrets: TemporarySecretsTable(database), usedNames: usedNames)
        limitCounts = LimitCountsTable(
            database, sealing: sealing, limits: limits, audit: audit)
        testNumbers = TestNumbersTable(database, sealing: sealing)
        closedPrefixes = ClosedPrefixesTable(database)
        listedNumbers = ListedNumbersTable(database, sealing: sealing)
        connectionNotices = ConnectionNoticesTable(database)
        senderNames = SenderNamesTable(database)
        refusedStarts = RefusedStartsTable(database, sealing: sealing)
        brands = BrandsTable(database)
        people = PeopleTable(database, sealing: sealing, now: now, randomBytes: random.randomBytes)
        webhooks = WebhookEndpointsTable(database, sealing: sealing)
        webhookSigning = try WebhookSigning(root)
        erasures = Erasures(database, sealing: sealing)
        sandboxClock = SandboxClockTable(database)
        restored = RestoredDatabase(database, sealing: sealing)
        signingKeys = SigningKeysTable(database)
        keeper = SigningKeyKeeper(store: signingKeys, sealer: keysets.signingKeySealer)
        self.keysets = keysets
    }

    var database: Database { watched.database }

    /// Reads the caches again when another server has changed their tables.
    private func followOtherServers() async throws(StorageFault) {
        caches.onChange(of: .apiKeys, apiKeys.readAgain)
        caches.onChange(of: .applicationKeys, applicationKeys.readAgain)
        caches.onChange(of: .closedPrefixes, closedPrefixes.load)
        caches.onChange(of: .erasureOrders, erasures.readOrders)
        caches.onChange(of: .keysets, keysets.readAgain)
        caches.onChange(of: .listedNumbers, listedNumbers.readAgain)
        caches.onChange(of: .tenants, tenants.readAgain)
        caches.onChange(of: .testNumbers, testNumbers.load)
        caches.onChange(of: .webhookEndpoints, webhooks.learn)
        try await watched.follow(caches)
    }

    func close() async { await watched.close() }

    /// The service that signs and checks tokens with the keys of this store.
    /// - Throws: `.failed`: the keys cannot be read or made.
    func tokenService(publicURL: String) async throws(StartFault) -> ES256TokenService {
        let ring: SigningKeyRing
        do { ring = try await keeper.load(at: now()) } catch { throw .failed(error.advice) }
        return ES256TokenService(publicURL: publicURL, ring: try await withWebhookKey(ring), lead: lead)
    }

    /// Keeps the ring of `tokens` equal to the stored keys when other servers add some.
    func followKeys(_ tokens: ES256TokenService) async throws(StartFault) {
        guard watched.server != nil else { return }
        let keeper = keeper
        @Sendable func readAgain() async throws(SigningKeyFault) { tokens.replaceRing(try await keeper.stored()) }
        caches.onChange(of: .signingKeys) { () async throws(StorageFault) in
            do throws(SigningKeyFault) { try await readAgain() } catch {
                throw .failed(code: 0, operation: error.advice)
            }
        }
        // A key may have come since the ring was read.
        do { try await readAgain() } catch { throw .failed(error.advice) }
    }

    /// Ends sessions that were open when a backup was made.
    func restoredSessions(_ configuration: Configuration, now: @escaping Now) -> RestoredSessions {
        RestoredSessions(
            sessions, webhooks, limits: Possession.Limits(configuration), now: now, randomBytes: random.randomBytes)
    }

    /// - Parameters:
    ///   - erasure: `nil`: erases in the store only, because no server runs.
    ///   - webhooks: `nil`: no server runs; uses a manager without consent calls and wake-ups.
    ///   - resealing: the progress of a running server; `nil`: none runs.
    ///   - numbers: the directory of a running server; `nil`: none runs.
    func administrator(
        _ erasure: Erasure? = nil, webhooks: WebhookManager? = nil, resealing: ResealProgress? = nil,
        numbers: (any NumberDirectory)? = nil,
        changeRing: @escaping Administrator.RingChange
    ) -> Administrator {
        Administrator(
            tenants: tenants, apiKeys: apiKeys, applications: applicationKeys, devices: devices,
            activations: activations, deviceKeys: deviceKeys, people: people,
            erasure: erasure ?? Erasure(store: erasures),
            limits: limitCounts, closedPrefixes: closedPrefixes,
            sessions: sessions, outbox: sessions.outbox, liveLimits: limits, numbers: numbers, refusals: refusals,
            // A sandbox has its own users instead.
            testNumbers: mode == .live ? testNumbers : nil,
            webhooks: webhooks ?? webhookManager(WebhookURLRule(allowsLoopback: mode == .sandbox)),
            audit: audit, keeper: keeper, keysets: keysetAdministration(resealing),
            keyed: keyed, randomBytes: random.randomBytes, now: now,
            secretRule: ClientSecret(isLive: mode == .live),
            changeRing: changeRing)
    }

    /// - Parameters:
    ///   - ask: asks a receiver for its consent. Without a running server no receiver is asked.
    ///   - wake: called with the endpoints that have waiting events.
    ///   - changeRing: adds a new key to the ring of a running server.
    func webhookManager(
        _ rule: WebhookURLRule, ask: @escaping WebhookConsent.Ask = { _, _ in .notAsked },
        wake: @escaping @Sendable ([WebhookEndpointID]) -> Void = { _ in },
        changeRing: @escaping Administrator.RingChange = { _ in }
    ) -> WebhookManager {
        WebhookManager(
            store: webhooks, tenants: tenants, rule: rule, signing: webhookSigning, now: now,
            randomBytes: random.randomBytes, ask: ask,
            makeReady: { (format) async throws(EngineFault) in
                if format.isSignedByServer { try await makeWebhookKey(changeRing) }
            }, wake: wake)
    }
}

extension SystemRandom {
    /// A number that identifies this process.
    fileprivate func processNumber() throws(TokenFault) -> Int64 {
        do { return try bytes(8).reduce(0) { $0 << 8 | Int64($1) } } catch {
            throw TokenFault("random generator")
        }
    }
}

extension Sealing {
    /// - Throws: `TokenFault`: a key cannot be derived.
    fileprivate convenience init(_ root: MasterKey, _ sealer: Sealer) throws(TokenFault) {
        let index = KeyedHash(key: try root.subkey(.blindIndex))
        self.init(
            seal: { (bytes, context) throws(StorageFault) in
                do throws(TokenFault) { return try sealer.seal(bytes, context: context) } catch {
                    throw .failed(code: 0, operation: "seal: \(error.reason)")
                }
            },
            open: { (bytes, context) throws(StorageFault) in
                do { return try sealer.open(bytes, context: context) } catch { throw .corrupt(what: "a sealed value") }
            },
            blindIndex: { index.blindIndex($0) }, deviceIndex: { index.blindIndex($0) },
            credentialIndex: { index.blindIndex($0) }, limitKey: { index.limitKey($0) })
    }
}

/// The executor for completions: a request waits for its commit on its event loop.
extension EventLoop: CompletionExecutor {
    package func resume(batch: [@Sendable () -> Void]) { post(batch: batch) }
}
