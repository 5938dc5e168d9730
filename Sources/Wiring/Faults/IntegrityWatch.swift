internal import Locks
internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import SQLiteStorage
internal import Storage

/// Reads the whole database for damage once a day, and after an unclean end (DUR-09, DUR-19).
///
/// A small database is read before the start. A larger one is read in the background, so that the start does not wait.
final class IntegrityWatch: Sendable {
    private struct State {
        /// When the file was last checked, by the machine's clock; `nil`: it has been in doubt since.
        var checkedAt: Timestamp?
        /// The damage that the last check found; `nil`: none.
        var damage: String?
        /// How many reads had met a damaged page when the last check began.
        var readsSeen = 0
    }

    private static let longestAge = Duration.seconds(86_400)
    /// The time between two tests whether a check is due.
    private static let interval = Duration.seconds(60)

    private let damagedReads: @Sendable () -> Int
    private let check: @Sendable () async throws(StorageFault) -> IntegrityFinding
    private let logger: Logger
    private let wall: Now
    private let state: Locked<State>

    /// - Parameters:
    ///   - checkedAt: when the file was last found sound; `nil`: unknown, or it has been in doubt since.
    ///   - wall: the machine's clock.
    ///   - damagedReads: the number of reads that have met a damaged page since the start.
    ///   - check: reads the whole file.
    init(
        checkedAt: Timestamp?, wall: @escaping Now, logger: Logger, damagedReads: @escaping @Sendable () -> Int = { 0 },
        check: @escaping @Sendable () async throws(StorageFault) -> IntegrityFinding
    ) {
        self.check = check
        self.damagedReads = damagedReads
        self.logger = logger
        self.wall = wall
        state = Locked(State(checkedAt: checkedAt))
    }

    /// Watches a database that was just opened.
    /// - Throws: `StorageFault`: the time of the last check cannot be read.
    convenience init(_ database: SQLiteDatabase, wall: @escaping Now, logger: Logger) async throws(StorageFault) {
        let checkedAt: Timestamp?
        if database.wasChecked {
            checkedAt = wall()
        } else {
            checkedAt = database.endedBadly ? nil : try await database.lastCheck()
        }
        self.init(
            checkedAt: checkedAt, wall: wall, logger: logger, damagedReads: { database.damagedPages.reads },
            check: { () throws(StorageFault) in try await database.checkIntegrity(now: wall) })
    }

    /// Runs until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await checkIfDue()
            do { try await Task.sleep(for: IntegrityWatch.interval) } catch { return }
        }
    }

    /// Checks the database if a check is due, and logs the result.
    func checkIfDue() async {
        guard isDue(at: wall()) else { return }
        let reads = damagedReads()
        do {
            let finding = try await check()
            switch finding {
            case .cancelled: return
            case .sound:
                state.withLock { $0 = State(checkedAt: wall(), readsSeen: reads) }
                logger.info("the whole database was read and found sound")
            case .damaged(let what):
                state.withLock { $0 = State(checkedAt: wall(), damage: what, readsSeen: reads) }
                // `FaultWatch` logs the remedy, now and every minute.
                logger.error("a check of the database has found damage", metadata: ["found": "\(what)"])
            }
        } catch {
            logger.warning("the database was not checked for damage", metadata: ["fault": "\(error)"])
        }
    }

    /// Whether the last check found damage, or a request has met a damaged page since that check began.
    var isDamaged: Bool { state.withLock { $0.damage != nil || damagedReads() > $0.readsSeen } }

    /// A time in the future comes from a wrong clock, so it is ignored.
    private func isDue(at now: Timestamp) -> Bool {
        let state = state.withLock { $0 }
        guard let checkedAt = state.checkedAt else { return true }
        // Only a full check shows how much more is damaged, or whether the page was only read wrongly.
        if state.damage == nil && damagedReads() > state.readsSeen { return true }
        return checkedAt > now || checkedAt.adding(IntegrityWatch.longestAge) <= now
    }

    func collect(_ text: inout MetricsText) {
        let state = state.withLock { $0 }
        guard let checkedAt = state.checkedAt, !isDamaged else { return }
        text.gauge(
            "holdfast_integrity_checked_timestamp_seconds", "When the whole database was last found sound.",
            Double(checkedAt.seconds))
    }
}
