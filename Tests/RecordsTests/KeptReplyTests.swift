import Engine
import Possession
import TestSupport
import Testing

@testable import Records

/// Answers to retries (API-11).
@Suite struct KeptReplyTests {
    private static let offer = MobileAuthOffer(attempt: AttemptID([UInt8](repeating: 3, count: 16))!, ticket: "t-1")

    private func kept(_ session: Session, _ refusal: StepRefusal? = nil, offer: MobileAuthOffer? = nil) -> KeptReply {
        KeptReply(
            requestBody: BodyDigest([1]), reply: OperationReply(refusal: refusal, session: session, offer: offer),
            at: Sample.now)
    }

    /// As a store does it, for the session as it has become meanwhile.
    private func read(_ bytes: [UInt8], of session: Session) throws(StorageFault) -> KeptReply {
        var now = session
        now.cancel(at: Sample.now.adding(.seconds(9)))
        return try KeptReply(record: bytes, of: now, requestBody: BodyDigest([1]))
    }

    @Test func `gives back the reply to any session, as it was then`() throws {
        var generator = SessionGenerator(seed: 3)
        for _ in 0..<400 {
            let kept = kept(generator.session())
            #expect(try read(try kept.record(), of: kept.reply.session) == kept)
        }
    }

    @Test(arguments: StepRefusal.outcomes) func `gives back each refusal`(refusal: StepRefusal) throws {
        let kept = kept(Sample.full, refusal)
        #expect(try read(try kept.record(), of: Sample.full) == kept)
    }

    @Test func `gives back the attempt that a call opened`() throws {
        let kept = kept(Sample.full, offer: Self.offer)
        #expect(try read(try kept.record(), of: Sample.full) == kept)
    }

    @Test func `holds no digest of a code`() throws {
        var session = Sample.session()
        let digest = [UInt8](repeating: 0xC7, count: 32)
        try session.redeem(
            .init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
            at: Sample.now, rules: Rules(limits: Limits()))
        _ = try session.sendCode(
            .first(nil), issue: { _, _, _ in .init(shown: OTP("1234")!, expected: OTPDigest(digest)) }, at: Sample.now,
            rules: Rules(limits: Limits()))
        let kept = kept(session)
        #expect(kept.reply.session.otp.expiresAt == session.otp.expiresAt)
        #expect(try kept.record().firstRange(of: digest) == nil)
        #expect(kept.reply.session.otp.state == .waiting(OTPDigest([]), expiresAt: try #require(session.otp.expiresAt)))
    }

    /// Version 1 ends before the languages, version 2 before the mark of an own code, version 4 before the time. There was no
    /// version 3. Version 5 had proofs of numbers only, version 6 no askers, version 7 no code of a link.
    @Test func `reads what earlier servers have written`() throws {
        let session = Sample.full(locale: nil, languages: nil)
        let kept = kept(session, .otpMismatch, offer: Self.offer)
        let written = try kept.record()
        #expect(written.first == 10)
        #expect(try read([8] + written.dropFirst(), of: session) == kept)
        let earlier = KeptReply(requestBody: kept.requestBody, reply: kept.reply, at: nil)
        let whole = try earlier.record()
        // The askers, their country and the code of a link end the state, before the time.
        let askers = whole.count - 4..<whole.count - 1
        let record = Array(whole[..<askers.lowerBound])
        #expect(record.suffix(2) == [0, 1])
        let unlinked = [7] + written[1..<askers.upperBound - 1] + written[askers.upperBound...]
        #expect(try read(unlinked, of: session) == kept)
        for version: UInt8 in [5, 6] {
            let bytes = [version] + written[1..<askers.lowerBound] + written[askers.upperBound...]
            #expect(try read(bytes, of: session) == kept)
        }
        #expect(try read([1] + record.dropFirst().dropLast(2), of: session) == earlier)
        #expect(try read([2] + record.dropFirst().dropLast(), of: session) == earlier)
        #expect(try read([4] + record.dropFirst(), of: session) == earlier)
    }

    @Test func `refuses a refusal that no call comes to`() {
        #expect(throws: StorageFault.self) { try kept(Sample.session(), .invalidState).record() }
    }

    @Test func `a damaged one is told, and never traps`() throws {
        let record = try kept(Sample.full, .otpMismatch, offer: Self.offer).record()
        for end in record.indices {
            #expect(throws: StorageFault.self) { try read(Array(record[..<end]), of: Sample.full) }
        }
        for index in record.indices {
            for bit in 0..<8 {
                var damaged = record
                damaged[index] ^= 1 << bit
                _ = try? read(damaged, of: Sample.full)
            }
        }
    }
}
