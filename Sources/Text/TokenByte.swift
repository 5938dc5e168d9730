extension UInt8 {
    /// Whether it may stand in a token of HTTP, such as a method or the name of a field: letters, digits and
    /// ``!#$%&'*+-.^_`|~`` (`tchar`, RFC 9110 section 5.6.2). Compares and masks: nothing is looked up.
    @inlinable
    package var isTokenByte: Bool {
        // One bit a character, for 0-63 and 64-127.
        let mask: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && mask >> UInt64(self & 63) & 1 == 1
    }
}
