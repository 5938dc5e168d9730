internal import CSQLite
internal import Possession

/// A result code of SQLite other than OK, with the step that got it. Never a bound value, never a row: a statement is the
/// text of ours with its `?1`, and the messages of SQLite name tables, columns and types.
struct SQLiteFailure: Error, Equatable {
    /// Extended result code (sqlite.org/rescode.html).
    let code: Int32
    /// Operation that failed, with SQLite's words and the statement where there are any.
    let operation: String

    init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// - Parameter connection: of the failure that was just returned, whose words it still has.
    init(code: Int32, operation: String, of statement: StaticString, on connection: OpaquePointer) {
        self.code = code
        let message = String(cString: sqlite3_errmsg(connection))
        let text = statement.description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        self.operation = "\(operation): \(message); \(text)"
    }

    /// Fault that the domain is told.
    var fault: StorageFault {
        switch code {
        case SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY: return .duplicate
        // The shared index of the WAL could not grow: the disk is full, and nothing that is durable was touched.
        case SQLITE_IOERR_SHMSIZE: return .overloaded
        default: break
        }
        switch code & 0xFF {
        // A step that found no memory was taken back, and may find some later.
        case SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM: return .overloaded
        default: return .failed(code: Int(code), operation: operation)
        }
    }

    /// Why a write was refused, where a later try may pass.
    var refusal: WriteRefusal? {
        if code == SQLITE_IOERR_SHMSIZE { return .diskFull }
        switch code & 0xFF {
        case SQLITE_FULL: return .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked
        default: return nil
        }
    }

    /// Whether a page was read that is not what was written. The disk has what it had before, and nothing was made of the
    /// page: whoever needs it is refused, and everything else goes on.
    var isDamagedPage: Bool { code == SQLITE_IOERR_DATA }

    /// Failure of a step that needs a damaged page.
    static func damaged(_ page: DamagedPage, _ operation: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_IOERR_DATA, operation: "\(page) is damaged: \(operation)")
    }

    /// Failure of a write-ahead log in which a page is damaged.
    static func damagedLog(_ page: Int) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_IOERR_DATA, operation: "the write-ahead log, in which page \(page) is damaged")
    }

    /// Whether memory and disk may differ from now on: no further write may be acknowledged (DUR-07).
    var isFatal: Bool {
        if code == SQLITE_IOERR_SHMSIZE || isDamagedPage { return false }
        switch code & 0xFF {
        case SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB: return true
        default: return false
        }
    }
}

/// Extended codes are macros with a shift, which Swift does not import.
private let SQLITE_CONSTRAINT_PRIMARYKEY: Int32 = SQLITE_CONSTRAINT | 6 << 8
private let SQLITE_CONSTRAINT_UNIQUE: Int32 = SQLITE_CONSTRAINT | 8 << 8
private let SQLITE_IOERR_SHMSIZE: Int32 = SQLITE_IOERR | 19 << 8
private let SQLITE_IOERR_DATA: Int32 = SQLITE_IOERR | 32 << 8
