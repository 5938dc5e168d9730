internal import CSQLite
internal import Possession

/// One prepared statement of one connection, kept for the connection's life.
final class PreparedStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private let text: StaticString

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
        var parameters = Parameters(handle)
        values(&parameters)
        guard parameters.failure == SQLITE_OK else {
            throw SQLiteFailure(code: parameters.failure, operation: "bind", of: text, on: connection)
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

    /// The current row; valid until the next call of `step`.
    var row: Row { Row(handle) }

    /// Ends the run and clears the bound values.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}

/// The values of one run of a statement: each call binds the next number.
struct Parameters {
    private let handle: OpaquePointer
    fileprivate private(set) var count: Int32 = 0
    fileprivate private(set) var failure: Int32 = SQLITE_OK

    fileprivate init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    private mutating func next() -> Int32 {
        count += 1
        return count
    }

    private mutating func note(_ code: Int32) {
        if code != SQLITE_OK && failure == SQLITE_OK { failure = code }
    }

    /// Leaves the value NULL: `reset` has cleared the values of the last run.
    mutating func null() {
        _ = next()
    }

    mutating func integer(_ value: Int64?) {
        guard let value else { return null() }
        note(sqlite3_bind_int64(handle, next(), value))
    }

    mutating func integer(_ value: Int) {
        integer(Int64(value))
    }

    mutating func flag(_ value: Bool?) {
        integer(value.map { $0 ? 1 : 0 })
    }

    mutating func time(_ value: Timestamp?) {
        integer(value?.milliseconds)
    }

    mutating func text(_ value: String?) {
        guard var value else { return null() }
        let number = next()
        let handle = handle
        note(
            value.withUTF8 { buffer in
                buffer.withMemoryRebound(to: CChar.self) {
                    csqlite_bind_text(handle, number, $0.baseAddress, Int32(clamping: $0.count))
                }
            })
    }

    mutating func blob(_ value: [UInt8]?) {
        guard let value else { return null() }
        let number = next()
        let handle = handle
        note(
            value.withUnsafeBytes { csqlite_bind_blob(handle, number, $0.baseAddress, Int32(clamping: $0.count)) })
    }

    /// Sixteen bytes, most significant first, so that keys sort by time.
    mutating func identifier(_ value: (some Identifier)?) {
        guard let value else { return null() }
        let number = next()
        let handle = handle
        note(withUnsafeBytes(of: value.bits.bigEndian) { csqlite_bind_blob(handle, number, $0.baseAddress, 16) })
    }

    /// The key that a page begins after; `nil`: no bytes, which sort before every key.
    mutating func position(_ key: (some Identifier)?) {
        if let key { identifier(key) } else { blob([]) }
    }
}
