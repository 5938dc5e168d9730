/// Random bytes as letters and digits, for secrets that people copy into other programs. Some programs accept no other
/// character: the official Go library of Twilio requires `^[a-zA-Z0-9]*$`.
///
///     LettersAndDigits.text(of: bytes)   // 43 characters for 32 bytes
package enum LettersAndDigits {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The bytes as one number in base 62. All arrays of the same size give the same number of characters, and no two
    /// arrays give the same text.
    package static func text(of bytes: [UInt8]) -> String {
        String(decoding: digits(of: bytes), as: UTF8.self)
    }

    /// Bytes as random as these, whose base64 contains only letters and digits: 33 bytes for 32.
    package static func bytesOfPlainBase64(_ random: [UInt8]) -> [UInt8] {
        let text = digits(of: random)
        let filler = [UInt8](repeating: alphabet[0], count: (4 - text.count % 4) % 4)
        guard let bytes = Base64.decode(filler + text) else {
            preconditionFailure("letters and digits in groups of four are base64")
        }
        return bytes
    }

    private static func digits(of bytes: [UInt8]) -> [UInt8] {
        var digits = [Int](repeating: 0, count: count(for: bytes.count))
        for byte in bytes {
            var carry = Int(byte)
            for place in digits.indices.reversed() {
                carry += digits[place] << 8
                digits[place] = carry % alphabet.count
                carry /= alphabet.count
            }
        }
        return digits.map { alphabet[$0] }
    }

    /// Digits of the largest number with that many bytes. A digit has 5.954196 bits.
    private static func count(for bytes: Int) -> Int { (bytes * 8_000_000 + 5_954_195) / 5_954_196 }
}
