internal import Engine
internal import Possession
internal import Storage

/// Table `migrations`, created here because it must exist before the first migration.
enum MigrationsTable {
    private enum SQL {
        static let create = """
            CREATE TABLE IF NOT EXISTS migrations (
                number        INTEGER PRIMARY KEY,
                name          TEXT NOT NULL,
                text          TEXT NOT NULL,  -- the whole file as it was applied
                applied_at_ms INTEGER NOT NULL
            ) STRICT
            """
        static let all: Statement = "SELECT number, name, text FROM migrations ORDER BY number"
        static let insert: Statement = """
            INSERT INTO migrations (number, name, text, applied_at_ms) VALUES (?1, ?2, ?3, ?4)
            """
    }

    static func all(_ connection: SQLiteConnection) throws(StorageFault) -> [MigrationFile] {
        try connection.all(SQL.all) { (row) throws(StorageFault) in
            MigrationFile(
                number: try row.count(1...9999, "migrations.number"), name: try row.text("migrations.name"),
                text: try row.text("migrations.text"))
        }
    }

    /// Records an applied migration, in its transaction.
    static func record(_ file: MigrationFile, at now: Timestamp, _ connection: SQLiteConnection) throws(StorageFault) {
        try connection.script(SQL.create)
        try connection.run(SQL.insert) {
            $0.integer(file.number)
            $0.text(file.name)
            $0.text(file.text)
            $0.time(now)
        }
        // A pragma takes no parameters; both values are numbers of the program.
        try connection.script("PRAGMA application_id = \(Opening.applicationID); PRAGMA user_version = \(file.number)")
    }
}
