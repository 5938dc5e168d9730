internal import Possession
internal import Records

/// The steps from a path to a connection that may write: is the file ours and whole, are the settings on, is the schema
/// there.
///
/// Nothing in the file is changed before it has been looked at: all of it, up to a size (DUR-09).
struct Opening {
    /// "Hold", in the header of every database of ours (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x486F_6C64

    let path: String
    let inMemory: Bool
    /// Whether the file may be missing or empty.
    var mayBeNew = true
    /// A larger file is not read through here.
    var mostBytesToCheck = Int.max

    /// Whether the start reads the whole file, which takes a second or more for each 100 MB of a cold disk.
    var checksAll: Bool { inMemory || SystemFiles.size(of: path) <= mostBytesToCheck }

    func open(migrations folder: String, now: Timestamp) throws(OpeningFault) -> sending Connection {
        let files = try MigrationFile.all(in: folder)
        // Before it is opened: that would make a missing file, and remove the log beside an empty one.
        if !mayBeNew && SystemFiles.size(of: path) == 0 { throw .lost(path: path) }
        let connection: Connection
        do { connection = try Connection(path: path, .writer) } catch { throw refusal(error.fault) }
        if !inMemory { try DataDirectory.restrict(path) }
        let version = try inspect(connection, known: files.count)
        try configure(connection)
        try Migrator(files: files, opening: self).migrate(connection, from: version, now: now)
        return connection
    }

    /// The number of applied migrations of a file that is ours and whole.
    private func inspect(_ connection: Connection, known: Int) throws(OpeningFault) -> Int {
        let header = try step { () throws(StorageFault) in try connection.header() }
        let isNew = header.applicationID == 0 && header.version == 0 && header.tables == 0
        guard isNew || header.applicationID == Opening.applicationID else {
            throw .foreign(path: path, applicationID: header.applicationID)
        }
        guard mayBeNew || !isNew else { throw .lost(path: path) }
        guard header.version <= known else { throw .newer(path: path, version: header.version, known: known) }
        guard checksAll else { return header.version }
        let finding = try step { () throws(StorageFault) in try connection.quickCheck() }
        guard finding == "ok" else { throw .damaged(path: path, reason: finding) }
        return header.version
    }

    private func configure(_ connection: Connection) throws(OpeningFault) {
        try step { () throws(StorageFault) in try connection.configureWriter() }
        let wrong = try step { () throws(StorageFault) in try connection.wrongSettings(inMemory: inMemory) }
        if let wrong { throw .setting(name: wrong.name, value: wrong.value) }
    }

    /// Runs a step of the engine and says its failure in the operator's terms.
    func step<Value>(_ body: () throws(StorageFault) -> Value) throws(OpeningFault) -> Value {
        do throws(StorageFault) { return try body() } catch { throw refusal(error) }
    }

    func refusal(_ fault: StorageFault) -> OpeningFault {
        switch fault {
        case .failed(let code, let operation):
            switch code & 0xFF {
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
