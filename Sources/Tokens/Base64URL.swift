/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), with exactly one spelling for each byte string.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let invalid: UInt8 = 0xFF
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the encoded form of `bytes` to `text`.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        var (read, written) = (0, text.count)
        text.append(contentsOf: repeatElement(0, count: (bytes.count * 4 + 2) / 3))
        let (bytes, alphabet) = (bytes.span, alphabet.span)
        var output = text.mutableSpan
        // Three bytes become four characters.
        while bytes.count - read >= 3 {
            let group = Int(bytes[read]) << 16 | Int(bytes[read + 1]) << 8 | Int(bytes[read + 2])
            output[written] = alphabet[group >> 18]
            output[written + 1] = alphabet[group >> 12 & 63]
            output[written + 2] = alphabet[group >> 6 & 63]
            output[written + 3] = alphabet[group & 63]
            read += 3
            written += 4
        }
        switch bytes.count - read {
        case 1:
            output[written] = alphabet[Int(bytes[read]) >> 2]
            output[written + 1] = alphabet[Int(bytes[read]) << 4 & 63]
        case 2:
            let group = Int(bytes[read]) << 8 | Int(bytes[read + 1])
            output[written] = alphabet[group >> 10]
            output[written + 1] = alphabet[group >> 4 & 63]
            output[written + 2] = alphabet[group << 2 & 63]
        default: break
        }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    /// `nil` for any other character, including padding and white space, for a length that no encoder produces, and for
    /// unused bits that are not 0: two texts must not mean the same bytes (TOK-07).
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
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
