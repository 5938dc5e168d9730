/// One numbered file of the `migrations` folder.
package struct MigrationFile: Sendable, Equatable {
    /// From 1, without gaps.
    package let number: Int
    /// `0001_sessions.sql`.
    package let name: String
    package let text: String

    package init(number: Int, name: String, text: String) {
        self.number = number
        self.name = name
        self.text = text
    }
}
