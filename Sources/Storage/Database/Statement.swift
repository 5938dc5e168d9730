/// The text of a statement, in words that both engines take. Its parameters are `?1`, `?2` and so on, in the order of
/// their first use.
///
///     static let find: Statement = "SELECT record_sealed FROM sessions WHERE auth_id = ?1"
package struct Statement: Sendable, ExpressibleByStringLiteral {
    package let text: StaticString

    @inlinable package init(stringLiteral text: StaticString) { self.text = text }
}
