internal import Locks
package import Possession
internal import Synchronization

/// The machine's clock, made to go forward only (DUR-13): a time that was told is never followed by an earlier one.
///
/// When the machine's clock steps ahead, so does this one. When it steps back, this one goes on by the monotonic clock,
/// a hundredth slower than that, until the machine's has caught up. So limits and lifetimes last as long as they
/// should, and a lead of a few seconds melts by itself.
package final class ForwardClock: Sendable {
    /// Where time goes on from while the machine's clock is behind.
    private struct Lead {
        let told: Int64
        let steady: UInt64
        /// The last time told by it: a later one means that the machine's clock had caught up meanwhile.
        var latest: Int64
    }

    private let latest: Atomic<Int64>
    private let lead = Locked<Lead?>(nil)
    private let wall: @Sendable () -> Timestamp
    private let steady: @Sendable () -> UInt64
    private let boot: [UInt8]?

    /// - Parameters:
    ///   - wall: the machine's clock.
    ///   - steady: nanoseconds that only grow, at the pace of real time.
    ///   - boot: names the run of the machine that `steady` belongs to; `nil`: nothing does.
    package init(
        wall: @escaping @Sendable () -> Timestamp = SystemClock.now,
        steady: @escaping @Sendable () -> UInt64 = SystemClock.steadyNanoseconds,
        boot: [UInt8]? = SystemClock.boot
    ) {
        self.wall = wall
        self.steady = steady
        self.boot = boot
        latest = Atomic(wall().milliseconds)
    }

    /// The latest time that was told, or that `raise` demanded.
    package var told: Timestamp { Timestamp(milliseconds: latest.load(ordering: .relaxed)) }

    /// The latest time that was told, beside the steady clock.
    package var reading: ClockReading { ClockReading(told: told, steady: steady(), boot: boot) }

    /// How far this clock is ahead of the machine's, in milliseconds.
    package var leadMilliseconds: Int64 { max(0, told.milliseconds - wall().milliseconds) }

    /// No time before `mark` is told from now on.
    package func raise(to mark: Timestamp) {
        latest.max(mark.milliseconds, ordering: .relaxed)
    }

    package func now() -> Timestamp {
        let now = wall().milliseconds
        let last = latest.load(ordering: .relaxed)
        guard now < last else {
            if now > last { latest.max(now, ordering: .relaxed) }
            return Timestamp(milliseconds: now)
        }
        return Timestamp(milliseconds: nowAhead())
    }

    private func nowAhead() -> Int64 {
        lead.withLock { lead in
            // Read again: another thread may have told a later time between the two looks of the caller.
            let now = wall().milliseconds
            let last = latest.load(ordering: .relaxed)
            guard now < last else {
                lead = nil
                return now
            }
            let steadyNow = steady()
            var current = lead ?? Lead(told: last, steady: steadyNow, latest: last)
            if current.latest != last { current = Lead(told: last, steady: steadyNow, latest: last) }
            let passed = Int64(clamping: (max(steadyNow, current.steady) - current.steady) / 1_000_000)
            current.latest = max(last, current.told + passed - passed / 100)
            latest.max(current.latest, ordering: .relaxed)
            lead = current
            return current.latest
        }
    }
}
