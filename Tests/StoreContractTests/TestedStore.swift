import Foundation
import Engine
import Possession
import PostgresStorage
import PostgresTestSupport
import SQLiteStorage
import Storage
import TestSupport
import Testing

/// Every port of one store, as the engine gets them.
struct Stores: Sendable {
    let sessions: any SessionStore
    let outbox: any Outbox
    /// The outbox as the next process has it, once this one is gone.
    let nextOutbox: any Outbox
    let deviceKeys: any DeviceKeyStore
    let activations: any ActivationStore
    let tokens: any DeviceTokenStore
    let limits: any LimitStore
    let identities: any IdentityStore
    let tenants: any TenantStore
    let erasures: any ErasureStore
    let webhooks: any WebhookStore
    let health: any StoreHealth
    let notices: any ConnectionNoticeStore
    let lists: any NumberListStore
    let senders: any SenderNameStore
    let refusedStarts: any RefusedStartStore
    let brands: any BrandStore
    let apiKeys: any APIKeyStore
    let applications: any ApplicationKeyStore
    let temporarySecrets: any TemporarySecretStore
    let domains: any DomainStore
    let testNumbers: any TestNumberStore
    /// Returns when everything that was submitted has ended. A store that runs transactions in their order has nothing
    /// to wait for.
    var finishNotes: @Sendable () async throws -> Void = {}
    /// Transactions that ran again because they waited for each other.
    var deadlocks: @Sendable () -> Int = { 0 }
}

extension Stores {
    func noteSent(_ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool = false) async throws {
        outbox.noteSent(message, acceptance, keeps: keeps)
        try await finishNotes()
    }

    func release(_ message: OutboundMessage) async throws {
        outbox.release(message)
        try await finishNotes()
    }
}

extension Stores {
    init(_ store: InMemoryStore) {
        let lists = InMemoryLists()
        self.init(
            sessions: store, outbox: InMemoryOutbox(store), nextOutbox: InMemoryOutbox(store, holder: 1),
            deviceKeys: store, activations: store, tokens: store, limits: store, identities: store, tenants: store,
            erasures: store, webhooks: store, health: store, notices: lists, lists: lists, senders: lists,
            refusedStarts: lists, brands: InMemoryBrands(), apiKeys: InMemoryAPIKeys(),
            applications: InMemoryApplicationKeys(), temporarySecrets: InMemoryTemporarySecrets(), domains: store,
            testNumbers: lists)
    }
}

/// The stores that the contract holds for. Another store is one more case.
enum TestedStore: CaseIterable {
    case memory, sqlite, postgres

    /// A run with a PostgreSQL tests that alone.
    static var allCases: [TestedStore] { TestedPostgres.address == nil ? [.memory, .sqlite] : [.postgres] }

    /// An empty store.
    func make() throws -> Stores {
        switch self {
        case .memory:
            return Stores(InMemoryStore())
        case .sqlite:
            let sqlite = try Self.sqlite()
            return Self.stores(sqlite.database, health: sqlite)
        case .postgres:
            let postgres = try TestedPostgres.makeDatabase()
            return Self.stores(postgres)
        }
    }

    /// Two servers on an empty database.
    func pair() throws -> Pair<Stores> {
        switch self {
        case .memory:
            let stores = Stores(InMemoryStore())
            return Pair(stores, stores)
        case .sqlite:
            let sqlite = try Self.sqlite()
            return Pair(
                Self.stores(sqlite.database, health: sqlite),
                Self.stores(sqlite.database, health: sqlite, holder: 102))
        case .postgres:
            let (first, second) = try TestedPostgres.makePair()
            return Pair(Self.stores(first), Self.stores(second, holder: 102))
        }
    }

    private static func stores(_ postgres: PostgresDatabase, holder: Int64 = 101) -> Stores {
        var stores = stores(postgres.database, health: postgres, holder: holder)
        stores.deadlocks = { postgres.statistics().runsAgain[.deadlock, default: 0] }
        return stores
    }

    /// The ports of the tables on `database`.
    /// - Parameter holder: the number of a process that has ended: no server has it. The next process has one number,
    ///   whichever process was before.
    private static func stores(_ database: Database, health: any StoreHealth, holder: Int64 = 101) -> Stores {
        let sessions = SessionsTable(database, sealing: .fake, holder: holder)
        return Stores(
            sessions: sessions, outbox: sessions.outbox,
            nextOutbox: MessagesTable(database, sealing: .fake, holder: 103),
            deviceKeys: DeviceKeysTable(database, sealing: .fake),
            activations: ActivationsTable(database, sealing: .fake), tokens: DeviceTokensTable(database),
            limits: LimitCountsTable(
                database, sealing: .fake, limits: LiveLimits(Limits.OverSessions())),
            identities: IdentitiesTable(database, sealing: .fake), tenants: TenantsTable(database),
            erasures: Erasures(database, sealing: .fake),
            webhooks: WebhookEndpointsTable(database, sealing: .fake), health: health,
            notices: ConnectionNoticesTable(database), lists: ListedNumbersTable(database, sealing: .fake),
            senders: SenderNamesTable(database),
            refusedStarts: RefusedStartsTable(database, sealing: .fake), brands: BrandsTable(database),
            apiKeys: APIKeysTable(database),
            applications: ApplicationKeysTable(database) { _ in true },
            temporarySecrets: TemporarySecretsTable(database),
            domains: DomainsTable(database, sealing: .fake),
            testNumbers: TestNumbersTable(database, sealing: .fake),
            finishNotes: { try await database.waitForEarlierTransactions() })
    }
}

