package import StrictJSON
internal import Text

/// A body of type `application/x-www-form-urlencoded`: names and values, each name once.
package enum FormBody {
    /// Each name is compared with all names before it, so there must be few.
    private static let maxFields = 32

    /// The fields as members. A field without a value counts as absent (RFC 6749 section 3.2), as an empty text in JSON
    /// does.
    /// - Parameter known: names that may be repeated in an error.
    package static func object(_ body: [UInt8], known: [String]) throws(BodyDefect) -> JSONObject {
        var object = JSONObject()
        var count = 0
        for pair in body.split(separator: UInt8(ascii: "&")) {
            guard count < maxFields else { throw .malformed(reason: "it has too many fields") }
            count += 1
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decodeForm(parts[0]),
                let value = PercentCoding.decodeForm(parts.count == 2 ? parts[1] : [])
            else {
                throw .malformed(reason: "it is not form-encoded UTF-8")
            }
            // A parameter must not be repeated (RFC 6749 section 3.2).
            guard object[name] == nil else { throw .repeated(known.first { $0.isSame(as: name) }) }
            object[name] = .string(value)
        }
        return object
    }
}
