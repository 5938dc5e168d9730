internal import CPostgres
internal import Glibc
internal import Storage

/// A connection to PostgreSQL for the start and for administration: one statement after the other, each with its result.
package final class PostgresSession: @unchecked Sendable {
    // Sendable: one thread at a time uses it.

    private let handle: OpaquePointer
    /// Milliseconds without a byte after which the connection counts as lost while a query runs; negative: never.
    var longestSilence: Int32 = -1

    package init(_ address: PostgresAddress) throws(PostgresOpeningFault) {
        do throws(PostgresFailure) { handle = try address.connect().handle } catch { throw PostgresOpeningFault(error) }
    }

    deinit { PQfinish(handle) }

    /// Runs all statements of a script as one transaction.
    /// - Parameter name: what failures call it.
    package func run(_ script: String, _ name: String) throws(PostgresOpeningFault) {
        let result = try lastResult(PQsendQuery(handle, script), name)
        guard result.status == PGRES_COMMAND_OK || result.status == PGRES_TUPLES_OK else {
            throw PostgresOpeningFault(PostgresFailure(result, name: name))
        }
    }

    /// The rows of a query as texts; a value that is NULL is `nil`.
    func rows(_ query: StaticString, _ values: String...) throws(PostgresOpeningFault) -> [[String?]] {
        let arguments = Arguments()
        for var value in values { value.withUTF8 { arguments.bind(.text(UnsafeRawBufferPointer($0)), .text, to: 0) } }
        let code = arguments.withPointers { count, values, lengths, formats in
            PQsendQueryParams(handle, query.description, count, arguments.types, values, lengths, formats, 0)
        }
        let result = try lastResult(code, query.description)
        guard result.status == PGRES_TUPLES_OK else {
            throw PostgresOpeningFault(PostgresFailure(result, name: query.description))
        }
        return result.texts
    }

    /// Whether a table has any row.
    func hasRows(_ table: String) throws(PostgresOpeningFault) -> Bool {
        let result = try result(PQexec(handle, "SELECT 1 FROM \"\(table)\" LIMIT 1"), table)
        guard result.status == PGRES_TUPLES_OK else { throw PostgresOpeningFault(PostgresFailure(result, name: table)) }
        return result.rowCount > 0
    }

    // MARK: Notifications

    /// Can be read when a notification has come, or the connection is lost.
    var socket: Int32 { PQsocket(handle) }

    /// The texts of the notifications that have come (PostgreSQL, `NOTIFY`). It does not wait for one.
    func takeNotifications() throws(PostgresOpeningFault) -> [String] {
        guard PQconsumeInput(handle) == 1 else { throw PostgresOpeningFault(.lost("notifications")) }
        var texts: [String] = []
        while let notification = PQnotifies(handle) {
            texts.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return texts
    }

    // MARK: COPY

    /// Begins a COPY from this process (PostgreSQL, `COPY`).
    func beginCopy(_ command: String, _ name: String) throws(PostgresOpeningFault) {
        let result = try result(PQexec(handle, command), name)
        guard result.status == PGRES_COPY_IN else { throw PostgresOpeningFault(PostgresFailure(result, name: name)) }
    }

    func put(_ bytes: [UInt8], _ name: String) throws(PostgresOpeningFault) {
        let code = bytes.withUnsafeBytes { buffer in
            PQputCopyData(handle, buffer.assumingMemoryBound(to: CChar.self).baseAddress, Int32(clamping: buffer.count))
        }
        guard code == 1 else { throw PostgresOpeningFault(.lost(name)) }
    }

    /// - Throws: PostgreSQL refuses a row.
    func endCopy(_ name: String) throws(PostgresOpeningFault) {
        guard PQputCopyEnd(handle, nil) == 1 else { throw PostgresOpeningFault(.lost(name)) }
        try takeResults(name)
    }

    private func takeResults(_ name: String) throws(PostgresOpeningFault) {
        var failure: PostgresFailure?
        while let pointer = PQgetResult(handle) {
            let result = PostgresResult(pointer)
            if result.status != PGRES_COMMAND_OK && failure == nil { failure = PostgresFailure(result, name: name) }
        }
        if let failure { throw PostgresOpeningFault(failure) }
    }

    /// Copies rows to this process, and adds them up.
    func copyOut(_ command: String, _ name: String) throws(PostgresOpeningFault) -> RowDigest {
        let result = try result(PQexec(handle, command), name)
        guard result.status == PGRES_COPY_OUT else { throw PostgresOpeningFault(PostgresFailure(result, name: name)) }
        var digest = RowDigest()
        var isFirst = true
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(handle, &buffer, 0)
            guard count > 0, let buffer else { break }
            defer { PQfreemem(buffer) }
            // PostgreSQL sends each row in a message of its own; the head comes with the first one.
            var row = Array(UnsafeRawBufferPointer(start: buffer, count: Int(count)))[...]
            if isFirst { row = row.dropFirst(CopyRow.head.count) }
            isFirst = false
            if !row.isEmpty && row != CopyRow.end[...] { digest.add(row) }
        }
        try takeResults(name)
        return digest
    }

    /// The result of the last statement that was sent; PostgreSQL runs none after a failure.
    private func lastResult(_ code: Int32, _ name: String) throws(PostgresOpeningFault) -> PostgresResult {
        guard code == 1 else { throw PostgresOpeningFault(.lost(name)) }
        var last: PostgresResult?
        while true {
            while PQisBusy(handle) == 1 { try wait(name) }
            guard let pointer = PQgetResult(handle) else { break }
            last = PostgresResult(pointer)
        }
        guard let last else { throw PostgresOpeningFault(.lost(name)) }
        return last
    }

    private func wait(_ name: String) throws(PostgresOpeningFault) {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        let count = poll(&descriptor, 1, longestSilence)
        if count < 0 && errno == EINTR { return }
        guard count > 0, PQconsumeInput(handle) == 1 else { throw PostgresOpeningFault(.lost(name)) }
    }

    private func result(_ result: OpaquePointer?, _ name: String) throws(PostgresOpeningFault) -> PostgresResult {
        guard let result else { throw PostgresOpeningFault(.lost(name)) }
        return PostgresResult(result)
    }
}
