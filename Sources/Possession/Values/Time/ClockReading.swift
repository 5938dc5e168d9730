/// A time on the server's clock and on the machine's monotonic clock. From both, a later run of the server can compute
/// how much time may have passed.
package struct ClockReading: Sendable, Equatable {
    /// The latest time that the server's clock has given out.
    package let told: Timestamp
    /// Nanoseconds that only increase while the machine runs.
    package let steady: UInt64
    /// Identifies the boot of the machine that `steady` belongs to; `nil`: unknown.
    package let boot: [UInt8]?

    package init(told: Timestamp, steady: UInt64, boot: [UInt8]?) {
        self.told = told
        self.steady = steady
        self.boot = boot
    }

    /// The expected server time at `later` if no clock was set meanwhile; `nil`: the machine was restarted.
    package func expected(at later: ClockReading) -> Timestamp? {
        guard let boot, boot == later.boot, later.steady >= steady else { return nil }
        return told.adding(.milliseconds(Int64(clamping: (later.steady - steady) / 1_000_000)))
    }
}
