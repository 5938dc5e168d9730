/// The text of a statement, for SQLite and PostgreSQL. The parameters are `?1`, `?2` and so on; `Parameters` gives them
/// their values in this order.
///
///     static let find: Statement = "SELECT record_sealed FROM sessions WHERE auth_id = ?1"
///
/// SQLite runs transactions one after another; PostgreSQL runs them at the same time. There a transaction that changes
/// something because of a row must lock that row when it reads it (`locking`), or insert it (`claiming`), or name what
/// it counts (`LockName`).
package struct Statement: Sendable, ExpressibleByStringLiteral {
    /// How a statement protects its transaction while others run at the same time.
    package enum Use: Sendable {
        case plain
        case locking
        case claiming
    }

    package let text: StaticString
    /// Another text for PostgreSQL, with the same parameters; `nil`: `text` serves both.
    package let postgres: StaticString?
    package private(set) var use = Use.plain

    package init(_ text: StaticString, postgres: StaticString? = nil) {
        self.text = text
        self.postgres = postgres
    }

    package init(stringLiteral text: StaticString) {
        self.init(text)
    }

    /// The same query; its rows stay locked until the end of the transaction. In `Database.read` it locks nothing.
    package var locking: Statement { used(.locking) }

    /// The same insert of a row that the transaction did not find. If another transaction has inserted it in the
    /// meantime, or removed a row that it refers to, this transaction runs again.
    package var claiming: Statement { used(.claiming) }

    private func used(_ use: Use) -> Statement {
        var statement = self
        statement.use = use
        return statement
    }
}
