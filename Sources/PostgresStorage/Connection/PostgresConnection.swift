internal import CPostgres
internal import Engine
internal import Storage

/// A statement on a connection. A literal keeps one address for the life of the program.
struct PreparedKey: Hashable {
    let text: UnsafePointer<UInt8>
    let isLocking: Bool
}

/// One connection to PostgreSQL with its prepared statements. One thread at a time uses it.
///
/// It works in pipeline mode (libpq, section 34.5): a statement whose result is not read is sent together with the next
/// statement, and the last ones with COMMIT. The failure of such a statement is thrown by the next one, or by the
/// commit.
class PostgresConnection: Connection {
    /// A statement that was sent and whose result was not read.
    private struct Unread {
        let text: StaticString
        var isClaiming = false
        /// It prepares this statement.
        var prepares: PreparedKey?
        /// Gets the result.
        var ahead: ReadAhead?
    }

    private let link: PostgresLink
    private let lane: LaneName
    private var row = LaneRow(epoch: 0, batch: 0)
    let limits: StorageLimits
    /// The tally at which the lane counts; `nil`: the connection belongs to no lane.
    var tally: LaneTally?
    /// Transactions of other lanes wait for this one, so it does not wait long for rows.
    private var isHurried = false
    /// The transaction is a further one of those that share a commit.
    private var isFurtherPart = false
    var runsAlone: Bool { false }
    /// Names of the prepared statements.
    private var names: [PreparedKey: String] = [:]
    private var namesMade = 0
    private var unread: [Unread] = []
    /// Reads that were sent before the transaction asked for them.
    private var ahead: [ReadAhead] = []
    /// The COMMIT of a read was sent. Nothing depends on its answer, so the next transaction reads it.
    private var owesEnd = false
    private var lastChanges = 0
    private var allChanges = 0
    private var isReading = false
    private var isBlind = false
    /// How often the server has waited for results since the last call of `takeExchanges`.
    private var exchanges = 0
    /// The first failure since `begin`: PostgreSQL refuses the rest of the transaction.
    private(set) var failure: PostgresFailure?

    /// COMMIT was sent, and its answer has not arrived.
    private(set) var isCommitting = false

    /// Connects, and takes the lane from any earlier connection.
    required init(_ address: PostgresAddress, _ lane: LaneName, limits: StorageLimits) throws(PostgresFailure) {
        link = try PostgresLink(address)
        self.lane = lane
        self.limits = limits
        try link.send(PostgresConnection.settings)
        unread.append(Unread(text: "settings"))
        try takeLane()
    }

    /// - An answer is durable when the transaction is on the disk, and on a synchronous standby if there is one.
    /// - No transaction waits longer than its caller does. Both end before the silence after which the connection counts
    ///   as lost.
    /// - Plans: the statements are short, find their rows by an index, and their plans do not depend on values. A plan
    ///   that was made while a table was small, such as that of a foreign key, would otherwise read the whole table.
    private static let settings = """
        SELECT set_config(name, value, false) FROM (VALUES
          ('synchronous_commit', 'on'), ('lock_timeout', '1500ms'), ('statement_timeout', '1800ms'),
          ('idle_in_transaction_session_timeout', '2s'), ('jit', 'off'), ('plan_cache_mode', 'force_generic_plan'),
          ('enable_seqscan', 'off')
        ) AS settings (name, value)
        """

    /// Milliseconds. A long transaction may have statements that change many rows.
    private static let silenceOfLongOnes: Int32 = 60_000

    private func takeLane() throws(PostgresFailure) {
        try send(LaneRow.SQL.take) {
            $0.integer(lane.server)
            $0.integer(lane.lane)
        }
        guard let result = try endPipeline() else { return }
        try checkDurability(of: "the lane")
        var columns = Row(result)
        do throws(StorageFault) {
            row = LaneRow(epoch: try columns.integer("lanes.epoch"), batch: try columns.integer("lanes.batch"))
        } catch { throw PostgresFailure(state: "XX000", operation: "\(error)") }
    }

    /// PostgreSQL warns when the wait for a standby was cancelled: the change is stored here, and perhaps nowhere else.
    /// Another connection takes the lane then. Once that is durable, so is every change before it.
    private func checkDurability(of operation: String) throws(PostgresFailure) {
        if link.hasWarning { throw .lost("\(operation) with a warning") }
    }

    /// The timeline of its primary.
    var timeline: Timeline { link.timeline }

    func takeExchanges() -> Int {
        defer { exchanges = 0 }
        return exchanges
    }

    /// Number of the last transaction of the lane that is stored, from this connection or an earlier one.
    var batch: Int64 { row.batch }

    // MARK: Statements

