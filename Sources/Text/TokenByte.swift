extension UInt8 {
    /// Whether it may be in an HTTP token, such as a method or a field name: letters, digits and ``!#$%&'*+-.^_`|~``
    /// (`tchar`, RFC 9110 section 5.6.2). Uses comparisons and masks, no lookup table.
    @inlinable
    package var isTokenByte: Bool {
        // One bit for each character, for 0-63 and 64-127.
        let mask: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && mask >> UInt64(self & 63) & 1 == 1
    }
}
