/// A social security number as a caller gives it: complete, or its last four digits. `description` is redacted, because
/// it is personal data.
package struct PartialSSN: Sendable, Equatable, CustomStringConvertible {
    package let text: String

    /// `nil` unless nine or four ASCII digits.
    package init?(_ text: String) {
        guard [4, 9].contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        self.text = text
    }

    /// Whether the given digits are the last ones of `ssn`, which has nine. The time does not depend on where they
    /// differ.
    package func matches(_ ssn: String) -> Bool {
        guard Person.isSSN(ssn) else { return false }
        return constantTimeEqual(Array(text.utf8), Array(ssn.utf8.suffix(text.utf8.count)))
    }

    package var description: String { "<ssn>" }
}
