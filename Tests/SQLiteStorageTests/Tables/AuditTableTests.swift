@testable import Engine
@testable import Possession
import Testing

@testable import SQLiteStorage

/// The audit log in the database: in the transaction of what it records, as one chain (OPS-04).
struct AuditTableTests {
    /// Sums in the place of hashes: that they chain is what counts here.
    private static let form = AuditForm(
        line: { entry, number, previous in
            let words = [number.description, entry.event.rawValue, entry.result.rawValue]
            let time = entry.at.milliseconds
            return Array("\(words.joined(separator: " ")) \(time) \(previous.prefix(2))".utf8)
        },
        time: { line in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            return Int64(words[3]).map { Timestamp(milliseconds: $0) }
        }, hash: { digest($0, 1) },
        code: { digest($0, 2) })

    private static func digest(_ bytes: [UInt8], _ seed: UInt8) -> [UInt8] {
        var digest = [UInt8](repeating: seed, count: 32)
        for (index, byte) in bytes.enumerated() { digest[index % 32] = digest[index % 32] &* 31 &+ byte }
        return digest
    }

    private let database: Database
    private let table: AuditTable

    init() throws {
        database = try Fixture.database()
        table = AuditTable(database, sealing: Fixture.sealing, form: Self.form)
    }

    private static func entry(_ event: AuditEvent = .clientAdded, at seconds: Int64 = 0) -> AuditEntry {
        AuditEntry(event, by: .operator, at: Fixture.now.adding(.seconds(seconds)))
    }

    private func texts() async throws -> [String] {
        try await table.lines(after: 0, limit: 100).map { String(decoding: $0.text, as: UTF8.self) }
    }

    private static let tenant = Tenant(
        id: Fixture.client, rules: TenantRules(), secretDigests: [SecretDigest([UInt8](repeating: 1, count: 32))],
        createdAt: Fixture.now)

    @Test func `each line has the hash of the one before`() async throws {
        for _ in 0..<3 { try await table.add(Self.entry()) }
        let lines = try await table.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == [1, 2, 3])
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(String(decoding: next.text, as: UTF8.self).hasSuffix("\(line.hash.prefix(2))"))
        }
        let (ends, isAuthentic) = try await table.ends()
        #expect(ends.last == 3 && ends.lastHash == lines[2].hash && ends.before == 0 && isAuthentic)
        #expect(try await table.lines(after: 1, limit: 1).map(\.number) == [2])
    }

    @Test func `an entry is stored with the first transaction that changes something, once`() async throws {
        let tenants = TenantsTable(database)
        let (_, isStored) = await table.auditing(Self.entry()) {
            _ = try? await tenants.tenants()
            try? await tenants.add(Self.tenant)
            _ = try? await tenants.revokeTenant(Fixture.client, at: Fixture.now)
        }
        #expect(isStored)
        #expect(try await texts().count == 1)
    }

    @Test func `what is taken back leaves no entry, and its refusal gets one of its own`() async throws {
        let tenants = TenantsTable(database)
        try await tenants.add(Self.tenant)
        let result = await table.recording(Self.entry(), result: { (isAdded: Bool) in isAdded ? .done : .refused }) {
            do throws(StorageFault) { try await tenants.add(Self.tenant) } catch { return false }
            return true
        }
        #expect(!result)
        let texts = try await texts()
        #expect(texts.count == 1 && texts[0].hasPrefix("1 client_added refused"))
    }

    @Test func `an order that changes nothing has an entry as well`() async throws {
        await table.recording(Self.entry(), result: { .done }) {}
        #expect(try await texts().map { $0.hasPrefix("1 client_added done") } == [true])
    }

    @Test func `of many orders at once each has its entry, and the chain is whole`() async throws {
        let tenants = TenantsTable(database)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    guard let id = ClientID("client-\(number)") else { return }
                    let tenant = Tenant(
                        id: id, rules: TenantRules(), secretDigests: Self.tenant.secretDigests, createdAt: Fixture.now)
                    await table.recording(Self.entry(), result: { .done }) { try? await tenants.add(tenant) }
                }
            }
        }
        let lines = try await table.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == Array(1...50))
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(String(decoding: next.text, as: UTF8.self).hasSuffix("\(line.hash.prefix(2))"))
        }
    }

    private static let later = Fixture.now.adding(.seconds(100))

    @Test func `a line of a wrong clock does not keep all that follow`() async throws {
        for second in [0, 100_000, 100_001, 10, 100_000, 30, 100_000] {
            try await table.add(Self.entry(at: Int64(second)))
        }
        func sweep(before second: Int) async throws -> Int {
            try await table.sweepAudit(before: Fixture.now.adding(.seconds(second)), at: Self.later)
        }
        #expect(try await sweep(before: 1) == 1)
        #expect(try await sweep(before: 10) == 0, "the next one is not old enough")
        #expect(try await sweep(before: 11) == 3)
        #expect(try await sweep(before: 99) == 2)
        #expect(try await table.lines(after: 0, limit: 100).map(\.number) == [7])
        #expect(try await table.ends().isAuthentic)
    }

    @Test func `the sweep takes old lines from the start, and the chain goes on from there`() async throws {
        for second in [0, 10, 20, 5, 40] { try await table.add(Self.entry(at: Int64(second))) }
        let all = try await table.lines(after: 0, limit: 100)
        #expect(try await table.sweepAudit(before: Fixture.now.adding(.seconds(20)), at: Self.later) == 2)
        // The fourth is older, and stays as the third does: a chain has no hole.
        #expect(try await table.lines(after: 0, limit: 100) == Array(all[2...]))
        let (ends, isAuthentic) = try await table.ends()
        #expect(ends.before == 2 && ends.beforeHash == all[1].hash && ends.last == 5 && isAuthentic)
        #expect(try await table.sweepAudit(before: Fixture.now.adding(.seconds(20)), at: Self.later) == 0)
        try await table.add(Self.entry(at: 50))
        #expect(try await table.lines(after: 5, limit: 100).map(\.number) == [6])
    }

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

    @Test func `a change that fails after its first part has a second entry`() async throws {
        let tenants = TenantsTable(database)
        let result = await table.recordingChange(Self.entry()) { () async -> Result<Void, StorageFault> in
            try? await tenants.add(Self.tenant)
            return .failure(.overloaded)
        }
        #expect(throws: StorageFault.overloaded) { try result.get() }
        let texts = try await texts()
        #expect(texts.map { $0.contains(" failed ") } == [false, true])
    }

    @Test func `a line that cannot be opened is there without its text`() async throws {
        for _ in 0..<2 { try await table.add(Self.entry()) }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE audit_entries SET line_sealed = x'00' WHERE number = 1")
        }
        #expect(try await table.lines(after: 0, limit: 2).map(\.text.isEmpty) == [true, false])
    }

    @Test func `a closed prefix and a stopped check stand in the log with the change that closed them`() async throws {
        let limits = LimitCountsTable(
            database, sealing: Fixture.sealing, limits: LiveLimits(Limits.OverSessions()), audit: table)
        let key = LimitKey(.wrongCodesOfOwner, Fixture.number, of: Fixture.client)
        for _ in 0..<101 {
            try await limits.count([key]) { $0.countFailure([key], by: .init(), at: Fixture.now) }
        }
        let texts = try await texts()
        #expect(texts.count == 1 && texts[0].hasPrefix("1 check_stopped done"))
    }
}
