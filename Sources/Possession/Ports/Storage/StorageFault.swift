// Durable storage, as the services need it. `SQLiteStorage` implements it; `Tests/StoreContractTests` holds every store to
// what is written here.
//
// A method returns only when its effect survives a crash, and no type of a database crosses. A method is one step: others
// see all of its effect or nothing, and one that throws has had none. A rule (`update`, `insert(counting:)`, `count`,
// `updateTenant`) may run more than once: in a batch that is run again, or because another replica has changed the row
// since it was read. So a rule is a plain function of what it is shown, and does nothing outside. The result of its last
// run is what is stored and given back.

/// Why the store could not answer. Whatever it is, nothing was changed; only after `.failed` of a write may a change that
/// was under way turn out to be stored, when the process ends before it could tell.
package enum StorageFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The disk is full or too many changes wait; nothing was changed, and a later try may pass.
    case overloaded
    /// A stored value breaks a rule of the domain. `what` names table and column, never the value.
    case corrupt(what: String)
    /// The database reported an error: its own number, what was being done, and its words. Never a stored or bound value.
    case failed(code: Int, operation: String)
    /// The key of a new row is taken.
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
