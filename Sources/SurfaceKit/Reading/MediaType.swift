internal import Text

/// The value of a `Content-Type` field (RFC 9110 section 8.3.1): the type, and the value of `charset`. Other parameters
/// are ignored.
///
///     application/json; charset="UTF-8"; profile=x;
package struct MediaType: Sendable {
    /// `type/subtype`, as sent.
    package let name: ArraySlice<UInt8>
    /// Without quotes.
    package private(set) var charsets: [[UInt8]] = []

    /// Longer than every type that callers send here.
    private static let maxBytes = 256

    /// `nil` for malformed parameters, and for a value that is too long.
    package init?(_ value: ArraySlice<UInt8>) {
        guard value.count <= Self.maxBytes else { return nil }
        let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
        name = value[..<end].trimmingBlanks()
        var rest = value[end...]
        while rest.popFirst() != nil {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            // An empty parameter is allowed between two semicolons and after the last one (RFC 9110 section 5.6.6).
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            let parameter = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest[parameter.endIndex...]
            guard rest.popFirst() == UInt8(ascii: "="), let text = Self.value(&rest) else { return nil }
            if parameter.isSameIgnoringCase(as: "charset") { charsets.append(text) }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        }
    }

    /// A token or a quoted string (RFC 9110 section 5.6.4), removed from the front of `rest`.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
            rest = rest[token.endIndex...]
            return token.isEmpty ? nil : Array(token)
        }
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped)
            default: text.append(byte)
            }
        }
        return nil
    }
}
