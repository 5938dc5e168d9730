/// The text of a statement for SQLite. `scripts/check-sql` shows which of them PostgreSQL takes, too. The parameters are
/// `?1`, `?2` and so on; `Parameters` gives them their values in this order.
///
///     static let find: Statement = "SELECT record_sealed FROM sessions WHERE auth_id = ?1"
package struct Statement: Sendable, ExpressibleByStringLiteral {
    package let text: StaticString

    @inlinable package init(stringLiteral text: StaticString) { self.text = text }
}
