extension Duration {
    /// Nanoseconds, not negative; more than 584 years count as 584 years.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        // Half the range stays free, so that adding a clock reading cannot overflow.
        return overflow ? .max / 2 : Swift.min(product, .max / 2) + UInt64(attoseconds / 1_000_000_000)
    }

    var wholeMilliseconds: Int {
        Int(wholeNanoseconds / 1_000_000)
    }
}
