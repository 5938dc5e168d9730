internal import Engine
internal import Possession
internal import Records
internal import Storage

/// The steps from a path to a writable connection: check that the file is ours and intact, apply the settings, create
/// the schema.
///
/// Nothing in the file is changed before it was checked: all of it, up to a size (DUR-09).
struct Opening {
    /// "Hold", in the header of every database of ours (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x486F_6C64

    let path: String
    let inMemory: Bool
    /// Whether the file may be missing or empty.
    var mayBeNew = true
    /// The file that records up to which commit answers were given. `nil`: not checked.
    var witnessPath: String?
    /// Whether acknowledged commits may be missing.
    var acceptsLostCommits = false
    /// Records the pages that the connection finds damaged.
    var damaged = DamagedPages()
    /// A larger file is not read completely here.
    var mostBytesToCheck = Int.max

    /// Whether the start reads the whole file, which takes a second or more for each 100 MB of a cold disk.
    var checksAll: Bool { inMemory || SystemFiles.size(of: path) <= mostBytesToCheck }

    /// - Parameter commits: receives the files' state of commits.
    func open(
        migrations folder: String, now: Timestamp, commits: inout CommitCheck?
    ) throws(OpeningFault) -> sending SQLiteConnection {
        let files = try MigrationFile.all(in: folder)
        // Before it is opened: opening would create a missing file, and remove the log beside an empty one.
        if !mayBeNew && SystemFiles.size(of: path) == 0 { throw .lost(path: path) }
        // Before it is opened: SQLite drops the part of the log that it does not accept.
        if let witnessPath {
            do throws(SystemFiles.Refusal) {
                commits = try CommitCheck(clearingLogOf: path, witnessPath: witnessPath)
            } catch { throw .failed(path: path, code: 0, operation: "\(path)-wal cannot be emptied: \(error)") }
        }
        let connection: SQLiteConnection
        do { connection = try SQLiteConnection(path: path, .writer, noting: damaged) } catch {
            throw refusal(error.fault)
        }
        if !inMemory { try DataDirectory.restrict(path) }
        let version = try inspect(connection, known: files.count, &commits)
        try configure(connection)
        try Migrator(files: files, opening: self).migrate(connection, from: version, now: now)
        // A library with a different page format would leave the pages unchecked.
        if connection.hasPageChecksums == false { throw .setting(name: "page_size", value: "other than 4096") }
        return connection
    }

    /// The number of applied migrations of a file that is ours and intact.
    private func inspect(
        _ connection: SQLiteConnection, known: Int, _ commits: inout CommitCheck?
    ) throws(OpeningFault) -> Int {
        let header = try step { () throws(StorageFault) in try connection.header() }
        let isNew = header.applicationID == 0 && header.version == 0 && header.tables == 0
        guard isNew || header.applicationID == Opening.applicationID else {
            throw .foreign(path: path, applicationID: header.applicationID)
        }
        guard mayBeNew || !isNew else { throw .lost(path: path) }
        guard header.version <= known else { throw .newer(path: path, version: header.version, known: known) }
        if !isNew && connection.hasPageChecksums == false { throw .withoutChecksums(path: path) }
        commits?.isNew = isNew
        if try compare(connection, &commits) || !checksAll { return header.version }
        try checkPages(connection, commits)
        let finding = try step { () throws(StorageFault) in try connection.quickCheck() }
        guard finding == "ok" else { throw .damaged(path: path, reason: finding) }
        return header.version
    }

    /// Whether acknowledged commits are missing. `true`: they are, and that is accepted. Then the whole file was read,
    /// because a truncated log can leave pages of different times.
    private func compare(_ connection: SQLiteConnection, _ commits: inout CommitCheck?) throws(OpeningFault) -> Bool {
        try step { () throws(StorageFault) in try commits?.read(connection) }
        guard let loss = commits?.loss else { return false }
        guard acceptsLostCommits && loss.isAcceptable else { throw .commitsLost(path: path, loss) }
        try checkPages(connection, commits)
        let finding = try step { () throws(StorageFault) in try connection.fullCheck() }
        guard finding == "ok" else { throw .damaged(path: path, reason: finding) }
        return true
    }

    /// Checks every page of the file, unless the log has a newer version: a crash may have left that page incomplete.
    private func checkPages(_ connection: SQLiteConnection, _ commits: CommitCheck?) throws(OpeningFault) {
        guard !inMemory else { return }
        var damaged = try step { () throws(StorageFault) -> [Int] in
            do throws(SQLiteFailure) { return try PageScan.suspected(connection) } catch { throw error.fault }
        }
        guard !damaged.isEmpty else { return }
        let inLog = commits?.log.pages ?? []
        damaged.removeAll { inLog.contains($0) }
        guard damaged.isEmpty else { throw .damaged(path: path, reason: connection.note(damaged)) }
    }

    /// Creates the record of commits from now on.
    func record(
        _ commits: inout CommitCheck?, _ connection: SQLiteConnection
    ) throws(OpeningFault) -> sending CommitRecord? {
        guard let witnessPath else { return nil }
        do throws(StorageFault) {
            let record = try commits?.record(witnessPath, connection)
            return record
        } catch { throw refusal(error) }
    }

    private func configure(_ connection: SQLiteConnection) throws(OpeningFault) {
        try step { () throws(StorageFault) in try connection.configureWriter() }
        let wrong = try step { () throws(StorageFault) in try connection.wrongSettings(inMemory: inMemory) }
        if let wrong { throw .setting(name: wrong.name, value: wrong.value) }
    }

    /// Runs a step of SQLite and translates its failure for the operator.
    func step<Value>(_ body: () throws(StorageFault) -> Value) throws(OpeningFault) -> Value {
        do throws(StorageFault) { return try body() } catch { throw refusal(error) }
    }

    func refusal(_ fault: StorageFault) -> OpeningFault {
        switch fault {
        case .failed(let code, let operation):
            switch code & 0xFF {
            case _ where SQLiteFailure(code: Int32(truncatingIfNeeded: code), operation: "").isDamagedPage:
                .damaged(path: path, reason: operation)
            case 11: .damaged(path: path, reason: "malformed")
            case 26: .damaged(path: path, reason: "not a database")
            default: .failed(path: path, code: code, operation: operation)
            }
        case .overloaded: .failed(path: path, code: 13, operation: "the disk is full")
        case .corrupt(let what): .damaged(path: path, reason: what)
        case .duplicate: .failed(path: path, code: 19, operation: "unique")
        }
    }
}
