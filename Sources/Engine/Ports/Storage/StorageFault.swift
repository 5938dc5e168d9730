// Durable storage, as the services need it. `Storage` implements it. `Tests/StoreContractTests` checks every
// store against the rules here.
//
// A method returns only when its effect survives a crash, and no database type appears in its signature. A method is
// one step: other callers see all of its effect or nothing, and a method that throws has had no effect. A rule
// (`update`, `insert(counting:)`, `count`, `updateTenant`) may run more than once: in a batch that is repeated, or
// because another replica has changed the row since it was read. So a rule is a plain function of its inputs without
// side effects. The result of its last run is stored and returned.

/// Why the store failed. Nothing was changed, with one exception: after `.failed` of a write, the change may be stored,
/// if the process ended before it could report that.
package enum StorageFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The disk is full or too many changes wait. Nothing was changed, and a later try may pass.
    case overloaded
    /// A stored value breaks a rule of the domain. `what` names table and column, never the value.
    case corrupt(what: String)
    /// The database reported an error: its error number, the operation and the database's text. Never a stored or bound
    /// value.
    case failed(code: Int, operation: String)
    /// The key of a new row already exists.
    case duplicate

    /// For the log and for operators.
    package var description: String {
        switch self {
        case .overloaded: "the disk is full, or too many changes wait"
        case .corrupt(let what): "\(what) holds a damaged value"
        case .failed(0, let operation): operation
        case .failed(let code, let operation): "SQLite error \(code) in \(operation)"
        case .duplicate: "the key of a new row is taken"
        }
    }
}
