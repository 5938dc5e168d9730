internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import SQLiteStorage
internal import Storage

extension SQLiteDatabase: WatchedDatabase {
    /// How long a reader may hold the WAL before a warning, in seconds. The server's own readers hold it for
    /// milliseconds.
    private static let patienceWithReaders = 10.0

    var server: Int64? { nil }

    var servers: Int { 1 }

    func follow(_ caches: CacheVersions) async throws(StorageFault) {}

    func exchangeNotes(_ listener: WakeListener) {}

    func tell(_ note: WakeNote) {}

    func check() async -> DatabaseCondition {
        tend()
        var statistics = statistics()
        if statistics.isDiskFull {
            // The probe detects that there is room again.
            try? await probe()
            statistics = self.statistics()
        }
        var condition = DatabaseCondition()
        switch lostFile() {
        case nil: break
        case .lock(let path):
            condition.reasonToEnd =
                "\(path) was removed or replaced, so that a second server may run on the same data: this one ends"
        case .database(let path):
            refuseWrites("\(path) is not at its place")
            condition.faults.insert(.databaseLost)
        }
        if statistics.isDiskFull { condition.faults.insert(.diskFull) }
        if statistics.logHeldSeconds >= Self.patienceWithReaders { condition.faults.insert(.logHeld) }
        if statistics.unnotedCommits > 0 { condition.faults.insert(.commitsUnnoted) }
        let refusals = statistics.refusals
        condition.refused[.databaseLocked] = refusals[.locked, default: 0]
        condition.refused[.overloaded] = refusals[.queueFull, default: 0] + refusals[.late, default: 0]
        condition.allRefused = statistics.refused
        condition.details = [
            .diskFull: ["refused": "\(refusals[.diskFull, default: 0])"],
            .databaseLocked: ["refused": "\(refusals[.locked, default: 0])"],
            .logHeld: ["walBytes": "\(statistics.logBytes)", "seconds": "\(Int(statistics.logHeldSeconds))"],
            .commitsUnnoted: ["commits": "\(statistics.unnotedCommits)"],
        ]
        if let pages = damagedPages.text { condition.details[.databaseDamaged] = ["pages": "\(pages)"] }
        return condition
    }

    func reasonNotReady() async -> String? {
        if lostFile() != nil { return "a file of the data directory was removed or replaced" }
        do throws(StorageFault) { try await probe() } catch {
            if statistics().isDiskFull { return "the disk is full" }
            return error == .overloaded ? "the store is overloaded" : "the store cannot be read and written"
        }
        return nil
    }

    func integrityWatch(wall: @escaping Now, logger: Logger) async throws(StorageFault) -> IntegrityWatch? {
        try await IntegrityWatch(self, wall: wall, logger: logger)
    }

    func collect(_ text: inout MetricsText) {
        let now = statistics()
        text.histogram(
            "holdfast_writer_batch_size", "Transactions that shared a commit.",
            bounds: (0..<now.batchSizes.count - 1).map { Double(1 << $0) }, counts: now.batchSizes,
            sum: Double(now.transactions))
        text.counter("holdfast_writer_commits_total", "Commits.", Double(now.batches))
        text.counter("holdfast_writer_commit_seconds_total", "Time spent in commits.", now.commitSeconds)
        text.counter("holdfast_writer_transactions_total", "Committed transactions.", Double(now.transactions))
        text.counter("holdfast_writer_rolled_back_total", "Transactions taken back.", Double(now.rolledBack))
        for reason in WriteRefusal.allCases where reason != .unreachable {
            text.counter(
                "holdfast_writer_refused_total", "Transactions that were not carried out.",
                Double(now.refusals[reason, default: 0]), labels: MetricsText.labels([("reason", reason.rawValue)]))
        }
        text.gauge("holdfast_writer_queue", "Transactions that wait.", Double(now.waiting))
        text.gauge("holdfast_writer_queue_most", "Most transactions that ever waited.", Double(now.mostWaiting))
        text.counter("holdfast_checkpoints_total", "Checkpoints of the log.", Double(now.checkpoints))
        text.counter("holdfast_checkpoint_seconds_total", "Time checkpoints took the writer.", now.checkpointSeconds)
        text.gauge(
            "holdfast_wal_held_seconds", "How long a reader has kept the write-ahead log from being emptied.",
            now.logHeldSeconds)
        text.gauge("holdfast_wal_bytes", "Size of the write-ahead log after the last commit.", Double(now.logBytes))
    }
}
