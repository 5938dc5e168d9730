internal import CSQLite
internal import Engine
internal import Possession
internal import Storage

/// Copies a database that may be in use, and checks copies (DUR-17).
package enum DatabaseCopy {
    /// Pages copied in one step: a megabyte.
    private static let pagesAtOnce: Int32 = 256

    /// Copies a database as it is at one moment, while a server may write to it. The copy is not synced to the disk
    /// yet.
    ///
    /// It reads in one transaction, during which no page leaves the write-ahead log: the log grows by everything that
    /// is written meanwhile. Each page is checked as it is read.
    /// - Parameters:
    ///   - path: of the database; it is not changed.
    ///   - copy: a path where no file exists yet.
    /// - Throws: `.failed`, `.damaged`, `.foreign`, `.withoutChecksums`.
    package static func make(from path: String, to copy: String) throws(OpeningFault) {
        let opening = Opening(path: path, inMemory: false)
        let source = try reader(of: path, opening)
        let target: SQLiteConnection
        do { target = try SQLiteConnection(path: copy, .writer) } catch {
            throw Opening(path: copy, inMemory: false).refusal(error.fault)
        }
        do throws(SQLiteFailure) {
            // An incomplete copy is thrown away, so no rollback is needed.
            try target.runScript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192")
            try source.runScript("BEGIN; SELECT count(*) FROM sqlite_schema")
            try copyPages(source, target)
            try source.runScript("COMMIT")
        } catch {
            throw opening.refusal(source.named(error).fault)
        }
    }

    private static func reader(of path: String, _ opening: Opening) throws(OpeningFault) -> SQLiteConnection {
        guard SystemFiles.size(of: path) > 0 else { throw .lost(path: path) }
        let connection: SQLiteConnection
        do { connection = try SQLiteConnection(path: path, .reader) } catch { throw opening.refusal(error.fault) }
        try opening.step { () throws(StorageFault) in try connection.configureReader() }
        let header = try opening.step { () throws(StorageFault) in try connection.header() }
        guard header.applicationID == Opening.applicationID else {
            throw .foreign(path: path, applicationID: header.applicationID)
        }
        return connection
    }

    private static func copyPages(_ source: SQLiteConnection, _ target: SQLiteConnection) throws(SQLiteFailure) {
        guard let copying = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw SQLiteFailure(code: sqlite3_extended_errcode(target.handle), operation: "a copy")
        }
        var code = SQLITE_OK
        while code == SQLITE_OK { code = sqlite3_backup_step(copying, pagesAtOnce) }
        let end = sqlite3_backup_finish(copying)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteFailure(code: code == SQLITE_DONE ? end : code, operation: "a copy")
        }
    }

    /// Reads a whole copy that no process writes to: each page, each row, each index.
    /// - Throws: `.damaged`, `.foreign`, `.withoutChecksums`, `.failed`.
    package static func check(_ path: String) throws(OpeningFault) -> DatabaseFacts {
        let opening = Opening(path: path, inMemory: false)
        guard let connection = SQLiteConnection.readingFileOnly(path) else {
            throw .failed(path: path, code: 0, operation: "open")
        }
        let header = try opening.step { () throws(StorageFault) in try connection.header() }
        guard header.applicationID == Opening.applicationID else {
            throw .foreign(path: path, applicationID: header.applicationID)
        }
        guard connection.hasPageChecksums == true else { throw .withoutChecksums(path: path) }
        let damaged = try opening.step { () throws(StorageFault) -> [Int] in
            do throws(SQLiteFailure) { return try PageScan.suspected(connection) } catch { throw error.fault }
        }
        guard damaged.isEmpty else { throw .damaged(path: path, reason: connection.note(damaged)) }
        let finding = try opening.step { () throws(StorageFault) in try connection.fullCheck() }
        guard finding.utf8.elementsEqual("ok".utf8) else { throw .damaged(path: path, reason: finding) }
        return try opening.step { () throws(StorageFault) in
            try DatabaseFacts(connection, migration: header.version, bytes: SystemFiles.size(of: path))
        }
    }
}

/// Facts about a database, to compare a copy with its original.
package struct DatabaseFacts: Sendable, Equatable {
    package struct Table: Sendable, Equatable {
        package let name: String
        package let rows: Int
    }

    /// The number of the last migration.
    package let migration: Int
    /// The number of the last commit.
    package let commits: Int
    /// Size of the file.
    package let bytes: Int
    /// Sorted by name.
    package let tables: [Table]
    /// Names of the master keys that open it; empty if it has no keyset yet.
    package let masterIDs: [[UInt8]]

    fileprivate init(_ connection: SQLiteConnection, migration: Int, bytes: Int) throws(StorageFault) {
        self.migration = migration
        self.bytes = bytes
        commits = try CommitMarkTable.find(connection).commits
        masterIDs = try KeysetsTable.masterIDs(connection)
        do throws(SQLiteFailure) {
            tables = try connection.checkedTables().dropFirst().map { (table) throws(SQLiteFailure) in
                Table(name: table.name, rows: try connection.count(of: table))
            }
        } catch { throw connection.named(error).fault }
    }
}
