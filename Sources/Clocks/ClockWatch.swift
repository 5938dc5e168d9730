package import Possession

/// Compares the machine's clock with the monotonic one: detects jumps, and decides whether the machine's clock can be
/// trusted.
///
/// A value type; call `look` with both clocks about once a second.
package struct ClockWatch: Sendable {
    /// A larger difference counts as a jump, in milliseconds.
    package static let jump: Int64 = 60_000
    /// Nanoseconds that the machine's clock must run without a jump before data is removed by its time.
    package static let trial: UInt64 = 15 * 60 * 1_000_000_000

    private var last: (wall: Timestamp, steady: UInt64)
    /// When the time without a jump began; `nil`: it has been long enough.
    private var trialSince: UInt64?

    /// - Parameter mark: the latest time known from before the start. Without one, all data is new, and a wrong clock
    ///   has nothing to remove.
    package init(mark: Timestamp?, wall: Timestamp, steady: UInt64) {
        last = (wall, steady)
        if let mark, abs(wall.milliseconds - mark.milliseconds) > ClockWatch.jump { trialSince = steady }
    }

    /// The milliseconds by which the machine's clock has jumped since the last call, forward or back; `nil`: no jump.
    package mutating func check(wall: Timestamp, steady: UInt64) -> Int64? {
        let passed = Int64(clamping: (max(steady, last.steady) - last.steady) / 1_000_000)
        let jumped = wall.milliseconds - last.wall.milliseconds - passed
        last = (wall, steady)
        if let since = trialSince, steady > since, steady - since >= ClockWatch.trial { trialSince = nil }
        guard abs(jumped) > ClockWatch.jump else { return nil }
        trialSince = steady
        return jumped
    }

    /// Whether the machine's clock has run without a jump for long enough to remove data by its time.
    package var isBelieved: Bool { trialSince == nil }
}
