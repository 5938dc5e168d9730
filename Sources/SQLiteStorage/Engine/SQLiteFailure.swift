internal import CSQLite
internal import Engine
internal import Possession
internal import Storage

/// A result code of SQLite other than OK, with the operation that failed. It never contains a bound value or a row: a
/// statement is program text with `?1`, and SQLite's messages name tables, columns and types.
struct SQLiteFailure: Error, Equatable {
    /// Extended result code (sqlite.org/rescode.html).
    let code: Int32
    /// The operation that failed, with SQLite's message and the statement if there are any.
    let operation: String

    init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// - Parameter connection: on which the failure just occurred, and which still has its message.
    init(code: Int32, operation: String, of statement: StaticString, on connection: OpaquePointer) {
        self.code = code
        let message = String(cString: sqlite3_errmsg(connection))
        let text = statement.description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        self.operation = "\(operation): \(message); \(text)"
    }

    /// The fault for the domain.
    var fault: StorageFault {
        switch code {
        case SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY: return .duplicate
        // The shared index of the WAL could not grow: the disk is full, and durable data is unchanged.
        case SQLITE_IOERR_SHMSIZE: return .overloaded
        default: break
        }
        switch code & 0xFF {
        // A step that ran out of memory was rolled back, and may succeed later.
        case SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM: return .overloaded
        default: return .failed(code: Int(code), operation: operation)
        }
    }

    /// Why a write was refused, if a later try may succeed.
    var refusal: WriteRefusal? {
        if code == SQLITE_IOERR_SHMSIZE { return .diskFull }
        switch code & 0xFF {
        case SQLITE_FULL: return .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked
        default: return nil
        }
    }

    /// Whether a page was read that differs from what was written. The disk is unchanged, and the page was not used:
    /// only callers that need it are refused.
    var isDamagedPage: Bool { code == SQLITE_IOERR_DATA }

    /// The failure of an operation that needs a damaged page.
    static func damaged(_ page: DamagedPage, _ operation: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_IOERR_DATA, operation: "\(page) is damaged: \(operation)")
    }

    /// The failure when a page in the write-ahead log is damaged.
    static func damagedLog(_ page: Int) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_IOERR_DATA, operation: "the write-ahead log, in which page \(page) is damaged")
    }

    /// Whether memory and disk may now differ: no further write may be acknowledged (DUR-07).
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
