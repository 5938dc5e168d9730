/// Named texts that a backend stores with a session for its own use. Only webhooks contain them, and no log does.
package struct SessionMetadata: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package static let mostEntries = 20

    /// In the backend's order.
    package let entries: [Entry]

    /// - Parameter entries: at most `mostEntries`, each name once.
    package init(_ entries: [Entry] = []) {
        precondition(entries.count <= Self.mostEntries, "more metadata than a session keeps")
        self.entries = entries
    }

    package var isEmpty: Bool { entries.isEmpty }
}
