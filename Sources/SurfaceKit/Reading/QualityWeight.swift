internal import Text

/// The weight that a caller gives to an alternative (RFC 9110 section 12.4.2).
enum QualityWeight {
    /// `q=0.875` in thousandths: 0 or 1, and up to three digits. `nil`: the weight is invalid.
    static func thousandths(_ text: ArraySlice<UInt8>) -> Int? {
        let number = Array(text.dropFirst(2))
        guard text.prefix(2).isSameIgnoringCase(as: "q="), (1...5).contains(number.count),
            number[0] == UInt8(ascii: "0") || number[0] == UInt8(ascii: "1"),
            number.count == 1 || number[1] == UInt8(ascii: ".")
        else { return nil }
        var weight = Int(number[0] - UInt8(ascii: "0")) * 1000
        for (byte, place) in zip(number.dropFirst(2), [100, 10, 1]) {
            guard (0x30...0x39).contains(byte) else { return nil }
            weight += Int(byte - 0x30) * place
        }
        return weight <= 1000 ? weight : nil
    }
}
