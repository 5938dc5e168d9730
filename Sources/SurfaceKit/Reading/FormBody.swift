package import StrictJSON
internal import Text

/// A body of type `application/x-www-form-urlencoded`: names and values, each name once.
package enum FormBody {
    /// Each is compared with those before it.
    private static let maxFields = 16

    /// The fields as members. A reader takes a field without a value for absent (RFC 6749 section 3.2), as it does an
    /// empty text in JSON.
    /// - Parameter known: names that may be repeated in an error.
    package static func object(_ body: [UInt8], known: [String]) throws(BodyDefect) -> JSONObject {
        var object = JSONObject()
        var count = 0
        for pair in body.split(separator: UInt8(ascii: "&")) {
            guard count < maxFields else { throw .malformed(reason: "it has too many fields") }
            count += 1
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = decoded(parts.count == 2 ? parts[1] : []) else {
                throw .malformed(reason: "it is not form-encoded UTF-8")
            }
            // A parameter must not be there twice (RFC 6749 section 3.2).
            guard object[name] == nil else { throw .repeated(known.first { $0.isSame(as: name) }) }
            object[name] = .string(value)
        }
        return object
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
