internal import Administration
internal import Clocks
internal import Locks
internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import PostgresStorage
internal import SQLiteStorage
internal import Storage

/// A PostgreSQL database of a server. The data directory has its keys, its socket and the newest timeline, and is held
/// until the close.
final class WatchedPostgres: WatchedDatabase {
    private let postgres: PostgresDatabase
    private let address: PostgresAddress
    private let directory: Locked<DataDirectory?>
    private let keptTimeline: Locked<String?>
    /// The machine's clock, which every server compares with that of the database.
    private let wall: Now

    /// With a larger difference, in milliseconds, sessions would end too early or too late.
    private static let mostDifference: Int64 = 1000

    init(
        _ postgres: PostgresDatabase, at address: PostgresAddress, keptTimeline: String?, _ directory: DataDirectory,
        wall: @escaping Now = SystemClock.now
    ) {
        self.postgres = postgres
        self.address = address
        self.directory = Locked(directory)
        self.keptTimeline = Locked(keptTimeline)
        self.wall = wall
    }

    var database: Database { postgres.database }

    var server: Int64? { postgres.server }

    var servers: Int { postgres.servers }

    func follow(_ caches: CacheVersions) async throws(StorageFault) { try await postgres.follow(caches) }

    func exchangeNotes(_ listener: WakeListener) { postgres.exchangeNotes(listener) }

    func tell(_ note: WakeNote) { postgres.tell(note) }

    func probe() async throws(StorageFault) { try await postgres.probe() }

    func expectedWait(behind changesAtWork: Int) -> UInt64 { postgres.expectedWait(behind: changesAtWork) }

    func check() async -> DatabaseCondition {
        postgres.tend()
        // Without room on the disk the next check tries again.
        try? keepTimeline()
        let statistics = postgres.statistics()
        var condition = DatabaseCondition()
        if let reason = statistics.reasonUnreachable {
            condition.faults.insert(.databaseUnreachable)
            condition.details[.databaseUnreachable] = ["reason": "\(reason)"]
        }
        let refusals = statistics.refusals
        condition.refused[.diskFull] = refusals[.diskFull, default: 0]
        condition.refused[.overloaded] =
            [.queueFull, .late, .locked].map { refusals[$0, default: 0] }.reduce(0, +)
        condition.allRefused = statistics.refused
        condition.details[.diskFull] = ["refused": "\(refusals[.diskFull, default: 0])"]
        return condition
    }

    /// Keeps the newest timeline for the next start.
    func keepTimeline() throws(StartFault) {
        guard let newest = address.newestTimeline, newest != keptTimeline.withLock(\.self),
            let path = directory.withLock({ $0?.path })
        else { return }
        try TimelineMark.write(newest, in: path)
        keptTimeline.withLock { $0 = newest }
    }

    func reasonNotReady() async -> String? {
        if postgres.isBehind { return "the changes of other servers cannot be read" }
        do throws(StorageFault) {
            try await postgres.probe()
            let (before, time, after) = (wall(), try await postgres.time(), wall())
            // The answer was made between the two.
            let isRight =
                time.milliseconds >= before.milliseconds - Self.mostDifference
                && time.milliseconds <= after.milliseconds + Self.mostDifference
            return isRight ? nil : "the clocks of this machine and of the database differ"
        } catch {
            if postgres.statistics().reasonUnreachable != nil { return "the database cannot be reached" }
            return error == .overloaded ? "the store is overloaded" : "the store cannot be read and written"
        }
    }

    func integrityWatch(wall: @escaping Now, logger: Logger) async throws(StorageFault) -> IntegrityWatch? { nil }

    func tableSizes() async throws(StorageFault) -> [TableSize]? { try await postgres.tableSizes() }

    func collect(_ text: inout MetricsText) {
        let now = postgres.statistics()
        text.counter("holdfast_writer_commits_total", "Commits.", Double(now.commits))
        text.counter(
            "holdfast_writer_commit_seconds_total", "Time spent in commits.", Double(now.commitNanoseconds) / 1e9)
        text.counter("holdfast_writer_transactions_total", "Committed transactions.", Double(now.transactions))
        text.counter("holdfast_writer_rolled_back_total", "Transactions taken back.", Double(now.rolledBack))
        for reason in WriteRefusal.allCases {
            text.counter(
                "holdfast_writer_refused_total", "Transactions that were not carried out.",
                Double(now.refusals[reason, default: 0]), labels: MetricsText.labels([("reason", reason.rawValue)]))
        }
        text.gauge("holdfast_writer_queue", "Transactions that wait.", Double(now.waiting))
        text.gauge("holdfast_writer_queue_most", "Most transactions that ever waited.", Double(now.mostWaiting))
        text.gauge("holdfast_servers", "Servers that use the database.", Double(servers))
        text.gauge("holdfast_postgres_lanes", "Connections that run transactions at most.", Double(now.lanes))
        text.gauge("holdfast_postgres_lanes_busy", "Transactions that run now.", Double(now.busyLanes))
        text.counter(
            "holdfast_postgres_transaction_seconds_total", "Time from BEGIN to the answer of COMMIT.",
            Double(now.transactionNanoseconds) / 1e9)
        text.counter("holdfast_postgres_reads_total", "Reads.", Double(now.reads))
        text.counter(
            "holdfast_postgres_exchanges_total", "Statements that were sent together, and waited for.",
            Double(now.exchanges))
        text.counter("holdfast_postgres_connections_total", "Connections made.", Double(now.connections))
        text.counter("holdfast_postgres_connections_lost_total", "Connections lost.", Double(now.lostConnections))
        text.counter(
            "holdfast_postgres_commits_settled_total",
            "Transactions whose COMMIT had no answer, and of which the database told later whether they are stored.",
            Double(now.settledCommits))
        for reason in PostgresStatistics.RunAgain.allCases {
            text.counter(
                "holdfast_postgres_runs_again_total", "Transactions that ran again, by reason.",
                Double(now.runsAgain[reason, default: 0]), labels: MetricsText.labels([("reason", reason.rawValue)]))
        }
        text.gauge(
            "holdfast_postgres_reachable", "1 while the database can be reached.",
            now.reasonUnreachable == nil ? 1 : 0)
    }

    func close() async {
        await postgres.close()
        try? keepTimeline()
        directory.withLock { $0 = nil }
    }
}
