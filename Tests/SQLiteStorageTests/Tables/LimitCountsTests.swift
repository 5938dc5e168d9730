import Foundation
import TestSupport
import Testing

@testable import Engine
@testable import Possession
@testable import SQLiteStorage
@testable import Storage

/// Counts of limits, as they are stored: ABU-09, ABU-10, DAT-04.
@Suite struct LimitCountsTests {
    private let key = LimitKey(.startsFromAddress, of: Fixture.client, [192, 0, 2, 1])
    private let rules = {
        var rules = Limits.OverSessions()
        rules.startsPerAddressPerTenMinutes = 10
        return rules
    }()

    private func take(_ sessions: SessionsTable, _ keys: [LimitKey], at now: Timestamp = Fixture.now) async throws
        -> LimitHit?
    {
        let rules = rules
        return try await sessions.insert(Fixture.session(at: now), freshHolderID: Fixture.id(), counting: keys) {
            tallies in
            do throws(LimitHit) { try tallies.check(keys, by: rules, at: now) } catch { return error }
            tallies.count(keys, by: rules, at: now)
            return nil
        }
    }

    private func count(_ sql: Statement, _ database: Database) async throws -> Int64? {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.first(sql) { (row) throws(StorageFault) in try row.integer("count") }
        }
    }

    @Test func `lets exactly the limit through, however many ask at once`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<60 { group.addTask { try await take(sessions, [key]) == nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 10)
        #expect(try await count("SELECT count(*) FROM sessions", database) == 10, "a refused session is not stored")
    }

    @Test func `reads a key once that is named twice, and stores what was counted under it`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let other = LimitKey(.startsFromNetwork, of: Fixture.client, [192, 0, 2])
        #expect(try await take(sessions, [key, other, key]) == nil)
        #expect(try await count("SELECT count(*) FROM limit_counts", database) == 2)
        let table = LimitCountsTable(database, sealing: Fixture.sealing, limits: LiveLimits(rules))
        let counted = try await table.tallies([key, other])
        #expect(counted[key]?.entries.count == 2 && counted[other]?.entries.count == 1)
    }

    /// ABU-02: the time between two messages is asked in the transaction that counts them.
    @Test func `of sends at once to a number one is counted`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let rules = rules
        let number = Fixture.number
        let keys = [LimitKey(.sendsToNumber, number, of: Fixture.client)]
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    let hit = try await sessions.insert(Fixture.session(), freshHolderID: Fixture.id(), counting: keys)
                    {
                        tallies in
                        do throws(LimitHit) {
                            try tallies.checkSend(keys[0], by: rules, at: Fixture.now)
                        } catch { return error }
                        tallies.count(keys, by: rules, at: Fixture.now)
                        return nil
                    }
                    return hit == nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 1)
    }

    @Test func `tells the very moment at which the next one fits`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        for second: Int64 in 0..<10 {
            #expect(try await take(sessions, [key], at: Fixture.now.adding(.seconds(second))) == nil)
        }
        let hit = try #require(try await take(sessions, [key], at: Fixture.now.adding(.seconds(100))))
        #expect(hit == LimitHit(.startsPerAddress, retryAfterSeconds: 500))
        let almost = Fixture.now.adding(.milliseconds(599_999))
        #expect(try await take(sessions, [key], at: almost) == LimitHit(.startsPerAddress, retryAfterSeconds: 1))
        #expect(try await take(sessions, [key], at: Fixture.now.adding(.seconds(600))) == nil)
    }

    @Test func `keeps its counts over a restart`() async throws {
        let folder = try TemporaryFolder()
        for expected in [true, false] {
            let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
            let database = sqlite.database
            let sessions = Fixture.sessions(database)
            var passed = 0
            for _ in 0..<10 where try await take(sessions, [key]) == nil { passed += 1 }
            #expect(passed == (expected ? 10 : 0))
            await sqlite.close()
        }
    }

    @Test func `forgets a count when its window has passed, and a full stop never`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let codes = LimitKey(.wrongCodes, Fixture.number, of: Fixture.client)
        let rules = rules
        for (key, failures) in [
            (key, 0), (codes, 100), (LimitKey(.refusedLinks, Fixture.number, of: Fixture.client), 99),
        ] {
            let session = Fixture.session()
            try await sessions.insert(session)
            var lookup = ChangeInputs()
            lookup.limitKeys = { _, _ in [key] }
            _ = try await sessions.update(session, lookup) { change in
                if failures == 0 { change.tallies.count([key], by: rules, at: Fixture.now) }
                for _ in 0..<failures { change.tallies.countFailure([key], by: rules, at: Fixture.now) }
            }
        }
        let past = Timestamp(seconds: 0)
        let tenMinutes = Fixture.now.adding(.seconds(600))
        let day = Fixture.now.adding(.seconds(86_400))
        #expect(try await sessions.sweep(sessionsBefore: past, now: tenMinutes.adding(.milliseconds(-1))) == 0)
        #expect(try await sessions.sweep(sessionsBefore: past, now: tenMinutes) == 1)
        #expect(try await sessions.sweep(sessionsBefore: past, now: day.adding(.seconds(89 * 86_400))) == 1)
        #expect(try await sessions.sweep(sessionsBefore: past, now: day.adding(.seconds(9000 * 86_400))) == 0)
        let table = LimitCountsTable(database, sealing: Fixture.sealing, limits: LiveLimits(Limits.OverSessions()))
        #expect(try await table.tallies([codes])[codes]?.failuresInARow == 100)
        #expect(try await table.forgetTallies([codes, key]) == 1)
        #expect(try await table.tallies([codes]).isEmpty)
    }

    @Test func `keeps no number, address or prefix of one in any file`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let sessions = Fixture.sessions(database)
        let number = PhoneNumber(e164: "+4915112345678")!
        let address = Array("198.51.100.77".utf8)
        for _ in 0..<3 {
            _ = try await take(
                sessions,
                [
                    LimitKey(.sendsToNumber, number, of: Fixture.client), LimitKey(.startsFromAddress, address),
                    LimitKey(.startsFromNetwork, Array(number.e164.utf8.dropLast(3))),
                ])
        }
        for (name, content) in try folder.contents() {
            for needle in ["4915112345", "198.51.100"] {
                #expect(Data(content).range(of: Data(needle.utf8)) == nil, "\(name)")
            }
        }
        await sqlite.close()
    }

    @Test func `refuses a damaged record, and reads none that would trap`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        _ = try await take(sessions, [key])
        for damage: Statement in [
            "UPDATE limit_counts SET tally = x''",
            // An unknown version, a cut head, an unknown part.
            "UPDATE limit_counts SET tally = x'01000000000000000000000000000000'",
            "UPDATE limit_counts SET tally = x'020000000000000000000000000000'",
            "UPDATE limit_counts SET tally = x'02040000000000000000000000000000'",
            // A moment beyond all years.
            """
            UPDATE limit_counts SET tally =
              x'020000000000000000000000000000017FFFFFFFFFFFFFFF000000010000'
            """,
            // Counts of 32 bits: 31 are ever written.
            "UPDATE limit_counts SET tally = x'0200FFFFFFFF00000000000000000000'",
            "UPDATE limit_counts SET tally = x'02000000000000000000000000010000000000000000FFFFFFFF0000'",
            // More entries than there are.
            "UPDATE limit_counts SET tally = x'0200000000000000000000000000FFFF'",
            // A bucket of infinitely many tokens, and one that is cut.
            """
            UPDATE limit_counts SET tally =
              x'020100000000000000000000000000007FF00000000000000000000000000000000000000000000000'
            """,
            "UPDATE limit_counts SET tally = x'020100000000000000000000000000004018000000000000'",
            // Half an open number.
            "UPDATE limit_counts SET tally = x'020000000000000000000000000000000001000100010001'",
        ] {
            try await database.transaction { (connection) throws(StorageFault) in try connection.run(damage) }
            await #expect(throws: StorageFault.corrupt(what: "limit_counts.tally"), "\(damage.text)") {
                try await take(sessions, [key])
            }
        }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(
                "UPDATE limit_counts SET tally = x'02007FFFFFFF0000000000000000000100000000000000007FFFFFFFFFFF'")
        }
        #expect(try await take(sessions, [key]) == nil)
    }
}
