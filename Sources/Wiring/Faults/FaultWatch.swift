internal import Clocks
internal import HTTPServer
internal import Sandbox
internal import Locks
internal import Logging
internal import Observation
internal import Possession
internal import SQLiteStorage
internal import Storage

/// Checks about once a second for faults around the server: disk, files, log, clock. Reports them in the log and the
/// metrics, and ends the process if a second one may run on the same data.
final class FaultWatch: Sendable {
    private struct State {
        var notes = FaultNotes()
        var clockWatch: ClockWatch
        var locked = 0
        var overloaded = 0
        var shedByLoops = 0
        var lostLines = 0
        var jumpsAhead = 0
        var jumpsBack = 0
    }

    /// How long a reader may hold the WAL before a warning, in seconds. The server's own readers hold it for
    /// milliseconds.
    private static let patienceWithReaders = 10.0
    /// A clock lead that is worth a log line, in milliseconds.
    private static let lead: Int64 = 60_000

    private let database: SQLiteDatabase
    private let clock: ForwardClock
    private let sink: LogSink
    private let logger: Logger
    private let isDamaged: @Sendable () -> Bool
    private let wall: Now
    private let steady: @Sendable () -> UInt64
    private let onFatal: @Sendable (String) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - mark: the latest time that an earlier run has recorded.
    ///   - isDamaged: whether a check has found the database damaged.
    ///   - wall: the machine's clock.
    ///   - steady: monotonic nanoseconds.
    ///   - onFatal: called when the lock file is lost. The process must end.
    init(
        _ database: SQLiteDatabase, clock: ForwardClock, mark: Timestamp?, sink: LogSink, logger: Logger,
        isDamaged: @escaping @Sendable () -> Bool = { false },
        wall: @escaping Now = SystemClock.now, steady: @escaping @Sendable () -> UInt64 = SystemClock.steadyNanoseconds,
        onFatal: @escaping @Sendable (String) -> Void
    ) {
        self.database = database
        self.clock = clock
        self.sink = sink
        self.logger = logger
        self.isDamaged = isDamaged
        self.wall = wall
        self.steady = steady
        self.onFatal = onFatal
        state = Locked(State(clockWatch: ClockWatch(mark: mark, wall: wall(), steady: steady())))
    }

    /// Checks once.
    /// - Parameter shed: requests refused since the start because they could not be answered in time.
    func check(shed: [SheddingStage: Int] = [:]) async {
        database.tend()
        var statistics = database.statistics()
        if statistics.isDiskFull {
            // The probe detects that there is room again.
            try? await database.probe()
            statistics = database.statistics()
        }
        let isLost = checkFiles()
        let jumped = state.withLock { $0.clockWatch.check(wall: wall(), steady: steady()) }
        if let jumped { report(jumped) }
        let now = steady()
        let lost = sink.lost
        let locked = statistics.refusals[.locked, default: 0]
        let overloaded =
            statistics.refusals[.queueFull, default: 0] + statistics.refusals[.late, default: 0]
            + shed[.storeWait, default: 0]
        let shedByLoops = shed[.loopWait, default: 0] + shed[.late, default: 0]
        let lead = clock.leadMilliseconds
        let notes = state.withLock { state -> [(Fault, FaultNotes.Note)] in
            let found: [(Fault, Bool)] = [
                (.diskFull, statistics.isDiskFull), (.databaseLost, isLost), (.databaseDamaged, isDamaged()),
                (.databaseLocked, locked > state.locked), (.overloaded, overloaded > state.overloaded),
                (.loopsOverloaded, shedByLoops > state.shedByLoops),
                (.logHeld, statistics.logHeldSeconds >= FaultWatch.patienceWithReaders),
                (.clockAhead, lead > FaultWatch.lead), (.logLost, lost > state.lostLines),
                (.commitsUnnoted, statistics.unnotedCommits > 0),
            ]
            (state.locked, state.overloaded, state.lostLines) = (locked, overloaded, lost)
            state.shedByLoops = shedByLoops
            return found.compactMap { fault, isThere in
                state.notes.see(fault, isThere, at: now).map { (fault, $0) }
            }
        }
        let refused = shed.values.reduce(0, +)
        for (fault, note) in notes { report(fault, note, statistics, shed: refused, lead: lead) }
    }

