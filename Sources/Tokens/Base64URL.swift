/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), one spelling for each byte string.
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

    /// Writes the encoded form of `bytes` at the end of `text`.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        var (read, written) = (0, text.count)
        text.append(contentsOf: repeatElement(0, count: (bytes.count * 4 + 2) / 3))
        let (bytes, alphabet) = (bytes.span, alphabet.span)
        var output = text.mutableSpan
        // Three bytes are four characters.
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

    /// `nil` for any other character, padding and white space included, for a length that no encoder produces, and for
    /// bits left over that are not 0: two texts must not mean the same bytes (TOK-07).
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
        var groups = Groups()
        // Four characters are three bytes. A value that is no character's sets a bit above the six of the others.
        var (input, output) = (text.startIndex, 0)
        while text.endIndex - input >= 4 {
            let group = groups.next(text[input], text[input + 1], text[input + 2], text[input + 3])
            bytes[output] = UInt8(truncatingIfNeeded: group >> 16)
            bytes[output + 1] = UInt8(truncatingIfNeeded: group >> 8)
            bytes[output + 2] = UInt8(truncatingIfNeeded: group)
            input += 4
            output += 3
        }
        let rest = text.endIndex - input
        if rest > 0 {
            let zero = UInt8(ascii: "A")
            let group = groups.next(text[input], text[input + 1], rest == 3 ? text[input + 2] : zero, zero)
            guard group & (rest == 3 ? 0xFF : 0xFFFF) == 0 else { return nil }
            bytes[output] = UInt8(truncatingIfNeeded: group >> 16)
            if rest == 3 { bytes[output + 1] = UInt8(truncatingIfNeeded: group >> 8) }
        }
        return groups.areValid ? bytes : nil
    }

    /// Groups of four characters, each as 24 bits; whether all characters were of the alphabet is asked once, at the end.
    private struct Groups {
        private let values = Base64URL.values
        private var seen: UInt8 = 0

        mutating func next(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> UInt32 {
            let (a, b, c, d) = (values[Int(first)], values[Int(second)], values[Int(third)], values[Int(fourth)])
            seen |= a | b | c | d
            return UInt32(a) << 18 | UInt32(b & 63) << 12 | UInt32(c & 63) << 6 | UInt32(d & 63)
        }

        var areValid: Bool { seen < 64 }
    }
}
