internal import Text

/// One JSON value (RFC 8259 section 3).
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number, in its original form.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text of a string, otherwise `nil`; the properties below do the same for their kinds.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of a number without a fractional part: `60`, and also `60.0` or `6e1` (JSON Schema 2020-12 core,
    /// 4.2.3).
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let text): Self.wholeValue(text)
        default: nil
        }
    }

    /// - Parameter text: a number in the form of RFC 8259. The result is `nil` unless its value is whole and fits 64
    ///   bits.
    private static func wholeValue(_ text: String) -> Int64? {
        // Longer texts, with more digits than 64 bits have plus an exponent, are refused.
        guard text.utf8.count <= 40 else { return nil }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let unsigned = text.utf8.dropFirst(isNegative ? 1 : 0)
        let mantissa = unsigned.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let exponentText = unsigned.dropFirst(mantissa.count + 1)
        guard let exponent = exponentText.isEmpty ? 0 : Int(String(decoding: exponentText, as: UTF8.self)) else {
            return nil
        }
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        var digits = Array(whole) + Array(mantissa.dropFirst(whole.count + 1))
        var point = whole.count
        guard exponent.magnitude <= 40 else { return nil }
        point += exponent
        while digits.count > max(0, point), digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.allSatisfy({ $0 == UInt8(ascii: "0") }) { return 0 }
        guard digits.count <= point else { return nil }
        digits += [UInt8](repeating: UInt8(ascii: "0"), count: point - digits.count)
        return Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

/// Texts are compared as bytes.
extension JSONValue {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left.isSame(as: right)
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue?)...) { self = .object(JSONObject(elements)) }
}

extension JSONValue {
    /// Reads exactly one value that fills `bytes`; white space around it is allowed.
    ///
    /// - Throws: `JSONError` for anything RFC 8259 or the rules of `JSONParser` refuse.
    package static func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes, limits: limits)
        return try parser.document()
    }

    /// The value as JSON without white space. Escapes only the characters that RFC 8259 section 7 requires.
    package func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
