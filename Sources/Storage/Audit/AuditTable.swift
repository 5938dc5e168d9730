internal import Locks
package import Engine
package import Possession
package import Records

/// Tables `audit_entries` and `audit_ends` (migration 0012): the audit log, as a chain of lines.
package struct AuditTable: AuditStore {
    private let database: Database
    let rows: AuditRows

    package init(_ database: Database, sealing: Sealing, form: AuditForm) {
        self.database = database
        rows = AuditRows(form: form, sealing: sealing)
    }

    package func add(_ entry: AuditEntry) async throws(StorageFault) {
        let rows = rows
        try await database.transaction { (connection) throws(StorageFault) in try rows.append(entry, connection) }
    }

    package func submit(_ entry: AuditEntry) {
        let rows = rows
        database.submit { (connection) throws(StorageFault) in try rows.append(entry, connection) }
    }

    package func auditing<Value: Sendable>(
        _ entry: AuditEntry, _ work: () async -> Value
    ) async -> (Value, isStored: Bool) {
        let scope = AuditScope(entry: entry, rows: rows)
        let value = await AuditScope.$bound.withValue(scope) { await work() }
        return (value, scope.isStored)
    }

    package func ends() async throws(StorageFault) -> (AuditEnds, isAuthentic: Bool) {
        let rows = rows
        return try await database.read { (connection) throws(StorageFault) in try rows.ends(connection) }
    }

    package func lines(after number: Int64, limit: Int) async throws(StorageFault) -> [AuditLine] {
        let rows = rows
        return try await database.read { (connection) throws(StorageFault) in
            try rows.lines(after: number, limit: limit, connection)
        }
    }

    package func sweepAudit(before end: Timestamp, at now: Timestamp) async throws(StorageFault) -> Int {
        let (rows, limit) = (rows, database.limits.rowsPerSweep)
        return try await database.transaction { (connection) throws(StorageFault) in
            try rows.sweep(before: end, at: now, limit: limit, connection)
        }
    }
}

/// The entry that one task's transactions must store. The first transaction that changes something stores it.
///
/// It is bound to the task instead of passed through every call: 15 ports, a restore, and the services before them
/// would need a parameter for it. `AuditTable.auditing` is the one place that binds it.
final class AuditScope: Sendable {
    @TaskLocal fileprivate static var bound: AuditScope?

    /// The scope of the running task.
    static var current: AuditScope? { bound }

    /// Runs work whose transactions do not store the entry.
    static func suspended<Value: Sendable>(_ work: () async -> Value) async -> Value {
        await AuditScope.$bound.withValue(nil) { await work() }
    }

    private let entry: AuditEntry
    private let rows: AuditRows
    private let stored = Locked(false)

    init(entry: AuditEntry, rows: AuditRows) {
        self.entry = entry
        self.rows = rows
    }

    var isStored: Bool { stored.withLock { $0 } }

    /// Runs the body of a transaction, and adds the entry if it changed something.
    /// - Returns: the body's value, and whether the entry was added.
    func run<Value>(
        _ body: (any Connection) throws(StorageFault) -> Value, _ connection: any Connection
    ) throws(StorageFault) -> (Value, hasEntry: Bool) {
        let before = connection.totalChanges
        let value = try body(connection)
        guard connection.totalChanges != before else { return (value, false) }
        try rows.append(entry, connection)
        return (value, true)
    }

    /// Called once the transaction is durable.
    func noteStored() { stored.withLock { $0 = true } }
}
