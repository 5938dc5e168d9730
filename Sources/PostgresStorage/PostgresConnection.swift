internal import CPostgres
internal import Engine
internal import Storage

/// One connection to PostgreSQL with its prepared statements. One thread at a time uses it.
///
/// It works in pipeline mode (libpq, section 34.5): a statement whose result is not read is sent together with the next
/// statement, and the last ones with COMMIT. The failure of such a statement is thrown by the next one, or by the
/// commit.
final class PostgresConnection: Connection {
    /// A statement that was sent and whose result was not read.
    private struct Unread {
        let text: StaticString
        /// It prepares this statement.
        var prepares: UnsafePointer<UInt8>?
    }

    private let link: PostgresLink
    let limits: StorageLimits
    /// Names of the prepared statements. A literal keeps one address for the life of the program, so the address is the
    /// key.
    private var names: [UnsafePointer<UInt8>: String] = [:]
    private var namesMade = 0
    private var unread: [Unread] = []
    private var lastChanges = 0
    private var allChanges = 0
    /// The first failure since `begin`: PostgreSQL refuses the rest of the transaction.
    private(set) var failure: PostgresFailure?

    /// - Parameter address: a connection URI (libpq, section 34.1.1.2).
    init(_ address: String, limits: StorageLimits) throws(PostgresFailure) {
        link = try PostgresLink(address)
        self.limits = limits
    }

    // MARK: Statements

    func run(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {
        try noting { () throws(PostgresFailure) in try send(statement, values) }
    }

    func run(
        _ statement: Statement, _ values: (inout Parameters) -> Void,
        each read: (inout Row) throws(StorageFault) -> Bool
    ) throws(StorageFault) {
        let result = try noting { () throws(PostgresFailure) in
            try send(statement, values)
            return try readResults()
        }
        guard let result else { return }
        for number in 0..<result.rowCount {
            result.row = number
            var row = Row(result)
            guard try read(&row) else { return }
        }
    }

    var changes: Int {
        readUnread()
        return lastChanges
    }

    var totalChanges: Int {
        readUnread()
        return allChanges
    }

    /// The next statement or the commit throws the failure.
    private func readUnread() {
        guard failure == nil else { return }
        do throws(PostgresFailure) {
            _ = try readResults()
        } catch { failure = error }
    }

    private func noting<Value>(
        _ body: () throws(PostgresFailure) -> Value
    ) throws(StorageFault) -> Value {
        if let failure { throw failure.fault }
        do throws(PostgresFailure) {
            return try body()
        } catch {
            failure = error
            throw error.fault
        }
    }

    private func send(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(PostgresFailure) {
        let arguments = Arguments()
        var parameters = Parameters(arguments)
        values(&parameters)
        let name = try preparedName(of: statement, arguments)
        try link.execute(name, arguments)
        unread.append(Unread(text: statement.text))
    }

    private func preparedName(of statement: Statement, _ arguments: Arguments) throws(PostgresFailure) -> String {
        let key = statement.text.utf8Start
        if let name = names[key] { return name }
        namesMade += 1
        let name = "s\(namesMade)"
        try link.prepare(name, statement.postgresText, arguments.types)
        unread.append(Unread(text: statement.text, prepares: key))
        names[key] = name
        return name
    }

    /// Asks for the results of all statements that were sent, and reads them.
    /// - Returns: the result of the last one; `nil`: none was sent.
    private func readResults() throws(PostgresFailure) -> PostgresResult? {
        guard !unread.isEmpty else { return nil }
        try link.askForResults()
        return try receiveResults()
    }

    /// Reads the results of all statements, also after a failure.
    /// - Throws: the first failure.
    private func receiveResults() throws(PostgresFailure) -> PostgresResult? {
        let statements = unread
        unread = []
        var last: PostgresResult?
        var first: PostgresFailure?
        for statement in statements {
            let result = try link.nextResult()
            if let failure = PostgresFailure(result, of: statement.text) {
                if first == nil { first = failure }
                if let key = statement.prepares { names[key] = nil }
            } else if statement.prepares == nil {
                lastChanges = result.changes
                allChanges += result.changes
                last = result
            }
        }
        if let first { throw first }
        return last
    }

    // MARK: Transactions

    /// Is sent with the first statement.
    func begin() throws(PostgresFailure) {
        failure = nil
        try sendCommand("BEGIN ISOLATION LEVEL READ COMMITTED")
    }

    /// Returns when the changes are durable.
    func commit() throws(PostgresFailure) {
        if let failure { throw failure }
        do throws(PostgresFailure) {
            try sendCommand("COMMIT")
            let result = try endPipeline()
            // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK.
            guard result?.tag == "COMMIT" else { throw PostgresFailure(state: "25P02", operation: "COMMIT") }
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends a transaction that failed, or whose changes are not wanted.
    func rollBack() throws(PostgresFailure) {
        do throws(PostgresFailure) {
            _ = try endPipeline()
        } catch {
            // After a failure PostgreSQL skips all statements up to the end of the pipeline.
            if error.endsConnection { throw error }
        }
        try sendCommand("ROLLBACK")
        _ = try endPipeline()
        failure = nil
    }

    private func sendCommand(_ text: StaticString) throws(PostgresFailure) {
        try link.send(text.description)
        unread.append(Unread(text: text))
    }

    private func endPipeline() throws(PostgresFailure) -> PostgresResult? {
        try link.sync()
        let result: PostgresResult?
        do throws(PostgresFailure) {
            result = try receiveResults()
        } catch {
            if !error.isLost { try link.readSync() }
            throw error
        }
        try link.readSync()
        return result
    }
}