    func run(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {
        try noting { () throws(PostgresFailure) in try send(statement, values) }
    }

    func run(
        _ statement: Statement, _ values: (inout Parameters) -> Void,
        each read: (inout Row) throws(StorageFault) -> Bool
    ) throws(StorageFault) {
        assert(!isBlind, "a blind transaction reads nothing")
        let result = try noting { () throws(PostgresFailure) -> PostgresResult? in
            if let result = try resultAhead(of: statement, values) { return result }
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
        assert(!isBlind, "a blind transaction looks at no count")
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

    func readAhead(_ body: (any Connection) throws(StorageFault) -> Void) throws(StorageFault) {
        try body(ReadAheadConnection(self))
    }

    /// Sends a read whose result a later call of `run` takes.
    func sendAhead(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {
        let arguments = Arguments(of: values)
        let key = key(of: statement)
        guard !ahead.contains(where: { $0.isOf(key, arguments) }) else { return }
        try noting { () throws(PostgresFailure) in
            try send(statement, arguments)
            let read = ReadAhead(key, arguments)
            ahead.append(read)
            unread[unread.count - 1].ahead = read
        }
    }

    /// `nil`: the read was not sent ahead.
    private func resultAhead(
        of statement: Statement, _ values: (inout Parameters) -> Void
    ) throws(PostgresFailure) -> PostgresResult? {
        guard !ahead.isEmpty else { return nil }
        let (key, arguments) = (key(of: statement), Arguments(of: values))
        guard let place = ahead.firstIndex(where: { $0.isOf(key, arguments) }) else { return nil }
        let read = ahead.remove(at: place)
        if read.result == nil { _ = try readResults() }
        return read.result
    }

    private func send(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(PostgresFailure) {
        try send(statement, Arguments(of: values))
    }

    private func send(_ statement: Statement, _ arguments: Arguments) throws(PostgresFailure) {
        let name = try preparedName(of: statement, arguments)
        try link.execute(name, arguments)
        unread.append(Unread(text: statement.text, isClaiming: statement.use == .claiming))
    }

    private func key(of statement: Statement) -> PreparedKey {
        PreparedKey(text: statement.text.utf8Start, isLocking: statement.use == .locking && !isReading)
    }

    private func preparedName(of statement: Statement, _ arguments: Arguments) throws(PostgresFailure) -> String {
        let key = key(of: statement)
        if let name = names[key] { return name }
        namesMade += 1
        let name = "s\(namesMade)"
        try link.prepare(name, statement.postgresText(isLocking: key.isLocking), arguments.types)
        unread.append(Unread(text: statement.text, prepares: key))
        names[key] = name
        return name
    }

    /// Asks for the results of all statements that were sent, and reads them.
    /// - Returns: the result of the last one; `nil`: none was sent.
    private func readResults() throws(PostgresFailure) -> PostgresResult? {
        guard !unread.isEmpty else { return nil }
        exchanges += 1
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
            if let failure = PostgresFailure(result, of: statement.text, isClaiming: statement.isClaiming) {
                if first == nil { first = failure }
                if let key = statement.prepares { names[key] = nil }
            } else if statement.prepares == nil {
                lastChanges = result.changes
                allChanges += result.changes
                last = result
                statement.ahead?.result = result
            }
        }
        if let first { throw first }
        return last
    }

    // MARK: Transactions

    /// Is sent with the first statement.
    func begin(_ plan: TransactionPlan) throws(PostgresFailure) {
        failure = nil
        ahead = []
        if owesEnd {
            // Its transaction has its result already, so this one runs again on another connection.
            do throws(PostgresFailure) { _ = try readEnd() } catch { throw .lost("the COMMIT of a read") }
        }
        link.hasWarning = false
        isReading = plan.isReading
        isBlind = plan.isBlind
        link.longestSilence = plan.isLong ? PostgresConnection.silenceOfLongOnes : PostgresLink.usualSilence
        if isReading { return try sendCommand("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
        try sendCommand("BEGIN ISOLATION LEVEL READ COMMITTED")
        if plan.isLong { try sendCommand("SET LOCAL statement_timeout = '58s'") }
        try send(raisingStatement) {
            $0.integer(lane.server)
            $0.integer(lane.lane)
            $0.integer(row.epoch)
            $0.integer(row.batch)
        }
        (isHurried, isFurtherPart) = (false, false)
        if tally?.isCounting == true { try hurry() }
        try lock(plan)
    }

    private func hurry() throws(PostgresFailure) {
        if !isHurried { try sendCommand("SET LOCAL lock_timeout = '20ms'") }
        isHurried = true
    }

    private func lock(_ plan: TransactionPlan) throws(PostgresFailure) {
        guard let name = plan.name else { return }
        try send("SELECT pg_advisory_xact_lock(?1)") { $0.integer(name.value) }
    }

    func beginFurtherPart(_ plan: TransactionPlan) throws(StorageFault) {
        // The transaction before it may have changed what its reads have found.
        ahead = []
        try noting { () throws(PostgresFailure) in
            // It takes locks while it has those of the transactions before it, so not all locks are taken in one order.
            isFurtherPart = true
            if tally?.isCounting == true { try hurry() }
            try lock(plan)
        }
    }

    func beginCounting(at tallies: [[UInt8]]) throws(StorageFault) {
        guard tally?.beginCounting(at: tallies) != false else { throw .overloaded }
        guard isHurried, !isFurtherPart else { return }
        // Transactions of other servers may count there.
        try noting { () throws(PostgresFailure) in try sendCommand("SET LOCAL lock_timeout = '1500ms'") }
        isHurried = false
    }

    /// The first statement of a transaction that may change something. It refuses a connection that another one has
    /// replaced.
    var raisingStatement: Statement { LaneRow.SQL.raise }

    /// Returns when the changes are durable.
    func commit() throws(PostgresFailure) {
        if let failure { throw failure }
        do throws(PostgresFailure) {
            isCommitting = !isReading
            try sendCommand("COMMIT")
            if isReading && unread.count == 1 {
                owesEnd = true
                return try link.sync()
            }
            let result = try endPipeline()
            // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK.
            guard result?.tag == "COMMIT" else { throw PostgresFailure(state: "25P02", operation: "COMMIT") }
            if isReading { return }
            try checkDurability(of: "COMMIT")
            isCommitting = false
            row.batch += 1
        } catch {
            // A refusal is an answer.
            if !error.endsConnection { isCommitting = false }
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
        exchanges += 1
        try link.sync()
        return try readEnd()
    }

    private func readEnd() throws(PostgresFailure) -> PostgresResult? {
        owesEnd = false
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
