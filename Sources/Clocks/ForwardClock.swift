internal import Locks
package import Possession
internal import Synchronization

/// The machine's clock, made to go only forward (DUR-13): it never returns an earlier time than before.
///
/// When the machine's clock steps ahead, this clock does too. When it steps back, this clock follows the monotonic
/// clock, a hundredth slower, until the machine's clock has caught up. Limits and lifetimes thus keep their length, and
/// a lead of a few seconds disappears by itself.
package final class ForwardClock: Sendable {
    /// The base from which time continues while the machine's clock is behind.
    private struct Lead {
        let told: Int64
        let steady: UInt64
        /// The last time computed from it. If the clock has returned a later time, the machine's clock had caught up in
        /// between.
        var latest: Int64
    }

    private let latest: Atomic<Int64>
    private let lead = Locked<Lead?>(nil)
    private let wall: @Sendable () -> Timestamp
    private let steady: @Sendable () -> UInt64
    private let boot: [UInt8]?

    /// - Parameters:
    ///   - wall: the machine's clock.
    ///   - steady: monotonic nanoseconds, at the pace of real time.
    ///   - boot: identifies the boot of the machine that `steady` belongs to; `nil`: unknown.
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

    /// The latest time that was returned, or set by `raise`.
    package var told: Timestamp { Timestamp(milliseconds: latest.load(ordering: .relaxed)) }

    /// The latest time that was returned, together with the steady clock.
    package var reading: ClockReading { ClockReading(told: told, steady: steady(), boot: boot) }

    /// How far this clock is ahead of the machine's, in milliseconds.
    package var leadMilliseconds: Int64 { max(0, told.milliseconds - wall().milliseconds) }

    /// No time before `mark` is returned from now on.
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
            // Read again: another thread may have returned a later time between the caller's two reads.
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
