/// A moment in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The engine never reads a clock: every rule gets `now` as a value.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// A number of seconds outside the range becomes the nearest value in range.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970, rounded down; what `iat` and `exp` carry (RFC 7519 section 2, NumericDate).
    package var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : milliseconds / 1000 - (milliseconds % 1000 == 0 ? 0 : 1)
    }

    /// The moment `duration` later (earlier if negative), in milliseconds, limited to the range.
    package func adding(_ duration: Duration) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Duration {
    /// The duration in milliseconds, without fractions, limited to the range.
    package var wholeMilliseconds: Int64 {
        // One division of 128 bits, where `components` takes two: a session converts more than a hundred durations.
        Int64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
