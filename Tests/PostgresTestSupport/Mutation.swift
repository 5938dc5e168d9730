import Engine
import Possession
import Storage

@testable import PostgresStorage

/// A fault of the stores that is made on purpose: a lock, a claim, a name or a count is left out, or a read finds
/// nothing. `scripts/postgres-mutations` runs the contract with each, and the contract must find it.
struct Mutation: Sendable {
    private enum Part: String {
        case locking, claiming, name, rank, guarding, reading, counting
    }

    private let part: Part
    /// Statements that contain these words lose it. All transactions lose their names.
    private let words: String

    /// - Parameter text: such as `locking: FROM sessions s`.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(" ") }
        guard let first = parts.first, let part = Part(rawValue: String(first)) else { return nil }
        self.part = part
        words = parts.count == 2 ? String(parts[1]) : ""
    }

    /// Transactions lock tallies in the order in which they name them.
    var isOfRank: Bool { part == .rank }

    /// A connection that another one has replaced may change something.
    var isOfGuard: Bool { part == .guarding }

    /// The statement finds no rows.
    func hidesRows(of statement: Statement) -> Bool {
        part == .reading && statement.text.description.contains(words)
    }

    /// The statement counts as one that has changed a row.
    func takesCount(of statement: StaticString) -> Bool {
        part == .counting && statement.description.contains(words)
    }

    func plan(_ plan: TransactionPlan) -> TransactionPlan {
        var plan = plan
        if part == .name { plan.name = nil }
        return plan
    }

    func statement(_ statement: Statement) -> Statement {
        let isMeant =
            switch statement.use {
            case .plain: false
            case .locking: part == .locking
            case .claiming: part == .claiming
            }
        guard isMeant, statement.text.description.contains(words) else { return statement }
        return Statement(statement.text, postgres: statement.postgres)
    }
}

/// A connection on which the statements have the mutation of this run.
final class MutatedConnection: PostgresConnection {
    private enum SQL {
        static let raiseAlways: Statement =
            "UPDATE lanes SET batch = batch + 1 WHERE server = ?1 AND lane = ?2 AND ?3 > 0 AND ?4 >= 0"
    }

    private let mutation: Mutation
    private var last: StaticString = ""

    required init(_ address: PostgresAddress, _ lane: LaneName, limits: StorageLimits) throws(PostgresFailure) {
        guard let mutation = TestedPostgres.mutation else { preconditionFailure("a run without a mutation") }
        self.mutation = mutation
        try super.init(address, lane, limits: limits)
    }

    override var runsAlone: Bool { mutation.isOfRank }

    override var raisingStatement: Statement { mutation.isOfGuard ? SQL.raiseAlways : super.raisingStatement }

    override var changes: Int { mutation.takesCount(of: last) ? 1 : super.changes }

    override func begin(_ plan: TransactionPlan) throws(PostgresFailure) { try super.begin(mutation.plan(plan)) }

    override func run(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {
        last = statement.text
        try super.run(mutation.statement(statement), values)
    }

    override func run(
        _ statement: Statement, _ values: (inout Parameters) -> Void,
        each read: (inout Row) throws(StorageFault) -> Bool
    ) throws(StorageFault) {
        if mutation.hidesRows(of: statement) { return }
        try super.run(mutation.statement(statement), values, each: read)
    }

    override func sendAhead(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {
        try super.sendAhead(mutation.statement(statement), values)
    }
}
