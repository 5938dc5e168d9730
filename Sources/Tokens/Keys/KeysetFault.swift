package import Engine
internal import Possession

/// The keyset could not be opened or changed. Unless a case says otherwise, nothing was changed.
package enum KeysetFault: Error, Sendable {
    case storage(StorageFault)
    case token(TokenFault)
    case file(KeyFileFault)
    /// The master key opens no keyset of the database. Carries the ID of the file's key, and the IDs that the database
    /// accepts.
    case otherMaster(String, wanted: [String])
    /// The master key opens no value in a database from before keysets.
    case opensNothing
    /// The keyset exists but is damaged.
    case damaged(TokenFault)
    /// Another master key was added, and is waiting for a restart with it.
    case masterWaits(String)
    /// The key file cannot be replaced at its path.
    case cannotReplace(KeyFileFault)
    /// Another command is changing the keys.
    case busy

    /// A message for the operator, with the action to take.
    package var advice: String {
        switch self {
        case .storage(let fault): "the keyset cannot be read or stored: \(fault)"
        case .token(let fault): "the keyset cannot be made: \(fault)"
        case .file(let fault): fault.reason
        case .otherMaster(let id, let wanted):
            """
            the master key in keys.masterKeyFile has the id \(id), and the database asks for \
            \(wanted.joined(separator: " or ")): is the master key the one that this database was made with? A backup needs \
            the master key of its time
            """
        case .opensNothing:
            """
            the master key in keys.masterKeyFile opens nothing in the database: is the master key the one that this \
            database was made with?
            """
        case .damaged(let fault): "the keyset is damaged (\(fault)): restore a backup of the database"
        case .masterWaits(let id):
            """
            the master key \(id) was added and waits for a start with it: name its file in keys.masterKeyFile and restart, \
            or take it back by `holdfast keys rotate-master --new-key-file` with the file of the key in use
            """
        case .cannotReplace(let fault):
            "\(fault.reason): write a new key file by other means, and name it by --new-key-file"
        case .busy: "another order changes the keys just now: try again"
        }
    }
}
