/// Writes JSON without white space into one growing buffer.
struct JSONWriter {
    private(set) var bytes: [UInt8]

    init() {
        bytes = []
        bytes.reserveCapacity(256)
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(true): append("true")
        case .bool(false): append("false")
        case .integer(let integer): write(integer)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): write(text)
        case .array(let elements): write(elements)
        case .object(let object): write(object)
        }
    }

    mutating func write(_ object: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.name)
            bytes.append(UInt8(ascii: ":"))
            write(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ integer: Int64) {
        bytes.append(contentsOf: String(integer).utf8)
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // Nearly every text is looked through and copied at once.
        let utf8 = text.utf8
        if Self.needsNoEscape(utf8.span) {
            bytes.append(contentsOf: utf8)
        } else {
            for byte in utf8 { appendEscaped(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Eight bytes are looked at in one word: tokens are long texts.
    private static func needsNoEscape(_ utf8: Span<UInt8>) -> Bool {
        var next = 0
        while next + 8 <= utf8.count {
            if needsEscape(utf8.bytes.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self)) { return false }
            next += 8
        }
        while next < utf8.count {
            if needsEscape(utf8[next]) { return false }
            next += 1
        }
        return true
    }

    /// Whether one of the eight bytes does.
    private static func needsEscape(_ word: UInt64) -> Bool {
        // A subtraction sets the high bit of the first byte that is below; one that had it before does not count.
        let controls = (word &- 0x2020_2020_2020_2020) & ~word
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let ones: UInt64 = 0x0101_0101_0101_0101
        let found = controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return found & 0x8080_8080_8080_8080 != 0
    }

    /// RFC 8259 section 7: quote, backslash and the controls below U+0020.
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0..<0x20:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xF
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        default: bytes.append(byte)
        }
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
