internal import Text

/// Credentials by which a person is found: texts by name, ordered by name, each name once.
package struct Identification: Sendable, Equatable {
    package static let mostEntries = 32
    package static let longestName = 64
    package static let longestValue = 256

    package struct Entry: Sendable, Hashable {
        package let name: String
        /// Without blanks at its ends, because people type them and files contain them unnoticed.
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = TypedText.trimmed(value)
        }

        package static func == (left: Entry, right: Entry) -> Bool {
            left.name.isSame(as: right.name) && left.value.isSame(as: right.value)
        }

        package func hash(into hasher: inout Hasher) {
            for text in [name, value] {
                hasher.combine(text.utf8.count)
                for byte in text.utf8 { hasher.combine(byte) }
            }
        }
    }

    package let entries: [Entry]

    /// - Parameter entries: at least one, each with a name, lengths in bytes within the bounds; otherwise `nil`.
    package init?(_ entries: [Entry]) {
        guard (1...Self.mostEntries).contains(entries.count),
            entries.allSatisfy({
                (1...Self.longestName).contains($0.name.utf8.count) && $0.value.utf8.count <= Self.longestValue
            })
        else { return nil }
        let sorted = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        guard zip(sorted, sorted.dropFirst()).allSatisfy({ !$0.name.isSame(as: $1.name) }) else { return nil }
        self.entries = sorted
    }

    /// Whether it contains all entries of another one.
    package func says(allOf other: Identification) -> Bool {
        var rest = entries[...]
        for wanted in other.entries {
            rest = rest.drop { $0.name.utf8.lexicographicallyPrecedes(wanted.name.utf8) }
            guard rest.first == wanted else { return false }
        }
        return true
    }
}
