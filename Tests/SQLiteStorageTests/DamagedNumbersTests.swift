import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// A row may hold any whole number: reading it ends in a value or a fault, never in the end of the process
/// (DUR-09, OPS-08).
@Suite struct DamagedNumbersTests {
    /// Every column of whole numbers in every table of ours.
    private static func columns(_ database: SQLiteDatabase) async throws -> [(table: String, column: String)] {
        let lines: [String] = try await database.transaction { (connection) throws(StorageFault) in
            try connection.all(
                """
                SELECT t.name || ' ' || c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
                  WHERE t.type = 'table' AND c.type = 'INTEGER' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1
                """
            ) { (row) throws(StorageFault) in try row.text("name") }
        }
        return lines.map { line in
            let parts = line.split(separator: " ").map(String.init)
            return (parts[0], parts[1])
        }
    }

    private func fill(_ database: SQLiteDatabase) async throws -> [Session] {
        let sessions = Fixture.sessions(database)
        var waiting = try Fixture.waitingSession()
        waiting.expire(at: Fixture.now)
        var done = Fixture.session()
        done.cancel(at: Fixture.now)
        let all = [waiting, done, try Fixture.linkSession(), try Fixture.mobileAuthSession(), Fixture.session()]
        for session in all { try await sessions.insert(session) }
        _ = try await sessions.update(all[4]) { change in
            change.deviceKey = Fixture.key(3)
            change.countSend(to: Fixture.number)
        }
        try await TenantsTable(database.database).add(
            Tenant(
                id: Fixture.client, rules: TenantRules(), secretDigests: [SecretDigest([1])], createdAt: Fixture.now,
                revokedAt: Fixture.now))
        try await SandboxClockTable(database.database).save { 5 }
        try await SigningKeysTable(database.database).add(
            StoredSigningKey(
                kid: "k", purpose: .auth, createdAt: Fixture.now, activatesAt: Fixture.now, half: .sealedPrivate([1])))
        try await Self.audit(database).add(AuditEntry(.clientAdded, by: .operator, at: Fixture.now))
        try await KeysetsTable(database.database).replaceKeysets(
            [],
            with: [
                StoredKeyset(
                    masterID: [UInt8](repeating: 1, count: 8), number: 1, createdAt: Fixture.now,
                    sealed: [UInt8](repeating: 1, count: 64))
            ])
        try await database.probe()
        return all
    }

    /// An audit table; its chain is no matter here.
    private static func audit(_ database: SQLiteDatabase) -> AuditTable {
        AuditTable(
            database.database, sealing: Fixture.sealing,
            form: AuditForm(
                line: { _, _, _ in [1] }, time: { _ in Fixture.now }, hash: { _ in [UInt8](repeating: 2, count: 32) },
                code: { _ in [UInt8](repeating: 3, count: 32) }))
    }

    /// Reads everything there is, and works with it; faults are what is wanted.
    private func read(_ database: SQLiteDatabase, _ all: [Session]) async {
        let sessions = Fixture.sessions(database)
        var lookup = ChangeInputs()
        lookup.limitKeys = { _, _ in NumberStanding.keys(of: .number(Fixture.number), at: Fixture.client) }
        for session in all {
            if var found = try? await sessions.session(.correlation(session.correlationID)) {
                _ = found.isReadable(at: Fixture.now)
                _ = found.nextExpiry
                found.expire(at: Fixture.now.adding(.seconds(1)))
                found.cancel(at: Fixture.now)
            }
            _ = try? await sessions.events(of: session.correlationID)
            _ = try? await sessions.update(session, lookup) { change in
                change.session.expire(at: Fixture.now.adding(.seconds(200)))
                change.session.cancel(at: Fixture.now)
            }
        }
        _ = try? await sessions.recentSessions(limit: 10)
        _ = try? await sessions.sweep(sessionsBefore: Timestamp(seconds: 0), now: Fixture.now)
        let keys = DeviceKeysTable(database.database, sealing: Fixture.sealing)
        _ = try? await keys.deviceKey(Fixture.key(3).id, of: Fixture.client)
        _ = try? await TenantsTable(database.database).tenants()
        _ = try? await SandboxClockTable(database.database).offsetSeconds()
        _ = try? await SigningKeysTable(database.database).signingKeys()
        _ = try? await ClockMarkTable(database.database).find()
        let audit = Self.audit(database)
        try? await audit.add(AuditEntry(.clientAdded, by: .operator, at: Fixture.now))
        _ = try? await audit.ends()
        _ = try? await audit.lines(after: 0, limit: 10)
        _ = try? await audit.sweepAudit(before: Fixture.now, at: Fixture.now)
        // As a new master key is counted.
        for keyset in (try? await KeysetsTable(database.database).keysets()) ?? [] { _ = keyset.number + 1 }
        try? await database.probe()
    }

    @Test(arguments: [Int64.max, Int64.min, -1, 253_402_300_800_000])
    func `no stored whole number ends the process`(value: Int64) async throws {
        let database = try Fixture.sqlite()
        let columns = try await Self.columns(database)
        #expect(columns.count > 20)
        for (table, column) in columns {
            let database = try Fixture.sqlite()
            let all = try await fill(database)
            try await database.transaction { (connection) throws(StorageFault) in
                // Where the schema refuses the value, it cannot be there.
                try? connection.script(
                    "PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE \(table) SET \(column) = \(value)")
            }
            await read(database, all)
        }
    }

    @Test(arguments: [
        (Int64.max, false), (.max - 1, true), (.min, false), (-1, false), (0, true),
    ]) func `no entry follows a last number that is none`(last: Int64, isTaken: Bool) async throws {
        let database = try Fixture.sqlite()
        let audit = Self.audit(database)
        try await audit.add(AuditEntry(.clientAdded, by: .operator, at: Fixture.now))
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("DELETE FROM audit_entries; UPDATE audit_ends SET last_number = \(last)")
        }
        do {
            try await audit.add(AuditEntry(.clientAdded, by: .operator, at: Fixture.now))
            #expect(isTaken)
        } catch { #expect(!isTaken && error == .corrupt("audit_ends.last_number")) }
    }

    @Test(arguments: ["record_sealed = x''", "record_sealed = x'01'", "otp_digest = NULL", "client_id = ''"])
    func `a damaged session is refused, and the others are not`(damage: String) async throws {
        let database = try Fixture.sqlite()
        let sessions = Fixture.sessions(database)
        let bad = try Fixture.waitingSession()
        let good = try Fixture.waitingSession()
        try await sessions.insert(bad)
        try await sessions.insert(good)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script(
                "UPDATE sessions SET \(damage) WHERE hex(correlation_id) = '\(hex(bad.correlationID))'")
        }
        await #expect(throws: StorageFault.self) {
            try await sessions.session(.correlation(bad.correlationID))
        }
        #expect(try await sessions.session(.correlation(good.correlationID)) == good.asStored)
    }

    private func hex(_ id: CorrelationID) -> String {
        id.text.utf8.filter { $0 != UInt8(ascii: "-") }.map { String(UnicodeScalar($0)) }.joined().uppercased()
    }
}
