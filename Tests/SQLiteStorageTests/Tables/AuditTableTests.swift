import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// The rows of the audit log, damaged or written by another program.
@Suite struct AuditTableTests {
    private let database: Database
    private let table: AuditTable

    init() throws {
        database = try Fixture.database()
        table = AuditTable(database, sealing: Fixture.sealing, form: .sums)
    }

    private static func entry(at seconds: Int64 = 0) -> AuditEntry {
        AuditEntry(.clientAdded, by: .operator, at: Fixture.now.adding(.seconds(seconds)))
    }

    private static let later = Fixture.now.adding(.seconds(100))

    /// D7 of live findings: the column beside the line decides nothing, and no line that is damaged makes room for others.
    @Test func `the sweep goes by the time in the line, not by the column beside it`() async throws {
        for second in [50, 60, 70] { try await table.add(Self.entry(at: Int64(second))) }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE audit_entries SET at_ms = 1000")
        }
        #expect(try await table.sweepAudit(before: Fixture.now.adding(.seconds(40)), at: Self.later) == 0)
        #expect(try await table.sweepAudit(before: Fixture.now.adding(.seconds(55)), at: Self.later) == 1)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE audit_entries SET line_sealed = x'00' WHERE number = 2")
        }
        #expect(try await table.sweepAudit(before: Fixture.now.adding(.seconds(90)), at: Self.later) == 0)
        #expect(try await table.lines(after: 0, limit: 9).map(\.number) == [2, 3])
    }

    @Test func `ends that somebody without the key has written are not authentic`() async throws {
        for _ in 0..<3 { try await table.add(Self.entry()) }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("DELETE FROM audit_entries WHERE number = 3")
            try connection.run(
                """
                UPDATE audit_ends SET last_number = 2,
                  last_hash = (SELECT hash FROM audit_entries WHERE number = 2)
                """)
        }
        #expect(try await table.ends().isAuthentic == false)
        // No entry that comes later makes them so.
        try await table.add(Self.entry())
        _ = try await table.sweepAudit(before: Fixture.now.adding(.seconds(1)), at: Self.later)
        #expect(try await table.ends().isAuthentic == false)
    }

    @Test func `a log that has lost its ends goes on, and is not authentic`() async throws {
        for _ in 0..<2 { try await table.add(Self.entry()) }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("DELETE FROM audit_ends")
        }
        #expect(try await table.ends().isAuthentic == false)
        try await table.add(Self.entry())
        #expect(try await table.lines(after: 0, limit: 9).map(\.number) == [1, 2, 3])
        #expect(try await table.ends().isAuthentic == false)
    }

    @Test func `a line that cannot be opened is there without its text`() async throws {
        for _ in 0..<2 { try await table.add(Self.entry()) }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE audit_entries SET line_sealed = x'00' WHERE number = 1")
        }
        #expect(try await table.lines(after: 0, limit: 2).map(\.text.isEmpty) == [true, false])
    }
}
