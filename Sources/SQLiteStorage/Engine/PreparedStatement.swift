internal import CSQLite
internal import Possession
internal import Storage

/// One prepared statement of one connection, kept for the connection's life.
final class PreparedStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private let text: StaticString
    /// The first refusal of a value; `SQLITE_OK`: none.
    private var refusal = SQLITE_OK

    /// - Throws: SQLite's refusal: invalid SQL, or an unknown table.
    init(_ text: StaticString, on connection: OpaquePointer) throws(SQLiteFailure) {
        var handle: OpaquePointer?
        let code = text.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    connection, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
            }
        }
        guard code == SQLITE_OK, let handle else {
            throw SQLiteFailure(code: code, operation: "prepare", of: text, on: connection)
        }
        self.handle = handle
        self.connection = connection
        self.text = text
    }

    /// Call before the connection is closed.
    func finalize() {
        sqlite3_finalize(handle)
    }

    /// Binds the parameters, in order from `?1` on.
    func bind(_ values: (inout Parameters) -> Void) throws(SQLiteFailure) {
        refusal = SQLITE_OK
        var parameters = Parameters(self)
        values(&parameters)
        guard refusal == SQLITE_OK else {
            throw SQLiteFailure(code: refusal, operation: "bind", of: text, on: connection)
        }
        precondition(parameters.count == sqlite3_bind_parameter_count(handle), "every parameter has a value")
    }

    /// Moves to the next row; `false`: there is no more row, and the statement has finished.
    func step() throws(SQLiteFailure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure("step")
        }
    }

    private func failure(_ operation: String) -> SQLiteFailure {
        SQLiteFailure(code: sqlite3_extended_errcode(connection), operation: operation, of: text, on: connection)
    }

    /// Ends the run and clears the bound values.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}

extension PreparedStatement: ParameterTarget {
    func bind(_ cell: Cell, _ type: CellType, to number: Int32) {
        let code =
            switch cell {
            // `reset` has cleared the values of the last run.
            case .null: SQLITE_OK
            case .integer(let value): sqlite3_bind_int64(handle, number, value)
            case .text(let bytes):
                csqlite_bind_text(
                    handle, number, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(clamping: bytes.count))
            case .blob(let bytes): csqlite_bind_blob(handle, number, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        if code != SQLITE_OK && refusal == SQLITE_OK { refusal = code }
    }
}

extension PreparedStatement: RowSource {
    func cell(_ column: Int32) -> Cell {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, column))
        case SQLITE_BLOB: .blob(bytes(at: sqlite3_column_blob(handle, column), of: column))
        default:
            // Without memory for the text: a value that no reader of a text takes.
            sqlite3_column_text(handle, column).map { .text(bytes(at: $0, of: column)) }
                ?? .blob(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// - Parameter start: `nil` for no bytes.
    private func bytes(at start: UnsafeRawPointer?, of column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