    /// The present faults.
    var lasting: Set<Fault> { state.withLock { $0.notes.lasting } }

    /// The time by which data may be removed; `nil`: the clock has jumped and is not trusted yet.
    var timeToRemoveBy: Timestamp? { state.withLock { $0.clockWatch.isBelieved } ? min(wall(), clock.told) : nil }

    func collect(_ text: inout MetricsText) {
        let (lasting, ahead, back) = state.withLock { ($0.notes.lasting, $0.jumpsAhead, $0.jumpsBack) }
        for fault in Fault.allCases {
            text.gauge(
                "holdfast_fault", "1 while a fault lasts that an operator must act on.",
                lasting.contains(fault) ? 1 : 0, labels: MetricsText.labels([("fault", fault.rawValue)]))
        }
        text.gauge(
            "holdfast_clock_lead_seconds", "How far the server's time is ahead of the machine's clock.",
            Double(clock.leadMilliseconds) / 1000)
        let jumps = "Jumps of the machine's clock by more than a minute."
        text.counter("holdfast_clock_jumps_total", jumps, Double(ahead), labels: "direction=\"ahead\"")
        text.counter("holdfast_clock_jumps_total", jumps, Double(back), labels: "direction=\"back\"")
        text.counter("holdfast_log_lines_lost_total", "Log lines that could not be written.", Double(sink.lost))
    }

    /// Returns whether the database file is missing or replaced; then writes are refused. If the lock file is lost, the
    /// process must end.
    private func checkFiles() -> Bool {
        switch database.lostFile() {
        case nil: return false
        case .lock(let path):
            onFatal("\(path) was removed or replaced, so that a second server may run on the same data: this one ends")
            return false
        case .database(let path):
            database.refuseWrites("\(path) is not at its place")
            return true
        }
    }

    private func report(_ jumped: Int64) {
        state.withLock { state in
            if jumped > 0 { state.jumpsAhead += 1 } else { state.jumpsBack += 1 }
        }
        let way = jumped > 0 ? "ahead" : "back"
        logger.warning(
            "the machine's clock has jumped \(way): nothing is removed by it before it has held for 15 minutes; look at its time synchronisation",
            metadata: ["seconds": "\(abs(jumped) / 1000)"])
    }

    private func report(
        _ fault: Fault, _ note: FaultNotes.Note, _ statistics: DatabaseStatistics, shed: Int, lead: Int64
    ) {
        var metadata: Logger.Metadata = ["fault": "\(fault.rawValue)"]
        switch fault {
        case .diskFull: metadata["refused"] = "\(statistics.refusals[.diskFull, default: 0])"
        case .databaseLocked: metadata["refused"] = "\(statistics.refusals[.locked, default: 0])"
        case .logHeld:
            metadata["walBytes"] = "\(statistics.logBytes)"
            metadata["seconds"] = "\(Int(statistics.logHeldSeconds))"
        case .overloaded, .loopsOverloaded: metadata["refused"] = "\(statistics.refused + shed)"
        case .clockAhead: metadata["seconds"] = "\(lead / 1000)"
        case .logLost: metadata["lines"] = "\(sink.lost)"
        case .commitsUnnoted: metadata["commits"] = "\(statistics.unnotedCommits)"
        case .databaseDamaged:
            if let pages = database.damagedPages.text { metadata["pages"] = "\(pages)" }
        case .databaseLost: break
        }
        switch note {
        case .begins, .lasts:
            logger.log(level: fault.isSevere ? .error : .warning, "\(fault.line)", metadata: metadata)
        case .ends: logger.notice("\(fault.end)", metadata: metadata)
        }
    }
}
