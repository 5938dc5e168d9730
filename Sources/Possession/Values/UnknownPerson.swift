internal import Text

/// Stands for the person of credentials that belong to no known person.
///
/// Such a session behaves like any other: it is counted, waits for a code and ends. But no code is right, and no
/// message is sent. So a caller who tries credentials does not learn which ones are known.
package struct UnknownPerson: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of the digest.
    private static let length = 16
    /// Neither a number nor an e-mail address begins with it.
    private static let mark: StaticString = "?"

    /// A digest of the credentials: the same credentials give the same person.
    package let digest: [UInt8]
    /// `?` and 32 hexadecimal digits. Stored, because every limit key needs it.
    package let text: String

    /// - Parameter digest: 16 bytes; `nil` otherwise.
    package init?(digest: [UInt8]) {
        guard digest.count == Self.length else { return nil }
        self.digest = digest
        text = Self.mark.description + Hex.text(digest)
    }

    /// Reads the form of `text`; `nil` for any other text.
    init?(_ text: String) {
        guard text.utf8.starts(with: Self.mark.description.utf8),
            let digest = Hex.bytes(String(decoding: text.utf8.dropFirst(), as: UTF8.self))
        else { return nil }
        self.init(digest: digest)
    }

    package var description: String { "nobody" }
}
