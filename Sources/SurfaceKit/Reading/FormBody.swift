internal import Text

/// A body of type `application/x-www-form-urlencoded`: names and values, each name once.
package struct FormBody: Sendable {
    private let fields: [(name: String, value: String)]
    /// Each is compared with those before it.
    private static let maxFields = 16

    package enum Defect: Error, Sendable, Equatable {
        case encoding
        case tooMany
        /// The name of the field, when it is one of those asked for.
        case twice(String?)
    }

    /// - Parameter known: names that may be repeated in an error.
    package init(_ body: [UInt8], known: [String]) throws(Defect) {
        var fields: [(name: String, value: String)] = []
        for pair in body.split(separator: UInt8(ascii: "&")) {
            guard fields.count < FormBody.maxFields else { throw .tooMany }
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormBody.decoded(parts[0]), let value = FormBody.decoded(parts.count == 2 ? parts[1] : [])
            else {
                throw .encoding
            }
            // A parameter must not be there twice (RFC 6749 section 3.2).
            guard !fields.contains(where: { $0.name.isSame(as: name) }) else {
                throw .twice(known.first { $0.isSame(as: name) })
            }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// The value; one without any counts as absent (RFC 6749 section 3.2).
    package subscript(name: String) -> String? {
        fields.first { $0.name.isSame(as: name) && !$0.value.isEmpty }?.value
    }

    /// Whether the field is there and has exactly this value.
    package func says(_ name: String, _ value: String) -> Bool {
        self[name]?.isSame(as: value) ?? false
    }

    /// Percent-decoded once, `+` as a blank; `nil` for a bad escape or what is no UTF-8.
    package static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): plain.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                plain.append(high << 4 | low)
            default: plain.append(byte)
            }
        }
        return String(validating: plain, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
