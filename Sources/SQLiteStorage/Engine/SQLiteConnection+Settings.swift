internal import Engine
internal import Possession
internal import Storage

/// The settings that durability and erasure depend on (DUR-01, DUR-04, DAT-05), set and read back.
extension SQLiteConnection {
    private enum SQL {
        static let applicationID: Statement = "PRAGMA application_id"
        static let version: Statement = "PRAGMA user_version"
        static let tables: Statement = "SELECT count(*) FROM sqlite_schema"
        static let quickCheck: Statement = "PRAGMA quick_check(1)"
        static let fullCheck: Statement = "PRAGMA integrity_check(1)"
        static let pageSize: Statement = "PRAGMA page_size"
        static let journalMode: Statement = "PRAGMA journal_mode"
        static let synchronous: Statement = "PRAGMA synchronous"
        static let foreignKeys: Statement = "PRAGMA foreign_keys"
        static let busyTimeout: Statement = "PRAGMA busy_timeout"
        static let secureDelete: Statement = "PRAGMA secure_delete"
        static let checkpointing: Statement = "PRAGMA wal_autocheckpoint"
        /// With FULL, each commit syncs the WAL; temporary data is not written to files. The cache is 2 MiB, because
        /// the system caches the rest: 8 MiB were not faster and stayed resident.
        /// No page is written to the WAL before its transaction ends. Up to SQLite 3.40, a page that was written early
        /// and then rolled back to a savepoint could leave a commit with wrong checksums; a start after a crash drops
        /// it and everything after it.
        /// A WAL that grew because of a reader is cut to 64 MiB when it starts again.
        static let writer = """
            PRAGMA busy_timeout = 5000;
            PRAGMA journal_size_limit = 67108864;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -2048;
            PRAGMA cache_spill = OFF;
            """
        static let reader = """
            PRAGMA busy_timeout = 5000;
            PRAGMA query_only = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA schema_version;
            """
    }

    struct Header {
        let applicationID: Int
        let version: Int
        /// Number of tables, no matter which program made them: an empty file has none.
        let tables: Int
    }

    func header() throws(StorageFault) -> Header {
        Header(
            applicationID: try number(SQL.applicationID), version: try number(SQL.version),
            tables: try number(SQL.tables))
    }

    /// `ok`, or the first error in the file.
    func quickCheck() throws(StorageFault) -> String {
        try word(SQL.quickCheck)
    }

    /// The same, and also whether the indexes match the tables.
    func fullCheck() throws(StorageFault) -> String {
        try word(SQL.fullCheck)
    }

    /// In bytes.
    func pageSize() throws(StorageFault) -> Int { try number(SQL.pageSize) }

    func configureWriter() throws(StorageFault) {
        try script(SQL.writer)
        // Changing the journal mode has re-enabled SQLite's own checkpoints; only the writer may checkpoint.
        stopOwnCheckpoints()
    }

    func configureReader() throws(StorageFault) {
        // The last step reads the header page.
        try script(SQL.reader)
        guard hasPageChecksums != false else { throw headIsDamaged() }
    }

    /// The first setting that is not as required.
    func wrongSettings(inMemory: Bool) throws(StorageFault) -> (name: String, value: String)? {
        let mode = try word(SQL.journalMode)
        if mode != (inMemory ? "memory" : "wal") { return ("journal_mode", mode) }
        for (name, sql, expected) in [
            ("synchronous", SQL.synchronous, 2), ("foreign_keys", SQL.foreignKeys, 1),
            ("busy_timeout", SQL.busyTimeout, 5000), ("secure_delete", SQL.secureDelete, 1),
            ("wal_autocheckpoint", SQL.checkpointing, 0),
        ] {
            let value = try number(sql)
            if value != expected { return (name, String(value)) }
        }
        return nil
    }

    private func number(_ sql: Statement) throws(StorageFault) -> Int {
        Int(try first(sql) { (row) throws(StorageFault) in try row.integer("pragma") } ?? 0)
    }

    private func word(_ sql: Statement) throws(StorageFault) -> String {
        try first(sql) { (row) throws(StorageFault) in try row.text("pragma") } ?? ""
    }

    func script(_ text: String) throws(StorageFault) {
        do throws(SQLiteFailure) { try runScript(text) } catch { throw error.fault }
    }
}
