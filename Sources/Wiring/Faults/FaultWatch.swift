internal import Clocks
internal import HTTPServer
internal import Sandbox
internal import Locks
internal import Logging
internal import Observation
internal import Possession

/// Checks about once a second for faults around the server: disk, files, log, clock. Reports them in the log and the
/// metrics, and ends the process if a second one may run on the same data.
final class FaultWatch: Sendable {
    private struct State {
        var notes = FaultNotes()
        var clockWatch: ClockWatch
        /// Refused transactions and requests, by the fault that lasts while their number grows.
        var refused: [Fault: Int] = [:]
        var lostLines = 0
        var jumpsAhead = 0
        var jumpsBack = 0
    }

    /// A clock lead that is worth a log line, in milliseconds.
    private static let lead: Int64 = 60_000

    private let database: any WatchedDatabase
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
    ///   - onFatal: called when another process may use the same data. The process must end.
    init(
        _ database: any WatchedDatabase, clock: ForwardClock, mark: Timestamp?, sink: LogSink, logger: Logger,
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
        var condition = await database.check()
        if let reason = condition.reasonToEnd { onFatal(reason) }
        condition.refused[.overloaded, default: 0] += shed[.storeWait, default: 0]
        condition.refused[.loopsOverloaded] = shed[.loopWait, default: 0] + shed[.late, default: 0]
        if isDamaged() { condition.faults.insert(.databaseDamaged) }
        let jumped = state.withLock { $0.clockWatch.check(wall: wall(), steady: steady()) }
        if let jumped { report(jumped) }
        let (now, lost, lead) = (steady(), sink.lost, clock.leadMilliseconds)
        if lead > FaultWatch.lead { condition.faults.insert(.clockAhead) }
        let refused = condition.allRefused + shed.values.reduce(0, +)
        condition.details[.overloaded] = ["refused": "\(refused)"]
        condition.details[.loopsOverloaded] = ["refused": "\(refused)"]
        condition.details[.clockAhead] = ["seconds": "\(lead / 1000)"]
        condition.details[.logLost] = ["lines": "\(lost)"]
        let notes = state.withLock { state -> [(Fault, FaultNotes.Note)] in
            for (fault, count) in condition.refused where count > state.refused[fault, default: 0] {
                condition.faults.insert(fault)
            }
            if lost > state.lostLines { condition.faults.insert(.logLost) }
            (state.refused, state.lostLines) = (condition.refused, lost)
            return Fault.allCases.compactMap { fault in
                state.notes.see(fault, condition.faults.contains(fault), at: now).map { (fault, $0) }
            }
        }
        for (fault, note) in notes { report(fault, note, condition.details[fault] ?? [:]) }
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

    private func report(_ jumped: Int64) {
        state.withLock { state in
            if jumped > 0 { state.jumpsAhead += 1 } else { state.jumpsBack += 1 }
        }
        let way = jumped > 0 ? "ahead" : "back"
        logger.warning(
            "the machine's clock has jumped \(way): nothing is removed by it before it has held for 15 minutes; look at its time synchronisation",
            metadata: ["seconds": "\(abs(jumped) / 1000)"])
    }

    private func report(_ fault: Fault, _ note: FaultNotes.Note, _ details: Logger.Metadata) {
        let metadata = details.merging(["fault": "\(fault.rawValue)"]) { _, fault in fault }
        switch note {
        case .begins, .lasts:
            logger.log(level: fault.isSevere ? .error : .warning, "\(fault.line)", metadata: metadata)
        case .ends: logger.notice("\(fault.end)", metadata: metadata)
        }
    }
}
