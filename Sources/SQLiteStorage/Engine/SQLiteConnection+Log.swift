internal import CSQLite
internal import Text

/// Facts about the write-ahead log, and about the file without the log, that `Commits` needs.
extension SQLiteConnection {
    /// Salts and running checksum of the last frame of a log with `frames` frames (sqlite.org/fileformat2.html section
    /// 4.1); `nil`: it cannot be read.
    func logEnd(frames: Int, pageBytes: Int) -> (salts: UInt64, checksum: UInt64)? {
        // Page number and size of the database, salts, checksum: three times two numbers of 32 bits.
        var head: (UInt64, UInt64, UInt64) = (0, 0, 0)
        let offset = 32 + (frames - 1) * (24 + pageBytes)
        guard csqlite_read_log(handle, &head, 24, Int64(offset)) == SQLITE_OK else { return nil }
        return (UInt64(bigEndian: head.1), UInt64(bigEndian: head.2))
    }

    /// Makes the length of the log durable: SQLite truncates it but does not sync that. `false`: the system refused.
    @discardableResult
    func syncLog() -> Bool { csqlite_sync_log(handle) == SQLITE_OK }

    /// Opens a database file as it is, without its log and without a lock (sqlite.org/uri.html, `immutable`). `nil`: it
    /// cannot be opened.
    static func readingFileOnly(_ path: String) -> SQLiteConnection? {
        // Every character with a meaning in a URI is escaped.
        let uri = "file:" + PercentCoding.encode(path, keeping: "/")
        return try? SQLiteConnection(path: uri + "?immutable=1", .fileOnly)
    }

    /// Sets whether a transaction waits for another process that writes.
    func waitForWriters(_ waits: Bool) {
        sqlite3_busy_timeout(handle, waits ? SQLiteConnection.busyTimeout : 0)
    }
}
