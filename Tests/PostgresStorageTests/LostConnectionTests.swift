import Engine
import Foundation
import Locks
import PostgresTestSupport
import Storage
import Testing

@testable import PostgresStorage

/// Connections that end at any byte: a transaction that was acknowledged is stored, and none is stored twice.
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct LostConnectionTests {
    private enum SQL {
        static let insert: Statement = "INSERT INTO words (number) VALUES (?1)"
        static let all: Statement = "SELECT number FROM words ORDER BY number"
        static let passGate: Statement = "SELECT pass_gate()"
    }

    /// The function waits while another transaction has the gate, for longer than a lane waits for a lock.
    private static let tables = """
        CREATE TABLE words (number bigint NOT NULL);
        CREATE TABLE gate ();
        CREATE FUNCTION pass_gate() RETURNS void LANGUAGE plpgsql SET lock_timeout = 0 AS
          $$ BEGIN LOCK TABLE gate IN SHARE MODE; END $$;
        """

    private let schema: PostgresAddress
    private let wire: CutWire
    private let address: PostgresAddress
    private let direct: PostgresDatabase

    init() throws {
        let schema = try TestedPostgres.makeSchema(Self.tables)
        self.schema = PostgresAddress(schema)
        var parts = try #require(URLComponents(string: schema))
        wire = try CutWire(to: UInt16(try #require(parts.port)))
        parts.port = Int(wire.port)
        address = PostgresAddress(try #require(parts.string))
        direct = PostgresDatabase(self.schema, server: 2, lanes: 1, uptime: { 0 })
    }

    private func insert(_ number: Int, _ database: PostgresDatabase) async throws(StorageFault) {
        try await database.database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.insert) { $0.integer(number) }
        }
    }

    private func numbers() async throws(StorageFault) -> [Int] { try await Self.numbers(direct) }

    private static func numbers(_ database: PostgresDatabase) async throws(StorageFault) -> [Int] {
        try await database.database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) { (row) throws(StorageFault) in Int(try row.integer("number")) }
        }
    }

    @Test(arguments: CutWire.Direction.allCases)
    fileprivate func `a transaction is stored once, wherever its connection ends`(direction: CutWire.Direction)
        async throws
    {
        let database = PostgresDatabase(address, lanes: 1, waits: [.zero, .zero], uptime: { 0 })
        try await insert(0, database)
        wire.cut(nil)
        try await insert(1, database)
        let whole = wire.passed(direction)
        #expect(whole > 50)
        var count = 2
        // Also a few bytes after the transaction, which the next one then sends.
        for bytes in stride(from: 0, through: whole + 20, by: 3) {
            wire.cut(CutWire.Cut(direction: direction, bytes: bytes))
            try await insert(count, database)
            count += 1
        }
        wire.cut(nil)
        #expect(try await numbers() == Array(0..<count))
        await database.close()
        wire.close()
    }

    @Test func `a transaction that cannot be settled is a fault, and never stored twice`() async throws {
        let database = PostgresDatabase(address, lanes: 1, waits: [], uptime: { 0 })
        try await insert(0, database)
        wire.cut(nil)
        try await insert(1, database)
        let whole = wire.passed(.toClient)
        var acknowledged = [0, 1]
        for (number, bytes) in stride(from: 0, to: whole, by: 7).enumerated() {
            wire.cut(CutWire.Cut(direction: .toClient, bytes: bytes))
            do throws(StorageFault) {
                try await insert(2 + number, database)
                acknowledged.append(2 + number)
            } catch {
                #expect(error == .overloaded || "\(error)".contains("is not known"))
            }
        }
        wire.cut(nil)
        let stored = try await numbers()
        #expect(Set(stored).count == stored.count)
        #expect(Set(acknowledged).isSubset(of: stored))
        await database.close()
        wire.close()
    }

    /// Inserts a number, and waits at the gate with its COMMIT under way.
    private func insertAtGate(_ number: Int, _ database: PostgresDatabase) async throws(StorageFault) {
        try await database.database.transaction(isLong: true) { (connection) throws(StorageFault) in
            try connection.run(SQL.insert) { $0.integer(number) }
            try connection.run(SQL.passGate) { _ in }
        }
    }

    /// A server whose insert of the number 2 runs in PostgreSQL until the gate opens, while its caller has a fault.
    /// - Returns: the session that has the gate.
    private func makeUnsettled() async throws -> (database: PostgresDatabase, gate: PostgresSession) {
        let database = PostgresDatabase(address, lanes: 1, waits: [], uptime: { 0 })
        try await insertAtGate(0, database)
        wire.cut(nil)
        try await insertAtGate(1, database)
        let whole = wire.passed(.toServer)
        let gate = try PostgresSession(schema)
        try gate.run("BEGIN; LOCK TABLE gate IN ACCESS EXCLUSIVE MODE", "closes the gate")
        wire.cut(CutWire.Cut(direction: .toServer, bytes: whole))
        let fault = await #expect(throws: StorageFault.self) { try await insertAtGate(2, database) }
        #expect(fault == PostgresFailure.unsettled.fault)
        wire.cut(nil)
        return (database, gate)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a wait for earlier transactions includes one whose result is not known`() async throws {
        let (database, gate) = try await makeUnsettled()
        let direct = direct
        let waiting = Task {
            try await database.database.waitForEarlierTransactions()
            return try await Self.numbers(direct)
        }
        // Without the wait for the lane, the task would end meanwhile.
        for _ in 0..<500 { #expect(try await numbers() == [0, 1]) }
        try gate.run("COMMIT", "opens the gate")
        #expect(try await waiting.value == [0, 1, 2])
        try await database.database.waitForEarlierTransactions()
        await database.close()
        wire.close()
    }

    @Test(.timeLimit(.minutes(60)))
    func `a server that ends first does not say that all transactions have ended`() async throws {
        let (database, gate) = try await makeUnsettled()
        let waiting = Task { try await database.database.waitForEarlierTransactions() }
        await database.close()
        await #expect(throws: StorageFault.self) { try await waiting.value }
        await #expect(throws: StorageFault.self) { try await database.database.waitForEarlierTransactions() }
        try gate.run("COMMIT", "opens the gate")
        wire.close()
    }

    @Test func `a connection that another one has replaced changes nothing`() async throws {
        let name = LaneName(server: 7, lane: 0)
        let old = try TestedPostgres.connections.init(address, name, limits: StorageLimits())
        let new = try TestedPostgres.connections.init(address, name, limits: StorageLimits())
        for (connection, number) in [(old, 1), (new, 2)] {
            do throws(PostgresFailure) {
                try connection.begin(TransactionPlan())
                _ = try? connection.run(SQL.insert) { $0.integer(number) }
                try connection.commit()
                #expect(number == 2)
            } catch {
                #expect(error.state == "22012" && number == 1)
            }
        }
        #expect(try await numbers() == [2])
        wire.close()
    }
}
