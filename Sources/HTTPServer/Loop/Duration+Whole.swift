extension Duration {
    /// Nanoseconds, not negative; more than 292 years count as 292 years: half the range stays free, so that adding a
    /// clock reading cannot overflow.
    var wholeNanoseconds: UInt64 {
        // One division of 128 bits, where `components` takes two.
        let nanoseconds = attoseconds / 1_000_000_000
        return UInt64(clamping: min(nanoseconds, Int128(UInt64.max / 2)))
    }

    var wholeMilliseconds: Int {
        Int(wholeNanoseconds / 1_000_000)
    }
}
