internal import Possession

/// The settings durability and erasure rest on (DUR-01, DUR-04, DAT-05), set and read back.
extension Connection {
    private enum SQL {
        static let applicationID: StaticString = "PRAGMA application_id"
        static let version: StaticString = "PRAGMA user_version"
        static let tables: StaticString = "SELECT count(*) FROM sqlite_schema"
        static let quickCheck: StaticString = "PRAGMA quick_check(1)"
        static let fullCheck: StaticString = "PRAGMA integrity_check(1)"
        static let pageSize: StaticString = "PRAGMA page_size"
        static let journalMode: StaticString = "PRAGMA journal_mode"
        static let synchronous: StaticString = "PRAGMA synchronous"
        static let foreignKeys: StaticString = "PRAGMA foreign_keys"
        static let busyTimeout: StaticString = "PRAGMA busy_timeout"
        static let secureDelete: StaticString = "PRAGMA secure_delete"
        static let checkpointing: StaticString = "PRAGMA wal_autocheckpoint"
        /// Each FULL commit syncs the WAL; temporary data stays out of files. A cache of 2 MiB, as what is
        /// not in it the system has: 8 MiB were not faster, and resident.
        /// No page goes into the WAL before its transaction ends: up to 3.40, one that went there and was rolled back to a
        /// savepoint could leave a commit with wrong checksums, which a start after a crash drops with all behind it.
        /// A WAL that a reader has made grow is cut to 64 MiB when it starts again.
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
        /// Number of tables, whoever made them: an empty file has none.
        let tables: Int
    }

    func header() throws(StorageFault) -> Header {
        Header(
            applicationID: try number(SQL.applicationID), version: try number(SQL.version),
            tables: try number(SQL.tables))
    }

    /// `ok`, or the first thing that is wrong with the file.
    func quickCheck() throws(StorageFault) -> String {
        try word(SQL.quickCheck)
    }

    /// The same, and whether the indexes have what the tables have.
    func fullCheck() throws(StorageFault) -> String {
        try word(SQL.fullCheck)
    }

    /// In bytes.
    func pageSize() throws(StorageFault) -> Int { try number(SQL.pageSize) }

    func configureWriter() throws(StorageFault) {
        try script(SQL.writer)
        // Changing the journal mode has put the engine's own checkpoints back on: only the writer's loop makes them.
        stopOwnCheckpoints()
    }

    func configureReader() throws(StorageFault) {
        // The last step reads the head.
        try script(SQL.reader)
        guard hasPageChecksums != false else { throw headIsDamaged() }
    }

    /// The first setting that is not as it must be.
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

    private func number(_ sql: StaticString) throws(StorageFault) -> Int {
        Int(try first(sql) { (row) throws(StorageFault) in try row.integer("pragma") } ?? 0)
    }

    private func word(_ sql: StaticString) throws(StorageFault) -> String {
        try first(sql) { (row) throws(StorageFault) in try row.text("pragma") } ?? ""
    }

    func script(_ text: String) throws(StorageFault) {
        do throws(SQLiteFailure) { try runScript(text) } catch { throw error.fault }
    }
}
