import Possession
import Testing

@testable import SQLiteStorage

/// The parts of a session that stand in records: `link_check`, `mobile_auth_check`, `risk_reasons`, `subject_sealed`.
@Suite struct SessionRecordsTests {
    private func blob(_ sql: StaticString, _ database: Database) async throws -> [UInt8]? {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.first(sql) { (row) throws(StorageFault) in try row.optionalBlob("blob") }
        } ?? nil
    }

    private func record(_ version: UInt8 = 1, _ fields: (inout RecordWriter) -> Void) throws -> [UInt8] {
        var writer = RecordWriter(version: version)
        fields(&writer)
        return try writer.finished("test")
    }

    @Test func `writes no record for a session without link and Mobile Auth`() async throws {
        let database = try Fixture.database()
        let session = try Fixture.waitingSession()
        try await Fixture.sessions(database).insert(session)
        let set: StaticString = """
            SELECT count(*) FROM sessions WHERE coalesce(link_check, mobile_auth_check, risk_reasons) IS NOT NULL
            """
        let count = try await database.transaction { (connection) throws(StorageFault) in
            try connection.first(set) { (row) throws(StorageFault) in try row.integer("count") }
        }
        #expect(count == 0)
        let sealed = try #require(try await blob("SELECT subject_sealed FROM sessions", database))
        #expect(sealed[0] ^ 0x5A == 1)
    }

    @Test func `seals what is personal or secret in a check`() async throws {
        let database = try Fixture.database()
        let session = Fixture.session()
        let stored = Session(
            stored: .init(
                correlationID: session.correlationID, authID: session.authID, clientID: session.clientID,
                createdAt: session.createdAt, expiresAt: session.expiresAt, request: session.request,
                flowDigest: nil, phase: .active(.mobileAuth), revision: 1, binding: .bearer, declaration: nil,
                enteredNumber: nil,
                device: session.device,
                mobileAuth: MobileAuthCheck(
                    state: .answered(.found(Fixture.number), result: [1]), attempt: nil, attemptsLeft: 1),
                sends: session.sends, otp: session.otp,
                link: LinkCheck(
                    state: .waiting(expiresAt: Fixture.now), digest: Fixture.digest(1), matchCode: "47",
                    browser: "Firefox on Linux"),
                bindTriesLeft: 1, proof: nil, prefill: nil, riskReasons: [], deviceID: nil, keyFinding: nil,
                proveID: nil, eventCount: 1)
        )
        try await Fixture.sessions(database).insert(stored)
        #expect(try await Fixture.sessions(database).session(.auth(session.authID)) == stored)
        let open =
            try #require(try await blob("SELECT link_check FROM sessions", database))
            + #require(try await blob("SELECT mobile_auth_check FROM sessions", database))
        for secret in ["47", "Firefox", "2001004014"] {
            #expect(!String(decoding: open, as: UTF8.self).contains(secret), "\(secret)")
        }
        let sealed = try #require(try await blob("SELECT subject_sealed FROM sessions", database))
        #expect(sealed[0] ^ 0x5A == 3)
    }

    @Test func `takes the default attempts for those of a session without Mobile Auth, and keeps others`() throws {
        let usual = MobileAuthCheck(attemptsLeft: Limits().mobileAuthAttemptsPerSession)
        #expect(try usual.record() == nil)
        #expect(try MobileAuthCheck(nil, SealedSubject()) == usual)
        for attemptsLeft in [0, usual.attemptsLeft - 1, usual.attemptsLeft + 1] {
            let check = MobileAuthCheck(attemptsLeft: attemptsLeft)
            let record = try #require(try check.record())
            #expect(try MobileAuthCheck(record, SealedSubject()) == check)
        }
    }

    @Test func `seals the birth date and SSN that a run began with`() async throws {
        let database = try Fixture.database()
        let run = Fixture.run(
            nil, claim: PersonClaim(dob: PartialDate("1982-07-19"), ssn: PartialSSN("470806227")))
        try await Fixture.sessions(database).insert(run)
        #expect(try await Fixture.sessions(database).session(.auth(run.authID)) == run.asStored)
        let sealed = try #require(try await blob("SELECT subject_sealed FROM sessions", database))
        #expect(sealed[0] ^ 0x5A == 3)
        let open = try #require(try await blob("SELECT prefill_check FROM sessions", database))
        for secret in ["1982", "6227"] { #expect(!String(decoding: open, as: UTF8.self).contains(secret)) }
    }

    // MARK: Bad records

    @Test func `refuses a Pre-Fill record that is cut, longer, of another version or with no step of ours`() throws {
        let check = PrefillCheck(step: .challenged, challengesLeft: 2)
        let whole = try check.record()
        #expect(try PrefillCheck(whole) == check)
        let word = try record {
            $0.text("asleep")
            $0.integer(1)
        }
        let cuts = (0..<whole.count).map { Array(whole[..<$0]) }
        for bad in cuts + [whole + [0], [0] + whole.dropFirst(), [2] + whole.dropFirst(), word] {
            #expect(throws: StorageFault.corrupt(what: "sessions.prefill_check")) { try PrefillCheck(bad) }
        }
    }

    @Test func `refuses the terms of an auth run that are cut, longer, of another version or half there`() throws {
        let message = AuthTerms.Message(template: try MessageTemplate("code ####"), allowPhoneChange: true)
        let terms = AuthTerms(
            subjects: [.mobile, .user], code: message, deviceKey: true, maxKeyAgeSeconds: 60,
            user: .init(id: "u-1", isProvided: true))
        let whole = try terms.record()
        #expect(try AuthTerms(whole) == terms)
        // A text or a user that is not there has no flags.
        let half = try record {
            for _ in 0..<3 { $0.flag(false) }
            $0.text(nil)
            $0.flag(true)
        }
        let cuts = (0..<whole.count).map { Array(whole[..<$0]) }
        for bad in cuts + [whole + [0], [2] + whole.dropFirst(), half] {
            #expect(throws: StorageFault.corrupt(what: "sessions.subject_sealed")) { try AuthTerms(bad) }
        }
        let finding = try AuthTerms.KeyFinding(boundAt: Fixture.now, userAgrees: true).record()
        for bad in (0..<finding.count).map({ Array(finding[..<$0]) }) + [finding + [0]] {
            #expect(throws: StorageFault.corrupt(what: "sessions.key_finding")) { try AuthTerms.KeyFinding(bad) }
        }
    }

    @Test func `refuses a session of an auth run without its terms`() async throws {
        let database = try Fixture.database()
        let session = Fixture.session()
        try await Fixture.sessions(database).insert(session)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE sessions SET product = 'auth'")
        }
        await #expect(throws: StorageFault.corrupt(what: "sessions.product")) {
            try await Fixture.sessions(database).session(.auth(session.authID))
        }
    }

    @Test func `refuses a link record that is cut, longer, or of another version`() throws {
        let subject = SealedSubject()
        for state: LinkCheck.State in [.waiting(expiresAt: Fixture.now), .failed(.denied), .passed] {
            let check = LinkCheck(state: state, digest: Fixture.digest(1), sentAt: Fixture.now)
            let whole = try #require(try check.record())
            #expect(try LinkCheck(whole, subject) == check)
            // A record from before the addresses were kept.
            #expect(try LinkCheck([1] + whole.dropFirst().dropLast(2), subject) == check)
            let cuts = (0..<whole.count).map { Array(whole[..<$0]) }
            for bad in cuts + [whole + [0], [0] + whole.dropFirst(), [3] + whole.dropFirst()] {
                #expect(throws: StorageFault.corrupt(what: "sessions.link_check")) { try LinkCheck(bad, subject) }
            }
        }
    }

    @Test func `refuses a Mobile Auth record that is cut, longer, or of another version`() throws {
        let subject = SealedSubject()
        let states: [MobileAuthCheck.State] = [
            .ready, .offered(TicketDigest([1]), expiresAt: Fixture.now),
            .travelling(from: AddressDigest([1]), operatorName: "a", expiresAt: Fixture.now), .asking,
            .answered(.agrees, result: [1]), .ended(nil), .ended(.mismatch),
        ]
        for state in states {
            let check = MobileAuthCheck(state: state, attempt: Fixture.attempt(1), attemptsLeft: 2)
            let whole = try #require(try check.record())
            #expect(try MobileAuthCheck(whole, subject) == check)
            let cuts = (0..<whole.count).map { Array(whole[..<$0]) }
            for bad in cuts + [whole + [0], [0] + whole.dropFirst(), [2] + whole.dropFirst()] {
                #expect(throws: StorageFault.corrupt(what: "sessions.mobile_auth_check")) {
                    try MobileAuthCheck(bad, subject)
                }
            }
        }
    }

    @Test func `refuses a link record with a word or a value that is none of ours`() throws {
        func link(_ state: String, _ more: (inout RecordWriter) -> Void = { _ in }) throws -> [UInt8] {
            try record {
                $0.text(state)
                for _ in 0..<3 { $0.bytes(nil) }
                more(&$0)
            }
        }
        let bad = [
            try link("asleep"), try link("waiting") { $0.time(nil) }, try link("waiting") { $0.bytes([1, 2]) },
            try link("failed") { $0.text("bored") }, try link("failed") { $0.text(nil) },
            try record { for _ in 0..<4 { $0.bytes(nil) } },
        ]
        for record in bad {
            #expect(throws: StorageFault.corrupt(what: "sessions.link_check")) {
                try LinkCheck(record, SealedSubject())
            }
        }
    }

    @Test func `refuses a Mobile Auth record with a word or a value that is none of ours`() throws {
        func check(
            _ state: String, left: Int = 1, attempt: [UInt8]? = nil, _ more: (inout RecordWriter) -> Void = { _ in }
        ) throws -> [UInt8] {
            try record {
                $0.text(state)
                $0.integer(left)
                $0.bytes(attempt)
                more(&$0)
            }
        }
        func answered(_ verdict: String) throws -> [UInt8] {
            try check("answered") {
                $0.text(verdict)
                $0.bytes([1])
            }
        }
        let bad = [
            try check("asleep"), try check("ready", left: -1), try check("ready", left: 1001),
            try check("ready", attempt: [1]), try check("ended") { $0.text("bored") }, try answered("maybe"),
            try answered("found"),
        ]
        for record in bad {
            #expect(throws: StorageFault.corrupt(what: "sessions.mobile_auth_check")) {
                try MobileAuthCheck(record, SealedSubject())
            }
        }
        #expect(throws: Never.self) { try MobileAuthCheck(try check("ready", left: 1000), SealedSubject()) }
    }

    @Test func `refuses a sealed part that does not belong to its check`() throws {
        var found = SealedSubject()
        found.found = Fixture.number
        for record in [nil, try MobileAuthCheck(state: .asking, attemptsLeft: 1).record()] {
            #expect(throws: StorageFault.corrupt(what: "sessions.mobile_auth_check")) {
                try MobileAuthCheck(record, found)
            }
        }
        var matchCode = SealedSubject()
        matchCode.matchCode = "12"
        var browser = SealedSubject()
        browser.browser = "b"
        for subject in [matchCode, browser] {
            #expect(throws: StorageFault.corrupt(what: "sessions.link_check")) { try LinkCheck(nil, subject) }
        }
    }

    @Test func `refuses reasons that are none, or half a one`() throws {
        for record in [try record { _ in }, try record { $0.text("a") }, try record { $0.bytes(nil) }] {
            #expect(throws: StorageFault.corrupt(what: "sessions.risk_reasons")) { try RiskReasons.reasons(record) }
        }
    }

    @Test(arguments: [(1, 7), (2, 14), (3, 20)])
    func `reads each version of the sealed record, with its own fields only`(version: Int, fields: Int) throws {
        let id: CorrelationID = Fixture.id()
        func read(_ version: Int, _ count: Int) throws -> SealedSubject {
            let bytes = try record(UInt8(version)) { for _ in 0..<count { $0.bytes(nil) } }
            let sealed = try Fixture.sealing.seal(bytes, SealingContext("sessions.subject_sealed", row: id).bytes)
            return try SealedSubject(sealed, with: Fixture.sealing, for: id)
        }
        #expect(try read(version, fields) == SealedSubject())
        for (other, count) in [(version, fields - 1), (version, fields + 1), (version == 3 ? 4 : 0, fields)] {
            #expect(throws: StorageFault.corrupt(what: "sessions.subject_sealed")) { try read(other, count) }
        }
    }

    @Test func `takes a field of 65534 bytes and refuses one more`() throws {
        let longest = String(repeating: "x", count: 65_534)
        let whole = try record { $0.text(longest) }
        var reader = try RecordReader(whole, versions: 1...1, "test")
        #expect(try reader.text() == longest)
        #expect(throws: StorageFault.corrupt(what: "test")) { try record { $0.text(longest + "x") } }
    }
}
