/// Query and form parameters (`application/x-www-form-urlencoded`), spelled so that every reader agrees: all but the
/// unreserved characters of RFC 3986 section 2.3 as `%XX`, a blank as `%20`.
enum FormEncoding {
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        var text: [UInt8] = []
        for (name, value) in fields {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            append(name, to: &text)
            text.append(UInt8(ascii: "="))
            append(value, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// One part, spelled so.
    static func encoded(_ part: String) -> String {
        var text: [UInt8] = []
        append(part, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func append(_ part: String, to text: inout [UInt8]) {
        for byte in part.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.append(byte)
            default:
                text.append(UInt8(ascii: "%"))
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 0xF)])
            }
        }
    }
}
