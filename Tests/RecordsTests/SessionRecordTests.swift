import Engine
import Possession
import TestSupport
import Testing

@testable import Records

/// The record of a session, without and with its seal.
@Suite struct SessionRecordTests {
    private static let column = "sessions.record_sealed"

    /// A session without the values that are kept beside its record.
    private func decode(_ bytes: [UInt8], like session: Session) throws(StorageFault) -> Session {
        try SessionRecord(session, .fake).decoded(bytes)
    }

    @Test func `gives back every member of any session it was given`() throws {
        var generator = SessionGenerator(seed: 1)
        for _ in 0..<400 {
            let session = generator.session()
            #expect(try SessionRecord(session, .fake).session(.fake) == session)
        }
    }

    /// Keeps the test above true when a member is added: a generator that forgets one gives it one value only.
    @Test func `knows of each member of the state`() throws {
        var generator = SessionGenerator(seed: 2)
        var values: [String: Set<String>] = [:]
        for _ in 0..<200 {
            for member in Mirror(reflecting: generator.session().state).children {
                values[member.label ?? "", default: []].insert("\(member.value)")
            }
        }
        #expect(values.count >= 17)
        for (member, seen) in values { #expect(seen.count > 1, "\(member)") }
    }

    @Test func `counts new events as stored`() throws {
        var session = Sample.session()
        session.cancel(at: Sample.now)
        let read = try SessionRecord(session, .fake).session(.fake)
        #expect(read.storedEventCount == 2 && read.newEvents.isEmpty)
        #expect(read == session.asStored)
    }

    @Test func `keeps the digest of a code beside the record, and what a sweep left of it`() throws {
        var session = Sample.session()
        let digest = [UInt8](repeating: 0xC7, count: 32)
        try session.redeem(
            .init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: Sample.now, rules: Rules(limits: Limits()))
        _ = try session.sendCode(
            .first(nil), issue: { _, _, _ in .init(shown: OTP("1234")!, expected: OTPDigest(digest)) }, at: Sample.now,
            rules: Rules(limits: Limits()))
        let record = try SessionRecord(session, .fake)
        #expect(record.otpDigest == OTPDigest(digest))
        #expect(try SessionRecord.encoded(session).firstRange(of: digest) == nil)
        for (kept, fault) in [(OTPDigest([]), nil), (nil, StorageFault.corrupt(what: "sessions.otp_digest"))] {
            let swept = SessionRecord(
                correlationID: record.correlationID, authID: record.authID, clientID: record.clientID,
                flowDigest: nil, otpDigest: kept, sealed: record.sealed)
            do throws(StorageFault) {
                let late = try swept.session(.fake)
                #expect(fault == nil && late.otp.expiresAt == session.otp.expiresAt)
            } catch { #expect(error == fault) }
        }
    }

    @Test func `opens in its own row only`() throws {
        let (one, two) = (try SessionRecord(Sample.session(1), .fake), try SessionRecord(Sample.session(2), .fake))
        let moved = SessionRecord(
            correlationID: two.correlationID, authID: two.authID, clientID: two.clientID, flowDigest: nil,
            otpDigest: nil, sealed: one.sealed)
        #expect(throws: StorageFault.self) { try moved.session(.fake) }
    }

    // MARK: Versions

    @Test(arguments: Sample.recorded)
    func `reads the record that each version has written`(version: UInt8, hex: String, session: Session) throws {
        if version == RecordVersions.session.upperBound {
            let written = Sample.hex(try SessionRecord.encoded(session))
            #expect(written == hex)
        }
        let bytes = Sample.bytes(hex)
        #expect(bytes.first == version)
        #expect(try decode(bytes, like: session) == session)
    }

    @Test func `has an example of every version that it reads`() {
        // 6 was never written.
        #expect(Sample.recorded.map(\.version) == RecordVersions.session.filter { $0 != 6 })
    }

    @Test func `names the version that it does not know`() throws {
        let session = Sample.session()
        let bytes = [RecordVersions.session.upperBound + 1] + (try SessionRecord.encoded(session).dropFirst())
        let words = "\(Self.column), a record of version 12 where this build reads up to 11,"
        #expect(throws: StorageFault.corrupt(what: words)) { try decode(bytes, like: session) }
    }

    // MARK: Damage

    @Test func `refuses a record that is cut or longer`() throws {
        var generator = SessionGenerator(seed: 3)
        for _ in 0..<8 {
            let session = generator.session()
            let whole = try SessionRecord.encoded(session)
            for bad in (0..<whole.count).map({ Array(whole[..<$0]) }) + [whole + [0]] {
                #expect(throws: StorageFault.corrupt(what: Self.column)) { try decode(bad, like: session) }
            }
        }
    }

    @Test func `ends in a session or a fault, whichever byte is another one`() throws {
        var generator = SessionGenerator(seed: 4)
        for _ in 0..<4 {
            let session = generator.session()
            let whole = try SessionRecord.encoded(session)
            for index in whole.indices {
                for value in [whole[index] ^ 0xFF, whole[index] ^ 1, whole[index] &+ 1, 0, 0x7F, 0xFF] {
                    var damaged = whole
                    damaged[index] = value
                    if var read = try? decode(damaged, like: session) {
                        // Work with it must not end the process either.
                        read.expire(at: Sample.now)
                        read.cancel(at: Sample.now)
                        _ = read.targets
                    }
                }
            }
        }
    }

    @Test func `ends in a fault for bytes that are no record`() throws {
        var generator = SessionGenerator(seed: 5)
        let session = generator.session()
        for count in 0..<400 {
            _ = try? decode([1] + generator.bytes(count), like: session)
            _ = try? decode([1] + [UInt8](repeating: 0xFF, count: count), like: session)
        }
    }

    /// The fields of the policy: its bounds are the record's as well.
    @Test(arguments: [3, 11]) func `refuses a policy that no session can be run by`(length: UInt8) throws {
        let session = Sample.session()
        var bytes = try SessionRecord.encoded(session)
        // Version, three numbers, the flow; then the policy: its product and checks, then the length of codes.
        let name: [UInt8] = [UInt8("unify".utf8.count + 1)] + Array("unify".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        let place = start + name.count + 1
        #expect(bytes[place] == 5, "four digits, and one")
        bytes[place] = length + 1
        #expect(throws: StorageFault.corrupt(what: Self.column)) { try decode(bytes, like: session) }
    }
}
