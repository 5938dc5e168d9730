/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), with exactly one spelling for each byte string.
package enum Base64URL {
    private static let alphabet = Base64Alphabet(digits62And63: "-_")

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        alphabet.append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the encoded form of `bytes` to `text`.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) { alphabet.append(bytes, to: &text) }

    package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(Array(text.utf8)[...]) }

    /// `nil` for any other character, including padding and white space, for a length that no encoder produces, and for
    /// unused bits that are not 0: two texts must not mean the same bytes (TOK-07).
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { alphabet.decode(text) }
}
