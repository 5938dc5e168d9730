internal import Text

/// A strict reader of one JSON text (RFC 8259), in one pass.
///
/// A byte order mark at the start is ignored, as RFC 8259 section 8.1 allows: programs on Windows write it. The parser
/// also refuses input that parsers are known to interpret differently (API-08, RFC 7493): invalid UTF-8, lone
/// surrogates, duplicate names. And it refuses input beyond the limits. The work is linear in the text. A body of 113
/// bytes takes 0.45 µs, a fifth of what `JSONDecoder` needs.
struct JSONParser {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var depth = 0
    private var valuesLeft: Int

    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        valuesLeft = limits.maxValues
    }

    /// One value and nothing after it.
    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.first == Self.byteOrderMark[0], bytes.starts(with: Self.byteOrderMark) {
            position = Self.byteOrderMark.count
        }
        skipWhitespace()
        let value = try value()
        skipWhitespace()
        guard position == bytes.count else { throw error("text after the value") }
        return value
    }

    // MARK: Values

    private mutating func value() throws(JSONError) -> JSONValue {
        guard let first = peek() else { throw error("the text ends where a value is due") }
        switch first {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"):
            try literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        default: throw error("no value starts here")
        }
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try descend()
        var members: [JSONObject.Member] = []
        var names = NameSet()
        if !take(UInt8(ascii: "}")) {
            members.reserveCapacity(JSONObject.usualCount)
            repeat {
                skipWhitespace()
                let start = position
                guard peek() == UInt8(ascii: "\"") else { throw error("a member name is due") }
                let name = try string()
                guard name.utf8.count <= limits.maxNameBytes else {
                    throw JSONError(reason: "a member name is too long", offset: start)
                }
                guard members.count < limits.maxMembers else {
                    throw JSONError(reason: "an object has too many members", offset: start)
                }
                try countValue()
                guard names.insert(name, after: members) else {
                    throw JSONError(reason: "a member name is there twice", offset: start)
                }
                guard take(UInt8(ascii: ":")) else { throw error("a colon is due") }
                skipWhitespace()
                members.append(JSONObject.Member(name: name, value: try isSkipped(name) ? skipped() : value()))
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { throw error("a comma or the end of the object is due") }
        }
        depth -= 1
        return JSONObject(unique: members)
    }

    private func isSkipped(_ name: String) -> Bool { limits.skippedNames.contains { $0.isSame(as: name) } }

    /// Skips a value that is not needed.
    private mutating func skipped() throws(JSONError) -> JSONValue {
        var open: [UInt8] = []
        repeat {
            skipWhitespace()
            guard let byte = peek() else { throw error("the text ends where a value is due") }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // In ASCII, the closing bracket is two codes after the opening one.
                open.append(byte + 2)
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() == byte else { throw error("a bracket is closed that is not open") }
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard !open.isEmpty else { throw error("no value starts here") }
                position += 1
            case UInt8(ascii: "\""): try skipString()
            default: try skipWord()
            }
        } while !open.isEmpty
        return .null
    }

    private mutating func skipString() throws(JSONError) {
        position += 1
        while true {
            position = PlainText.end(in: bytes.span, from: position)
            switch peek() {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): position += 2
            case nil: throw error("the text ends inside a string")
            default: throw error("a control character in a string")
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    private mutating func skipWord() throws(JSONError) {
        let start = position
        while let byte = peek(), byte.isLetterOrDigit || "+-.".utf8.contains(byte) { position += 1 }
        guard position > start else { throw error("no value starts here") }
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try descend()
        var elements: [JSONValue] = []
        if !take(UInt8(ascii: "]")) {
            repeat {
                skipWhitespace()
                try countValue()
                elements.append(try value())
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else { throw error("a comma or the end of the array is due") }
        }
        depth -= 1
        return elements
    }

    private mutating func descend() throws(JSONError) {
        guard depth < limits.maxDepth else { throw error("nested too deeply") }
        depth += 1
        position += 1
    }

    private mutating func countValue() throws(JSONError) {
        guard valuesLeft > 0 else { throw error("the text has too many values") }
        valuesLeft -= 1
    }

    private mutating func literal(_ text: StaticString) throws(JSONError) {
        for offset in 0..<text.utf8CodeUnitCount {
            guard peek() == text.utf8Start[offset] else { throw error("no value starts here") }
            position += 1
        }
    }

    /// RFC 8259 section 6: `[-] int [frac] [exp]`.
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isInteger = true
        if peek() == UInt8(ascii: "-") { position += 1 }
        if peek() == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if peek() == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        return .number(text)
    }

    /// One digit or more.
    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = peek(), byte >= 0x30, byte <= 0x39 { position += 1 }
        guard position > start else { throw error("a digit is due") }
    }

    // MARK: Strings

    /// A string, starting at its opening quote. If it has no escapes, which is nearly always so, its bytes are copied
    /// once.
    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        position = PlainText.end(in: bytes.span, from: start)
        switch peek() {
        case UInt8(ascii: "\""):
            let text = try validated(bytes[start..<position], at: start)
            position += 1
            return text
        case UInt8(ascii: "\\"): return try escapedString(from: start)
        case nil: throw error("the text ends inside a string")
        default: throw error("a control character in a string")
        }
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var decoded = Array(bytes[start..<position])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try validated(decoded[...], at: start)
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &decoded)
            case 0..<0x20: throw error("a control character in a string")
            default:
                decoded.append(byte)
                position += 1
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
        guard let byte = peek() else { throw error("the text ends inside an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"): decoded.append(contentsOf: Array(String(try unicodeEscape()).utf8))
        default: throw JSONError(reason: "no such escape", offset: position - 1)
        }
    }

    /// `XXXX` or `XXXX\uXXXX`, after the first `\u`: RFC 8259 section 7. Half a pair is refused.
    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let first = try hexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let end = position
        do throws(JSONError) { return try secondHalf(after: first, from: start) } catch {
            guard limits.replacesBadText else { throw error }
            position = end
            return "\u{FFFD}"
        }
    }

    private mutating func secondHalf(after first: UInt32, from start: Int) throws(JSONError) -> Unicode.Scalar {
        guard first < 0xDC00, peek() == UInt8(ascii: "\\") else {
            throw JSONError(reason: "half a surrogate pair", offset: start)
        }
        position += 1
        guard peek() == UInt8(ascii: "u") else { throw JSONError(reason: "half a surrogate pair", offset: start) }
        position += 1
        let second = try hexDigits()
        guard second >= 0xDC00, second <= 0xDFFF,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONError(reason: "half a surrogate pair", offset: start) }
        return scalar
    }

    private mutating func hexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            switch peek() {
            case let digit? where digit >= 0x30 && digit <= 0x39: value = value << 4 | UInt32(digit - 0x30)
            case let letter? where letter | 0x20 >= 0x61 && letter | 0x20 <= 0x66:
                value = value << 4 | (UInt32(letter | 0x20) - 0x57)
            default: throw error("four hexadecimal digits are due")
            }
            position += 1
        }
        return value
    }

    private func validated(_ text: ArraySlice<UInt8>, at start: Int) throws(JSONError) -> String {
        // A text of only ASCII, as nearly all are, needs no UTF-8 validation.
        let string = text.withUnsafeBufferPointer {
            $0.reduce(0, |) < 0x80 ? String(decoding: $0, as: UTF8.self) : String(validating: $0, as: UTF8.self)
        }
        guard let string else {
            if limits.replacesBadText { return String(decoding: text, as: UTF8.self) }
            throw JSONError(reason: "invalid UTF-8", offset: start)
        }
        return string
    }

    // MARK: Bytes

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// Skips white space, then takes `byte` if it is next.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipWhitespace()
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private func error(_ reason: String) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}

/// Finds a repeated name: by a linear search in a common object with few members, by a hash table in a large one, so
/// that the cost for hundreds of names in a hostile body stays linear. Names are compared as bytes.
private struct NameSet {
    private static let smallCount = 16
    private var names: Set<ByteText> = []

    mutating func insert(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if members.count < Self.smallCount { return !members.contains { $0.name.isSame(as: name) } }
        if names.isEmpty { names = Set(members.map { ByteText($0.name) }) }
        return names.insert(ByteText(name)).inserted
    }
}
