package import Engine

/// A connection to the database inside a transaction or a read. Statements run one after another, and each sees the
/// changes of those before it.
package protocol Connection: AnyObject {
    /// Runs a statement whose result is not read.
    /// - Parameter values: gives each parameter its value, in order.
    func run(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault)

    /// Runs one statement.
    /// - Parameters:
    ///   - values: gives each parameter its value, in order.
    ///   - read: gets each row of the result, and returns whether it wants the next one.
    func run(
        _ statement: Statement, _ values: (inout Parameters) -> Void,
        each read: (inout Row) throws(StorageFault) -> Bool
    ) throws(StorageFault)

    /// Sends the reads of `body` together, so that they cost one exchange with a database behind a network. They find no
    /// rows in `body`; the same reads after it get the results. Changes in `body` are not made.
    ///
    /// Between the two, the transaction must change nothing that they read.
    func readAhead(_ body: (any Connection) throws(StorageFault) -> Void) throws(StorageFault)

    /// A transaction calls it before it locks tallies that many transactions share.
    /// - Parameter tallies: their key digests, the tally that most transactions share first; at least one.
    /// - Throws: if another transaction counts there. The engine runs this one later, from its start.
    func beginCounting(at tallies: [[UInt8]]) throws(StorageFault)

    /// Begins a further one of several transactions that share a commit.
    func beginFurtherPart(_ plan: TransactionPlan) throws(StorageFault)

    /// Rows that the last statement changed, without those of cascades.
    var changes: Int { get }
    /// Rows changed since the connection was opened.
    var totalChanges: Int { get }
    var limits: StorageLimits { get }
    /// No other transaction runs at the same time, so the order of locks does not matter.
    var runsAlone: Bool { get }
}

extension Connection {
    package func readAhead(_ body: (any Connection) throws(StorageFault) -> Void) throws(StorageFault) {}

    package func beginCounting(at tallies: [[UInt8]]) throws(StorageFault) {}

    package func beginFurtherPart(_ plan: TransactionPlan) throws(StorageFault) {}

    /// Runs a statement without parameters, whose result is not read.
    package func run(_ statement: Statement) throws(StorageFault) { try run(statement) { _ in } }

    /// The first row of a result; `nil`: no rows.
    package func first<Value>(
        _ statement: Statement, _ values: (inout Parameters) -> Void = { _ in },
        _ read: (inout Row) throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value? {
        var found: Value?
        try run(statement, values) { (row) throws(StorageFault) in
            found = try read(&row)
            return false
        }
        return found
    }

    /// All rows of a result, in order.
    package func all<Value>(
        _ statement: Statement, _ values: (inout Parameters) -> Void = { _ in },
        _ read: (inout Row) throws(StorageFault) -> Value
    ) throws(StorageFault) -> [Value] {
        var found: [Value] = []
        try run(statement, values) { (row) throws(StorageFault) in
            found.append(try read(&row))
            return true
        }
        return found
    }
}
