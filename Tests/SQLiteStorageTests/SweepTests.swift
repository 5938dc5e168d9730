import Foundation
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct SweepTests {
    private func count(_ table: Statement, _ database: Database) async throws -> Int64? {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.first(table) { (row) throws(StorageFault) in try row.integer("count") }
        }
    }

    @Test func `removes sessions made before a moment with all that hangs on them`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let old = Fixture.session(at: Fixture.now.adding(.milliseconds(-1)))
        let kept = Fixture.session(at: Fixture.now)
        for session in [old, kept] {
            try await sessions.insert(session)
            var lookup = ChangeInputs()
            lookup.proof = Fixture.proof([1])
            lookup.retry = RetryKey(path: "/p", requestID: "r", body: BodyDigest([1]))
            _ = try await sessions.update(session, lookup) { change in
                change.reply = KeptReply(
                    requestBody: BodyDigest([1]), reply: OperationReply(refusal: nil, session: change.session), at: nil)
            }
        }
        // The session with its event, proof and answer.
        #expect(try await sessions.sweep(sessionsBefore: Fixture.now, now: Fixture.now) == 4)
        #expect(try await sessions.session(.auth(old.authID)) == nil)
        #expect(try await sessions.session(.auth(kept.authID)) != nil)
        #expect(try await count("SELECT count(*) FROM session_events", database) == 1)
        #expect(try await count("SELECT count(*) FROM used_proofs", database) == 1)
        #expect(try await count("SELECT count(*) FROM replayed_replies", database) == 1)
        #expect(try await sessions.sweep(sessionsBefore: Fixture.now, now: Fixture.now) == 0)
    }

    @Test func `removes the links and attempts of a session with it`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        for (byte, time): (UInt8, Timestamp) in [(1, Fixture.now.adding(.milliseconds(-1))), (2, Fixture.now)] {
            let session = try Fixture.linkSession(at: time)
            try await sessions.insert(session)
            _ = try await sessions.update(session) { change in
                _ = try? change.session.sendLink(
                    .first(nil), link: Fixture.link(byte), browser: nil, at: time, rules: Fixture.rules)
            }
            let other = try Fixture.mobileAuthSession(at: time)
            try await sessions.insert(other)
            _ = try await sessions.update(other) { change in
                try? change.session.beginMobileAuth(
                    Fixture.attempt(byte), ticket: TicketDigest([byte]), at: time, rules: Fixture.rules)
            }
        }
        // Two sessions with three events each; a link and an attempt.
        #expect(try await sessions.sweep(sessionsBefore: Fixture.now, now: Fixture.now) == 10)
        #expect(try await sessions.session(.link(Fixture.digest(1))) == nil)
        #expect(try await sessions.session(.attempt(Fixture.attempt(1))) == nil)
        #expect(try await sessions.session(.link(Fixture.digest(2))) != nil)
        #expect(try await sessions.session(.attempt(Fixture.attempt(2))) != nil)
        #expect(try await count("SELECT count(*) FROM session_keys WHERE kind = 'link'", database) == 1)
        #expect(try await count("SELECT count(*) FROM session_keys WHERE kind = 'attempt'", database) == 1)
    }

    /// OTP-08.
    @Test func `erases the digest of a code once it has expired, and nothing else of its check`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        let sessions = Fixture.sessions(database)
        let digest = [UInt8](repeating: 0xC7, count: 32)
        let session = try Fixture.waitingSession(digest)
        try await sessions.insert(session)
        func filesWithDigest() throws -> Int {
            try folder.contents().values.count { $0.firstRange(of: digest) != nil }
        }
        let past = Timestamp(seconds: 0)
        let expiresAt = try #require(session.otp.expiresAt)
        #expect(expiresAt < session.expiresAt)
        #expect(try await sessions.sweep(sessionsBefore: past, now: expiresAt.adding(.milliseconds(-1))) == 0)
        #expect(try filesWithDigest() > 0)
        #expect(try await sessions.sweep(sessionsBefore: past, now: expiresAt) == 1)
        #expect(try await sessions.sweep(sessionsBefore: past, now: expiresAt) == 0)
        #expect(try filesWithDigest() == 0)
        let late = try #require(try await sessions.session(.auth(session.authID)))
        #expect(late.otp.expiresAt == expiresAt && late.phase == session.phase && late.otp.attemptsLeft == 3)
        // Not even the right code passes any more, wherever the clock stands.
        for digest in [digest, []] {
            var check = late.otp
            #expect(check.submit(OTPDigest(digest), isLast: false, at: expiresAt) == .expired)
        }
        var check = late.otp
        let outcome = check.submit(OTPDigest(digest), isLast: false, at: Fixture.now)
        #expect(outcome == .mismatch)
        _ = try await sessions.update(session) { $0.session.expire(at: session.expiresAt) }
        #expect(try await sessions.session(.auth(session.authID))?.outcome == .expired)
        await sqlite.close()
    }

    /// OTP-08.
    @Test func `a passed or failed check keeps no digest`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        for submitted in [Fixture.right, [UInt8](repeating: 8, count: 32)] {
            let session = try Fixture.waitingSession()
            try await sessions.insert(session)
            for _ in 0..<3 {
                _ = try await sessions.update(session) { change in
                    try? change.session.verifyOTP(
                        { _, _ in OTPDigest(submitted) }, at: Fixture.now, rules: Fixture.rules)
                }
            }
            #expect(try await sessions.session(.auth(session.authID))?.isDone == true)
        }
        #expect(try await count("SELECT count(*) FROM sessions WHERE otp_digest IS NOT NULL", database) == 0)
    }

    @Test func `removes what nobody redeemed, looking at each session once`() async throws {
        var limits = SQLiteLimits()
        limits.storage.rowsPerSweep = 3
        let database = try Fixture.database(limits: limits)
        let sessions = Fixture.sessions(database)
        for index in 0..<7 {
            try await sessions.insert(Fixture.session(at: Fixture.now.adding(.milliseconds(Int64(index)))))
        }
        let redeemed = try Fixture.waitingSession(at: Fixture.now.adding(.milliseconds(3)))
        try await sessions.insert(redeemed)
        let young = Fixture.session(at: Fixture.now.adding(.milliseconds(100)))
        try await sessions.insert(young)
        let (end, now) = (Fixture.now.adding(.milliseconds(100)), young.readableUntil)
        var rounds: [Int] = []
        for _ in 0..<4 { rounds.append(try await sessions.sweepUnredeemed(before: end, now: now)) }
        #expect(rounds == [3, 3, 2, 0])
        #expect(try await count("SELECT count(*) FROM sessions", database) == 2)
        #expect(try await sessions.session(.auth(redeemed.authID)) != nil)
        #expect(try await sessions.session(.auth(young.authID)) != nil)
        #expect(try await sessions.sweepUnredeemed(before: end.adding(.milliseconds(1)), now: now) == 1)
    }

    @Test func `does a bounded amount a call`() async throws {
        var limits = SQLiteLimits()
        limits.storage.rowsPerSweep = 3
        let sessions = Fixture.sessions(try Fixture.database(limits: limits))
        for _ in 0..<7 { try await sessions.insert(Fixture.session()) }
        var rounds: [Int] = []
        for _ in 0..<4 {
            rounds.append(try await sessions.sweep(sessionsBefore: Fixture.now.adding(.seconds(1)), now: Fixture.now))
        }
        #expect(rounds == [6, 6, 2, 0])
    }

    /// DAT-02, DAT-05, OTP-08.
    @Test func `leaves no number in any file, and after a sweep no ciphertext of one`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let sessions = Fixture.sessions(database)
        // The part all numbers share: plain, reversed, base64 (of its first six digits, three at a time).
        let needles = ["4915112", "2115194", "NDkxNTEx"].map { Data($0.utf8) }
        for index in 0..<200 {
            let number = PhoneNumber(e164: "+4915112\(100_000 + index)")!
            let session = Fixture.session(number: number)
            try await sessions.insert(session)
            _ = try await sessions.update(session) { change in
                change.session.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
                change.deviceKey = Fixture.key(UInt8(index))
            }
        }
        for (name, content) in try folder.contents() {
            let data = Data(content)
            #expect(needles.allSatisfy { data.range(of: $0) == nil }, "\(name)")
        }
        // The part all numbers share, under the toy cipher.
        let sealed = Data("4915112".utf8.map { $0 ^ 0x5A })
        #expect(try folder.contents().values.contains { Data($0).range(of: sealed) != nil })
        let later = Fixture.now.adding(.seconds(1))
        while try await sessions.sweep(sessionsBefore: later, now: later) > 0 {}
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("DELETE FROM identities; DELETE FROM device_keys")
        }
        await sqlite.close()
        for (name, content) in try folder.contents() { #expect(Data(content).range(of: sealed) == nil, "\(name)") }
    }
}
