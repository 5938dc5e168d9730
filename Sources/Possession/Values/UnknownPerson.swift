internal import Text

/// A stand-in for the person of credentials that nobody has.
///
/// The session of such a person goes the way of every other: it counts, it waits for a code, it ends. Only no code is right, and
/// no message leaves. So whoever tries credentials does not learn whose are known.
package struct UnknownPerson: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of the digest.
    private static let length = 16
    /// Neither a number nor an e-mail address begins so.
    private static let mark: StaticString = "?"

    /// The credentials, made unreadable: the same ones give the same person.
    package let digest: [UInt8]
    /// `?` and 32 hexadecimal digits. Kept, because every key of a limit asks for it.
    package let text: String

    /// - Parameter digest: 16 bytes; `nil` for any other.
    package init?(digest: [UInt8]) {
        guard digest.count == Self.length else { return nil }
        self.digest = digest
        text = Self.mark.description + Hex.text(digest)
    }

    /// Reads what `text` wrote; `nil` for anything else.
    init?(_ text: String) {
        guard text.utf8.starts(with: Self.mark.description.utf8),
            let digest = Hex.bytes(String(decoding: text.utf8.dropFirst(), as: UTF8.self))
        else { return nil }
        self.init(digest: digest)
    }

    package var description: String { "nobody" }
}
