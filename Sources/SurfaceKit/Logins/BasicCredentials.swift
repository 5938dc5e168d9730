package import HTTPServer
internal import Text

/// Name and password of `Authorization: Basic` (RFC 7617). OAuth clients form-encode both first (RFC 6749 section
/// 2.3.1).
package struct BasicCredentials: Sendable {
    package let name: String
    package let password: String

    /// `nil`: malformed.
    package init?(_ word: String) {
        guard let bytes = BasicCredentials.decoded(word), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let name = PercentCoding.decodeForm(bytes[..<colon]),
            let password = PercentCoding.decodeForm(bytes[(colon + 1)...])
        else { return nil }
        self.name = name
        self.password = password
    }

    /// The same for callers that do not form-encode (RFC 7617). `nil`: also if the bytes are not UTF-8.
    package init?(plain word: String) {
        guard let bytes = BasicCredentials.decoded(word), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let name = String(validating: bytes[..<colon], as: UTF8.self),
            let password = String(validating: bytes[(colon + 1)...], as: UTF8.self)
        else { return nil }
        self.name = name
        self.password = password
    }

    /// The same from a request's only field `Authorization`; `nil`: also if the field is missing.
    package init?(plainOf request: Request) {
        guard request.headers.count("authorization") == 1, let value = request.headers.bytes("authorization"),
            let word = Credentials(value).token(of: "basic")
        else { return nil }
        self.init(plain: word)
    }

    /// base64 (RFC 4648 section 4), padding optional.
    private static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var pending: UInt32 = 0
        var bits = 0
        let characters = Array(text.utf8)
        guard let end = characters.lastIndex(where: { $0 != UInt8(ascii: "=") }), characters.count - 1 - end <= 2 else {
            return nil
        }
        for character in characters[...end] {
            guard let value = value(of: character) else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        return bits < 6 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 65...90: character - 65
        case 97...122: character - 71
        case 48...57: character + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
