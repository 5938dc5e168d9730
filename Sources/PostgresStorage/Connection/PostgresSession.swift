internal import CPostgres
internal import Storage

/// A connection to PostgreSQL for the start and for administration: one statement after the other, each with its result.
package final class PostgresSession: @unchecked Sendable {
    // Sendable: one thread at a time uses it.

    private let handle: OpaquePointer

    package init(_ address: PostgresAddress) throws(PostgresOpeningFault) {
        do throws(PostgresFailure) { handle = try address.connect() } catch { throw PostgresOpeningFault(error) }
    }

    deinit { PQfinish(handle) }

    /// Runs all statements of a script as one transaction.
    /// - Parameter name: what failures call it.
    package func run(_ script: String, _ name: String) throws(PostgresOpeningFault) {
        let result = try result(PQexec(handle, script), name)
        guard result.status == PGRES_COMMAND_OK || result.status == PGRES_TUPLES_OK else {
            throw PostgresOpeningFault(PostgresFailure(result, name: name))
        }
    }

    /// The rows of a query as texts; a value that is NULL is `nil`.
    func rows(_ query: StaticString, _ values: String...) throws(PostgresOpeningFault) -> [[String?]] {
        let arguments = Arguments()
        for var value in values { value.withUTF8 { arguments.bind(.text(UnsafeRawBufferPointer($0)), .text, to: 0) } }
        let handle = arguments.withPointers { count, values, lengths, formats in
            PQexecParams(self.handle, query.description, count, arguments.types, values, lengths, formats, 0)
        }
        let result = try result(handle, query.description)
        guard result.status == PGRES_TUPLES_OK else {
            throw PostgresOpeningFault(PostgresFailure(result, name: query.description))
        }
        return result.texts
    }

    private func result(_ result: OpaquePointer?, _ name: String) throws(PostgresOpeningFault) -> PostgresResult {
        guard let result else { throw PostgresOpeningFault(.lost(name)) }
        return PostgresResult(result)
    }
}
