internal import Dispatch
internal import Engine
internal import Possession
internal import Records
internal import SQLiteStorage
internal import Storage

/// The store as the server has it, on a disk: durable inserts of whole sessions.
package final class WriterCase: Sendable {
    private let sessions: SessionsTable
    private let database: SQLiteDatabase
    private let client: ClientID

    /// - Parameters:
    ///   - directory: of the database; made when it is not there.
    ///   - transactionsPerCommit: 512 is the server's; 1 commits each alone.
    package init(directory: String, migrations: String, transactionsPerCommit: Int) throws {
        var limits = SQLiteLimits()
        limits.storage.transactionsPerBatch = transactionsPerCommit
        guard let client = ClientID("sandbox") else { fatalError("a good client id") }
        self.client = client
        database = try SQLiteDatabase(
            .directory(try DataDirectory(directory)), migrations: migrations, now: Self.now(), limits: limits,
            onFatal: { fatalError($0) })
        // The cost of sealing is measured elsewhere.
        let sealing = Sealing(
            seal: { bytes, _ in bytes }, open: { bytes, _ in bytes }, blindIndex: { _ in [] }, deviceIndex: { _ in [] },
            credentialIndex: { _ in [] }, limitKey: { _ in [] })
        sessions = SessionsTable(database.database, sealing: sealing, holder: 1)
    }

    private static let now: Now = {
        Timestamp(milliseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) + 1_700_000_000_000)
    }

    /// `each` inserts by each of `writers` at once; returns when all are durable.
    package func insert(writers: Int, each: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<writers {
                group.addTask {
                    for _ in 0..<each { try await self.insertOne() }
                }
            }
            try await group.waitForAll()
        }
    }

    private func insertOne() async throws {
        let now = Self.now()
        let number = PhoneNumber(e164: "+12001004014").map { SubmittedNumber(asSent: "2001004014", number: $0) }
        let product = Product(ProductName(known: "unify"), number: .optional)
        let order = PlatformService.SessionOrder(product, flow: .mobile)
        let policy = try Policy(order, order.checks, TenantRules(), Limits())
        let request = SessionRequest(
            flow: .mobile, policy: policy, subject: .init(number: number), options: .init(),
            references: .init(clientRequestID: "r-1"))
        let session = Session(
            correlationID: fresh(CorrelationID.self, now), authID: fresh(AuthID.self, now), clientID: client,
            request: request, at: now, limits: Limits())
        _ = try await sessions.insert(session, freshHolderID: fresh(HolderID.self, now), webhooks: [])
    }

    private func fresh<ID: Identifier>(_ type: ID.Type, _ now: Timestamp) -> ID {
        ID(at: now, random: UInt128.random(in: .min ... .max))
    }

    package func close() async { await database.close() }
}
