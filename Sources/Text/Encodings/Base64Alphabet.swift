/// The 64 digits of a form of Base64. Encodes and decodes without padding.
struct Base64Alphabet: Sendable {
    private static let invalid: UInt8 = 0xFF

    private let digits: [UInt8]
    /// The value of each byte; `invalid`: not a digit.
    private let values: [UInt8]

    /// - Parameter digits62And63: the two digits that are no letters or numbers.
    init(digits62And63: String) {
        digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(digits62And63)".utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    /// Appends the encoded form of `bytes` to `text`.
    func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        var (read, written) = (0, text.count)
        text.append(contentsOf: repeatElement(0, count: (bytes.count * 4 + 2) / 3))
        let (bytes, digits) = (bytes.span, digits.span)
        var output = text.mutableSpan
        // Three bytes become four characters.
        while bytes.count - read >= 3 {
            let group = Int(bytes[read]) << 16 | Int(bytes[read + 1]) << 8 | Int(bytes[read + 2])
            output[written] = digits[group >> 18]
            output[written + 1] = digits[group >> 12 & 63]
            output[written + 2] = digits[group >> 6 & 63]
            output[written + 3] = digits[group & 63]
            read += 3
            written += 4
        }
        switch bytes.count - read {
        case 1:
            output[written] = digits[Int(bytes[read]) >> 2]
            output[written + 1] = digits[Int(bytes[read]) << 4 & 63]
        case 2:
            let group = Int(bytes[read]) << 8 | Int(bytes[read + 1])
            output[written] = digits[group >> 10]
            output[written + 1] = digits[group >> 4 & 63]
            output[written + 2] = digits[group << 2 & 63]
        default: break
        }
    }

    /// `nil` for a byte that is no digit, for a length that no encoder produces, and for unused bits that are not 0.
    func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
        let (text, values) = (text.span, values.span)
        // An invalid character maps to a value above 63. Checked once, at the end.
        var seen: UInt8 = 0
        var output = bytes.mutableSpan
        // Four characters become three bytes.
        var (read, written) = (0, 0)
        while text.count - read >= 4 {
            let (a, b) = (values[Int(text[read])], values[Int(text[read + 1])])
            let (c, d) = (values[Int(text[read + 2])], values[Int(text[read + 3])])
            seen |= a | b | c | d
            output[written] = a << 2 | b >> 4
            output[written + 1] = b << 4 | c >> 2
            output[written + 2] = c << 6 | d
            read += 4
            written += 3
        }
        if read < text.count {
            let (a, b) = (values[Int(text[read])], values[Int(text[read + 1])])
            let c = text.count - read == 3 ? values[Int(text[read + 2])] : 0
            let isWhole = text.count - read == 3 ? c & 0b11 == 0 : b & 0b1111 == 0
            guard isWhole else { return nil }
            seen |= a | b | c
            output[written] = a << 2 | b >> 4
            if text.count - read == 3 { output[written + 1] = b << 4 | c >> 2 }
        }
        return seen < 64 ? bytes : nil
    }
}
