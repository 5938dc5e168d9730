/// A text that is compared and hashed as bytes: the key type of sets and dictionaries for texts from callers.
///
/// `Set<String>` would hash by canonical equivalence, in time that grows with the square of a run of combining marks.
package struct ByteText: Sendable, Hashable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.text = text
    }

    package static func == (left: ByteText, right: ByteText) -> Bool {
        left.text.isSame(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The case with exactly these bytes as its raw value. `init(rawValue:)` compares by canonical equivalence.
    @inlinable
    package static func spelled(_ text: String) -> Self? {
        allCases.first { $0.rawValue.isSame(as: text) }
    }
}
