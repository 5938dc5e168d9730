/// Why a database was not opened. The text is for the operator who started the server.
package enum OpeningFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The data directory cannot be created, read or restricted to its owner.
    case directory(path: String, reason: String)
    /// Another process holds the data directory (DUR-11).
    case inUse(path: String)
    /// The file is not a database, or is damaged; it was left unchanged (DUR-09).
    case damaged(path: String, reason: String)
    /// There was a database in this directory, and now its file is missing or empty.
    case lost(path: String)
    /// Acknowledged commits are missing from the files, which were left unchanged.
    case commitsLost(path: String, CommitLoss)
    /// The file is the database of another program.
    case foreign(path: String, applicationID: Int)
    /// Its pages have no checksums: an earlier build or another program made it, or its header page is damaged.
    case withoutChecksums(path: String)
    /// A later version of the server has used this database.
    case newer(path: String, version: Int, known: Int)
    /// An applied migration was edited.
    case altered(migration: String)
    /// The folder of migrations cannot be read or used.
    case migrations(path: String, reason: String)
    /// A migration failed; the database is at the one before.
    case migrationFailed(migration: String, reason: String)
    /// A setting that durability depends on did not take effect (DUR-01).
    case setting(name: String, value: String)
    /// SQLite refused a step; `code` is its own number.
    case failed(path: String, code: Int, operation: String)

    package var description: String {
        switch self {
        case .directory(let path, let reason): "data directory \(path): \(reason)"
        case .inUse(let path): "data directory \(path) is in use by another process"
        case .damaged(let path, let reason):
            "database \(path) is damaged (\(reason)); restore a backup, the files were left untouched"
        case .lost(let path):
            "database \(path) is missing or empty, and this data directory has had one: restore a backup; to begin again with nothing, run `holdfast serve --accept-empty-database` once"
        case .commitsLost(let path, let loss):
            "database \(path): \(loss). Restore a backup; to go on without what is missing, \(loss.isAcceptable ? "" : "remove holdfast.db-wal and holdfast.db-shm and ")run `holdfast serve --accept-lost-commits` once. The files were left untouched"
        case .foreign(let path, let id):
            "\(path) is not a Holdfast database (application_id \(id)); the files were left untouched"
        case .withoutChecksums(let path):
            "the pages of database \(path) have no checksums: it was made by a development build from before there were any, or its first page is damaged; start with a new data directory, or restore a backup. The files were left untouched"
        case .newer(let path, let version, let known):
            "database \(path) is at migration \(version), this version knows \(known): run the newer version"
        case .altered(let migration):
            "migration \(migration) was changed after it was applied: restore the file as it was released"
        case .migrations(let path, let reason): "migrations in \(path): \(reason)"
        case .migrationFailed(let migration, let reason): "migration \(migration) failed: \(reason)"
        case .setting(let name, let value): "the database engine keeps \(name) at \(value)"
        case .failed(let path, let code, let operation): "database \(path): SQLite error \(code) in \(operation)"
        }
    }
}
