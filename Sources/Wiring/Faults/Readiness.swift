internal import Clocks
internal import Locks
internal import Logging
internal import Engine
internal import Possession

/// Whether the server can do its work: it reads, writes and signs, its files are its own, its clock runs, and it is not
/// draining (OPS-03).
///
/// A result is kept for about a second, so that frequent probes cause no load.
final class Readiness: Sendable {
    private let database: any WatchedDatabase
    private let signs: @Sendable () -> Bool
    private let isDamaged: @Sendable () -> Bool
    private let isDraining: Locked<Bool>
    private let logger: Logger
    private let wall: Now
    private let steady: @Sendable () -> UInt64
    /// The reading of the clock, and when that reading was first seen.
    private let tick = Locked<(wall: Timestamp, steady: UInt64)?>(nil)
    private let last = Locked<(at: UInt64, reason: String?)?>(nil)
    private static let interval: UInt64 = 1_000_000_000
    /// A clock that shows the same time for longer than this, in nanoseconds, has stopped.
    private static let longestTick: UInt64 = 2_000_000_000

    /// - Parameters:
    ///   - signs: whether a token can be signed and its signature checked.
    ///   - isDamaged: whether a check has found the database damaged.
    ///   - wall: the clock of sessions and tokens.
    ///   - steady: monotonic nanoseconds.
    init(
        _ database: any WatchedDatabase, signs: @escaping @Sendable () -> Bool,
        isDamaged: @escaping @Sendable () -> Bool = { false }, isDraining: Locked<Bool>, logger: Logger,
        wall: @escaping Now,
        steady: @escaping @Sendable () -> UInt64 = SystemClock.steadyNanoseconds
    ) {
        self.database = database
        self.signs = signs
        self.isDamaged = isDamaged
        self.isDraining = isDraining
        self.logger = logger
        self.wall = wall
        self.steady = steady
    }

    /// Why the server cannot do its work, without any data; `nil`: it can.
    func reason() async -> String? {
        if isDraining.withLock({ $0 }) { return "it is about to end" }
        let now = steady()
        if let last = last.withLock({ $0 }), now &- last.at < Readiness.interval { return last.reason }
        let found = await check()
        let before = last.withLock { last in
            defer { last = (now, found) }
            return last?.reason
        }
        if before != found {
            if let found {
                logger.error("the server is not ready", metadata: ["reason": "\(found)"])
            } else if before != nil {
                logger.notice("the server is ready again")
            }
        }
        return found
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
