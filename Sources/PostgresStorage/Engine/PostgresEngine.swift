internal import Engine
internal import Possession
internal import Storage

/// The engine of `Database` on PostgreSQL. Its threads end with it.
final class PostgresEngine: DatabaseEngine {
    let lanes: PostgresLanes
    /// `nil` in tests of one server.
    let place: ServerPlace?
    let wakes: WakeLine?

    init(_ lanes: PostgresLanes, at place: ServerPlace?) {
        self.lanes = lanes
        self.place = place
        wakes = place.map { WakeLine($0) }
    }

    deinit {
        lanes.stop()
        wakes?.stop()
        place?.stop()
    }

    func submit(_ transaction: PendingTransaction) { lanes.put(transaction) }

    let runsAlone = false

    var server: Int64? { lanes.server }

    func waitForEarlierTransactions() async throws(StorageFault) { try await lanes.waitForEarlierTransactions() }

    func submitUnawaited(_ transaction: PendingTransaction) { lanes.put(transaction) }

    func readAtOnce(
        on home: (any CompletionExecutor)?, _ body: (any Connection) throws(StorageFault) -> Void
    ) throws(StorageFault) -> Bool { false }

    func waitForServers() async throws(StorageFault) { try await place?.waitForServers() }

    func keepsPlace() async -> Bool { await place?.isKept() ?? true }

    var surelyKeepsPlace: Bool { place?.isCertain ?? true }

    /// PostgreSQL has no clock mark: servers compare their clocks with its clock.
    func continueTime(from now: Timestamp, _ connection: any Connection) throws(StorageFault) {}

    /// A deleted row is gone from every query at once. In pages, the log, standbys and archives it is unreadable once the
    /// sealing key that it was sealed with has ended.
    func removeDeletedData() async {}
}
