internal import HTTPServer
internal import Text

/// The value of an `Authorization` field: a scheme, blanks, and one word (RFC 9110 section 11.4).
package struct Credentials: Sendable {
    private let scheme: ArraySlice<UInt8>
    private let word: ArraySlice<UInt8>

    /// - Parameter value: the bytes of the field, without blanks at the ends.
    package init(_ value: ArraySlice<UInt8>) {
        scheme = value.prefix { $0 != UInt8(ascii: " ") }
        word = value[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
    }

    /// The token, if it was sent under that scheme (given in lower case, compared without case) and is one word of
    /// visible ASCII.
    package func token(of expected: StaticString) -> String? {
        let name = UnsafeBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount)
        guard scheme.elementsEqual(name, by: { $0 == $1 || $0 | 0x20 == $1 && $0.isLetterOrDigit }) else {
            return nil
        }
        guard !word.isEmpty, Octets.isOneWord(word.span) else { return nil }
        return String(decoding: word, as: UTF8.self)
    }
}
