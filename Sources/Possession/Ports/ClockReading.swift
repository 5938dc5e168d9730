/// A moment on the server's clock, and on the machine's steady one: by both a later run of the server knows how far time
/// can have gone on since.
package struct ClockReading: Sendable, Equatable {
    /// The latest time that anybody was told.
    package let told: Timestamp
    /// Nanoseconds that only grow while the machine runs.
    package let steady: UInt64
    /// Names the run of the machine that `steady` belongs to; `nil`: it has no name.
    package let boot: [UInt8]?

    package init(told: Timestamp, steady: UInt64, boot: [UInt8]?) {
        self.told = told
        self.steady = steady
        self.boot = boot
    }

    /// The time that would be told at `later` if no clock had been set since; `nil`: the machine was started anew.
    package func expected(at later: ClockReading) -> Timestamp? {
        guard let boot, boot == later.boot, later.steady >= steady else { return nil }
        return told.adding(.milliseconds(Int64(clamping: (later.steady - steady) / 1_000_000)))
    }
}
