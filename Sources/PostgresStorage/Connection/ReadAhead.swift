internal import Engine
internal import Storage

/// A read that was sent before the transaction asks for it.
final class ReadAhead {
    private let key: PreparedKey
    private let arguments: Arguments
    /// `nil`: it was not received yet.
    var result: PostgresResult?

    init(_ key: PreparedKey, _ arguments: Arguments) {
        self.key = key
        self.arguments = arguments
    }

    func isOf(_ key: PreparedKey, _ arguments: Arguments) -> Bool {
        self.key == key && self.arguments.isSame(as: arguments)
    }
}

/// Sends reads on another connection, and gives them no rows.
final class ReadAheadConnection: Connection {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func run(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {}

    func run(
        _ statement: Statement, _ values: (inout Parameters) -> Void,
        each read: (inout Row) throws(StorageFault) -> Bool
    ) throws(StorageFault) {
        try connection.sendAhead(statement, values)
    }

    func beginCounting(at tallies: [[UInt8]]) throws(StorageFault) { try connection.beginCounting(at: tallies) }

    let changes = 0
    let totalChanges = 0
    var limits: StorageLimits { connection.limits }
    let runsAlone = false
}
