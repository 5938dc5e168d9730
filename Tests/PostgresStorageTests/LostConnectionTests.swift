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
    }

    private let wire: CutWire
    private let address: PostgresAddress
    private let direct: PostgresDatabase

    init() throws {
        let schema = try TestedPostgres.makeSchema("CREATE TABLE words (number bigint NOT NULL)")
        var parts = try #require(URLComponents(string: schema))
        wire = try CutWire(to: UInt16(try #require(parts.port)))
        parts.port = Int(wire.port)
        address = PostgresAddress(try #require(parts.string))
        direct = PostgresDatabase(PostgresAddress(schema), server: 2, lanes: 1, uptime: { 0 })
    }

    private func insert(_ number: Int, _ database: PostgresDatabase) async throws(StorageFault) {
        try await database.database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.insert) { $0.integer(number) }
        }
    }

    private func numbers() async throws(StorageFault) -> [Int] {
        try await direct.database.read { (connection) throws(StorageFault) in
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
