/// The text of a statement, for SQLite and PostgreSQL. The parameters are `?1`, `?2` and so on; `Parameters` gives them
/// their values in this order.
///
///     static let find: Statement = "SELECT record_sealed FROM sessions WHERE auth_id = ?1"
package struct Statement: Sendable, ExpressibleByStringLiteral {
    package let text: StaticString
    /// Another text for PostgreSQL, with the same parameters; `nil`: `text` serves both.
    package let postgres: StaticString?

    @inlinable package init(stringLiteral text: StaticString) {
        self.text = text
        postgres = nil
    }

    @inlinable package init(_ text: StaticString, postgres: StaticString) {
        self.text = text
        self.postgres = postgres
    }
}
