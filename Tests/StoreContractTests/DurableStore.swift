import Engine
import Possession
import PostgresStorage
import PostgresTestSupport
import SQLiteStorage
import Storage
import TestSupport

/// The ports of a store that keeps its data when the process ends, as the engine gets them.
struct DurableStores: Sendable {
    let sessions: any SessionStore
    let tenants: any TenantStore
    let limits: any LimitStore
    let lists: any NumberListStore
    let refusedStarts: any RefusedStartStore
    let erasures: any ErasureStore
    let people: any PeopleStore
    let testNumbers: any TestNumberStore
    let closedPrefixes: any ClosedPrefixStore
    let signingKeys: any SigningKeyStore
    let keysets: any KeysetStore
    let audit: any AuditStore
    /// Returns when everything that was submitted has ended.
    let finishNotes: @Sendable () async throws -> Void
    /// The same data, as the next process has it.
    let next: @Sendable () async throws -> DurableStores
}

/// The stores whose ports have no twin in memory, and what is left of a port after a restart. Another store is one more case.
enum DurableStore: CaseIterable {
    case sqlite, postgres

    /// A run with a PostgreSQL tests that alone.
    static var allCases: [DurableStore] { TestedPostgres.address == nil ? [.sqlite] : [.postgres] }

    /// An empty store.
    func make(now: @escaping Now = { Sample.now }) async throws -> DurableStores {
        switch self {
        case .sqlite: try await Self.stores(try TestedStore.sqlite().database, now)
        case .postgres: try await Self.stores(try TestedPostgres.makeDatabase().database, now)
        }
    }

    /// Two servers on an empty database.
    func pair() async throws -> Pair<DurableStores> {
        let databases: (Database, Database)
        switch self {
        case .sqlite:
            let database = try TestedStore.sqlite().database
            databases = (database, database)
        case .postgres:
            let (first, second) = try TestedPostgres.makePair()
            databases = (first.database, second.database)
        }
        return Pair(
            try await Self.stores(databases.0, { Sample.now }),
            try await Self.stores(databases.1, { Sample.now }, holder: 2))
    }

    private static func stores(
        _ database: Database, _ now: @escaping Now, holder: Int64 = 1
    ) async throws -> DurableStores {
        let audit = AuditTable(database, sealing: .fake, form: .sums)
        let testNumbers = TestNumbersTable(database, sealing: .fake)
        let closedPrefixes = ClosedPrefixesTable(database)
        try await testNumbers.load()
        try await closedPrefixes.load()
        return DurableStores(
            sessions: SessionsTable(database, sealing: .fake, holder: holder), tenants: TenantsTable(database),
            limits: LimitCountsTable(
                database, sealing: .fake, limits: LiveLimits(Limits.OverSessions()), audit: audit),
            lists: ListedNumbersTable(database, sealing: .fake),
            refusedStarts: RefusedStartsTable(database, sealing: .fake),
            erasures: Erasures(database, sealing: .fake),
            people: PeopleTable(
                database, sealing: .fake, now: now,
                randomBytes: { (count) throws(EntropyFault) in (0..<count).map { _ in UInt8.random(in: 0...255) } }),
            testNumbers: testNumbers, closedPrefixes: closedPrefixes, signingKeys: SigningKeysTable(database),
            keysets: KeysetsTable(database), audit: audit,
            finishNotes: { try await database.waitForEarlierTransactions() },
            next: { try await stores(database, now, holder: holder) })
    }
}
