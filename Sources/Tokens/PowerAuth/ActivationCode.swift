internal import Text

/// Codes that people type: 10 random bytes and their checksum, CRC-16/ARC, in Base32 (RFC 4648 section 6) as
/// `XXXXX-XXXXX-XXXXX-XXXXX`.
enum ActivationCode {
    static let randomSize = 10
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let count = 23

    static func text(_ random: [UInt8]) -> String {
        precondition(random.count == randomSize, "a code has 10 random bytes")
        var text: [UInt8] = []
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for byte in random + checksum(random).bigEndianBytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                if text.count % 6 == 5 { text.append(UInt8(ascii: "-")) }
                text.append(alphabet[Int(pending >> bits & 31)])
            }
        }
        // 96 bits: the last character has one of them.
        text.append(alphabet[Int(pending << (5 - bits) & 31)])
        return String(decoding: text, as: UTF8.self)
    }

    static func isValid(_ text: String) -> Bool {
        let characters = Array(text.utf8)
        guard characters.count == count else { return false }
        var bytes: [UInt8] = []
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for (place, character) in characters.enumerated() {
            if place % 6 == 5 {
                guard character == UInt8(ascii: "-") else { return false }
                continue
            }
            guard let value = value(of: character) else { return false }
            pending = pending << 5 | value
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
        }
        // The bits behind the twelfth byte are 0: two texts must not be one code.
        return pending & 0b1111 == 0 && bytes.suffix(2).elementsEqual(checksum(Array(bytes.prefix(10))).bigEndianBytes)
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }

    /// CRC-16/ARC: polynomial 0x8005, reflected, from 0.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
        }
    }
}
