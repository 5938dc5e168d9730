internal import Administration
internal import PostgresStorage
internal import SQLiteStorage
internal import Storage

/// `holdfast database copy`: moves the data of a SQLite database to a PostgreSQL.
struct DatabaseMove {
    /// Tables of SQLite's own care, which PostgreSQL does not have.
    private static let ofSQLite: Set<String> = [
        "clock_mark", "commit_mark", "probes", "integrity_check", "migrations",
    ]

    let configuration: Configuration
    let database: Configuration.Database
    /// The data directory of the SQLite database.
    let directory: String

    /// Copies all tables, and marks the directory.
    /// - Returns: lines for the operator.
    func run() throws(StartFault) -> [String] {
        do {
            return try copy()
        } catch let fault as StartFault {
            throw fault
        } catch let fault as PostgresOpeningFault {
            throw .failed("database.url: \(fault)")
        } catch let fault as OpeningFault {
            throw .failed(fault.description)
        } catch { throw .failed("storage: \(error)") }
    }

    private func copy() throws -> [String] {
        // Held to the end, so that no server starts on it.
        let held = try DataDirectory(directory)
        try ModeMark.compare(configuration.mode, in: held.path)
        try MovedMark.check(in: held.path)
        _ = try configuration.check(database)
        let reader = try TableReader(path: held.databasePath, migrations: configuration.data.migrations)
        let tables = try reader.tables().filter { !Self.ofSQLite.contains($0.name) }
        let writer = try TableWriter(database.address)
        let names = Set(writer.tables)
        if let other = tables.first(where: { !names.contains($0.name) }) {
            throw StartFault.failed("PostgreSQL has no table \(other.name)")
        }
        var rows = 0
        for name in writer.tables {
            guard let table = tables.first(where: { $0.name == name }) else {
                throw StartFault.failed("\(directory) has no table \(name)")
            }
            try writer.fill(name, table.columns.map { ($0.name, $0.type) }) { body in
                rows += try reader.read(table, body)
            }
        }
        // Before the commit: a crash between the two must not leave two databases that servers change.
        try MovedMark.write(in: held.path)
        do { try writer.commit() } catch {
            throw StartFault.failed(
                "database.url: \(error): it is not known whether the copy is stored. If the tables are empty, remove \(held.path)/moved and copy again"
            )
        }
        return [
            "copied \(rows) rows of \(tables.count) tables from \(directory), and compared them",
            "start the server with database.url and the same master key; no server starts on \(directory)/holdfast.db any more",
        ]
    }
}
