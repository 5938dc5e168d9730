internal import Clocks
internal import HTTPServer
internal import Locks
internal import Logging
internal import Engine
internal import Possession

/// Whether the server can do its work: it reads, writes and signs, its files are its own, its clock runs, and it is not
/// draining (OPS-03).
///
/// The result of a check is kept for a second, so that frequent probes cause no load. A probe gets its answer within half
/// a second, because balancers give up soon. While a check takes longer, the last result is the answer for two seconds, if
/// it is not too old.
final class Readiness: Sendable {
    private let database: any WatchedDatabase
    private let signs: @Sendable () -> Bool
    private let isDamaged: @Sendable () -> Bool
    private let isDraining: Locked<Bool>
    private let logger: Logger
    private let wall: Now
    private let steady: @Sendable () -> UInt64
    private let pause: @Sendable (Duration) async -> Void
    /// The reading of the clock, and when that reading was first seen.
    private let tick = Locked<(wall: Timestamp, steady: UInt64)?>(nil)
    private let checks = Locked(Checks())
    /// The last answer, except that of a server that is about to end.
    private let answered = Locked<String?>(nil)
    private static let interval: UInt64 = 1_000_000_000
    /// How long a probe waits for a check.
    private static let longestWait: Duration = .milliseconds(400)
    /// How long a check may run before the server is not ready, in nanoseconds.
    private static let longestCheck: UInt64 = 2_000_000_000
    /// How long a result is used, in nanoseconds since its check began.
    private static let longestUse: UInt64 = 4_000_000_000
    /// A clock that shows the same time for longer than this, in nanoseconds, has stopped.
    private static let longestTick: UInt64 = 2_000_000_000

    private struct Checks {
        /// The last check that ended.
        var last: (began: UInt64, reason: String?)?
        /// The check that runs; `nil`: none does.
        var running: (began: UInt64, isSlow: Bool)?
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// - Parameters:
    ///   - signs: whether a token can be signed and its signature checked.
    ///   - isDamaged: whether a check has found the database damaged.
    ///   - wall: the clock of sessions and tokens.
    ///   - steady: monotonic nanoseconds.
    init(
        _ database: any WatchedDatabase, signs: @escaping @Sendable () -> Bool,
        isDamaged: @escaping @Sendable () -> Bool = { false }, isDraining: Locked<Bool>, logger: Logger,
        wall: @escaping Now,
        steady: @escaping @Sendable () -> UInt64 = SystemClock.steadyNanoseconds,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.database = database
        self.signs = signs
        self.isDamaged = isDamaged
        self.isDraining = isDraining
        self.logger = logger
        self.wall = wall
        self.steady = steady
        self.pause = pause
    }

    /// Why the server cannot do its work, without any data; `nil`: it can.
    func reason() async -> String? {
        if isDraining.withLock({ $0 }) { return "it is about to end" }
        let now = steady()
        let isFresh = checks.withLock { checks in
            if let last = checks.last, now &- last.began < Readiness.interval { return true }
            guard checks.running == nil else { return false }
            checks.running = (now, false)
            // On the loop of the probe: it is free, and the threads of other tasks may not be.
            let loop = EventLoop.current
            Task(executorPreference: loop) { await self.run(began: now) }
            Task(executorPreference: loop) {
                await self.pause(Readiness.longestWait)
                self.noteSlow(began: now)
            }
            return false
        }
        if !isFresh { await waitForCheck() }
        let (found, before) = answered.withLock { answered in
            let before = answered
            answered = known(at: steady())
            return (answered, before)
        }
        if before != found {
            if let found {
                logger.error("the server is not ready", metadata: ["reason": "\(found)"])
            } else {
                logger.notice("the server is ready again")
            }
        }
        return found
    }

    private func run(began: UInt64) async {
        let found = await check()
        let waiters = checks.withLock { checks -> [CheckedContinuation<Void, Never>] in
            checks.last = (began, found)
            checks.running = nil
            return checks.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Probes do not wait any more for the check that began then.
    private func noteSlow(began: UInt64) {
        let waiters = checks.withLock { checks -> [CheckedContinuation<Void, Never>] in
            guard checks.running?.began == began else { return [] }
            checks.running?.isSlow = true
            return checks.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    private func waitForCheck() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let waits = checks.withLock { checks in
                guard checks.running?.isSlow == false else { return false }
                checks.waiters.append(waiter)
                return true
            }
            if !waits { waiter.resume() }
        }
    }

    private func known(at now: UInt64) -> String? {
        checks.withLock { checks in
            guard let running = checks.running else { return checks.last?.reason }
            // The reason is still better than that the check takes long.
            if let reason = checks.last?.reason { return reason }
            let isSilent = now &- min(now, running.began) > Readiness.longestCheck
            let isKnown = checks.last.map { now &- min(now, $0.began) < Readiness.longestUse } ?? false
            return isKnown && !isSilent ? nil : "the database does not answer"
        }
    }

    private func check() async -> String? {
        if let reason = await database.reasonNotReady() { return reason }
        if isDamaged() { return "the database is damaged" }
        if clockStands() { return "the clock stands still" }
        return signs() ? nil : "no token can be signed"
    }

    private func clockStands() -> Bool {
        let (shown, now) = (wall(), steady())
        return tick.withLock { tick in
            guard let last = tick, last.wall == shown else {
                tick = (shown, now)
                return false
            }
            return now &- last.steady > Readiness.longestTick
        }
    }
}
