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
        text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
        let alphabet = alphabet
        var index = 0
        while index + 3 <= bytes.count {
            let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            text.append(alphabet[group >> 18])
            text.append(alphabet[group >> 12 & 63])
            text.append(alphabet[group >> 6 & 63])
            text.append(alphabet[group & 63])
            index += 3
        }
        switch bytes.count - index {
        case 1:
            text.append(alphabet[Int(bytes[index]) >> 2])
            text.append(alphabet[Int(bytes[index]) << 4 & 63])
        case 2:
            let group = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            text.append(alphabet[group >> 10])
            text.append(alphabet[group >> 4 & 63])
            text.append(alphabet[group << 2 & 63])
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
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text {
            let value = values[Int(character)]
            guard value != invalid else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        guard bits & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
        return bytes
    }
}
