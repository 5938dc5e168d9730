package import Possession

/// Watches the machine's clock against the monotonic one: finds jumps, and says since when it can be believed.
///
/// A value; it is shown both clocks about once a second.
package struct ClockWatch: Sendable {
    /// A difference that is a jump, in milliseconds.
    package static let jump: Int64 = 60_000
    /// How long the machine's clock must go without a jump before anything is removed by it.
    package static let trial: UInt64 = 15 * 60 * 1_000_000_000

    private var last: (wall: Timestamp, steady: UInt64)
    /// When the trial began; `nil`: it is over.
    private var trialSince: UInt64?

    /// - Parameter mark: the latest time known from before the start. Without one, everything is new, and there is
    ///   nothing that a wrong clock could remove.
    package init(mark: Timestamp?, wall: Timestamp, steady: UInt64) {
        last = (wall, steady)
        if let mark, abs(wall.milliseconds - mark.milliseconds) > ClockWatch.jump { trialSince = steady }
    }

    /// The milliseconds by which the machine's clock has jumped since the last look, ahead or back; `nil`: it has not.
    package mutating func look(wall: Timestamp, steady: UInt64) -> Int64? {
        let passed = Int64(clamping: (max(steady, last.steady) - last.steady) / 1_000_000)
        let jumped = wall.milliseconds - last.wall.milliseconds - passed
        last = (wall, steady)
        if let since = trialSince, steady > since, steady - since >= ClockWatch.trial { trialSince = nil }
        guard abs(jumped) > ClockWatch.jump else { return nil }
        trialSince = steady
        return jumped
    }

    /// Whether the machine's clock has gone without a jump for long enough to remove things by it.
    package var isBelieved: Bool { trialSince == nil }
}