extension TestedStore {
    /// An empty database of SQLite in memory.
    static func sqlite() throws -> SQLiteDatabase {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../migrations"
        return try SQLiteDatabase(
            .memory, migrations: folder, now: Sample.now, home: { nil }, uptime: { 0 },
            onFatal: { Issue.record("\($0)") })
    }
}

/// Values that the scenarios share.
enum Sample {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let rules = Rules(limits: Limits())
    static let client = ClientID("acme")!
    static let other = ClientID("other")!
    static let number = PhoneNumber(e164: "+12001004014")!
    static let product = ProductName("unify")!
    static let right = OTPDigest([UInt8](repeating: 7, count: 32))

    static func id<ID: Identifier>(at now: Timestamp = now) -> ID {
        ID(at: now, random: UInt128.random(in: 0...UInt128.max))
    }

    static func session(
        at now: Timestamp = now, number: PhoneNumber? = number, mailbox: EmailAddress? = nil,
        of client: ClientID = client, flow: FlowDigest? = nil,
        options: SessionRequest.Options = .init(), isFoundByNumber: Bool = false, product: String = product.text
    ) -> Session {
        Session(
            correlationID: id(at: now), authID: id(at: now), clientID: client,
            request: SessionRequest(
                flow: .mobile,
                policy: .standard(
                    product, retries: true, mayChangeNumber: true, isFoundByNumber: isFoundByNumber),
                subject: .init(
                    number: mailbox == nil ? number.map { SubmittedNumber(asSent: $0.e164, number: $0) } : nil,
                    mailbox: mailbox), options: options, references: .init()),
            flowDigest: flow, at: now, limits: Limits())
    }

    static func redeemed(_ fallback: Session.Declaration.Fallback, at now: Timestamp = now) throws -> Session {
        var session = session(at: now)
        try session.redeem(
            .init(platform: .web, fallback: fallback, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: now, rules: rules)
        return session
    }

    /// A session that waits for the code with the right digest.
    static func waiting(at now: Timestamp = now) throws -> Session {
        var session = try redeemed(.otp, at: now)
        _ = try session.sendCode(
            .first(nil), issue: { _, _, _ in .init(shown: OTP("1234")!, expected: right) }, at: now, rules: rules)
        return session
    }

    static func key(_ byte: UInt8, of client: ClientID = client, at now: Timestamp = now) -> DeviceKey {
        let bytes = [UInt8](repeating: byte, count: 32)
        return DeviceKey(
            id: id(at: now), clientID: client, thumbprint: Thumbprint(bytes)!,
            publicKey: PublicKey(x: bytes, y: bytes)!,
            platform: .ios, createdAt: now, number: number, status: .active, boundAt: now, lastUsedAt: now)
    }

    static func activation(
        of session: Session, of target: Target = .number(number), at now: Timestamp = now
    ) -> DeviceActivation {
        DeviceActivation(
            id: id(at: now), clientID: session.clientID, applicationKey: "YXBwbGljYXRpb24ga2V5IQ==", target: target,
            sessionID: session.correlationID,
            details: .init(name: "Ada's phone", platform: "ios", device: "Phone 1", flags: ["VERIFICATION_PENDING"]),
            secrets: ActivationSecrets(keys: [1, 2, 3], counter: [0]), at: now)
    }

    static func link(_ byte: UInt8) -> Session.IssuedLink {
        .init(token: "t", digest: digest(byte), matchCode: nil)
    }

    /// A session that can send links.
    static func linking(
        of client: ClientID = client, flow: FlowDigest? = nil, product: ProductName = product
    ) throws -> Session {
        var session = session(of: client, flow: flow, isFoundByNumber: true, product: product.text)
        try session.redeem(
            .init(platform: .web, fallback: .link, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: now, rules: rules)
        return session
    }

    static func send(_ byte: UInt8, _ change: inout SessionChange, at now: Timestamp = now) {
        let order: Session.SendOrder = change.session.link.digest == nil ? .first(nil) : .again
        #expect(throws: Never.self) {
            _ = try change.session.sendLink(
                order, link: link(byte), browser: nil, at: now, rules: rules)
        }
    }

    static func digest(_ byte: UInt8) -> LinkDigest { LinkDigest([UInt8](repeating: byte, count: 32)) }

    static func proof(_ byte: UInt8, by key: UInt8 = 1) -> DPoPProof {
        DPoPProof(
            thumbprint: Thumbprint([UInt8](repeating: key, count: 32))!, jtiDigest: [byte], issuedAt: now,
            checkedAt: now, validUntil: now.adding(.seconds(61)))
    }
}

extension SessionStore {
    func insert(_ session: Session) async throws(StorageFault) {
        try await insert(session, freshHolderID: Sample.id())
    }

    func update<R: Sendable>(
        _ session: Session, _ lookup: ChangeInputs = ChangeInputs(),
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        try await update(.correlation(session.correlationID), lookup, freshHolderID: Sample.id(), rule)
    }
}
