@testable import Possession
import Testing

/// A client that calls often must not make a session's timeline long.
@Suite struct SessionTimelineTests {
    enum Nuisance: CaseIterable {
        case otherKey, badFingerprint, lateFingerprint, badDeviceProof, lateCode, repeatedRedeem, repeatedLink
        case wrongTicket, otherAddress, refusedSend
    }

    // `lateCode` and `refusedSend` write one event, or two, with every call, as often as a client likes.
    @Test(arguments: Nuisance.allCases)
    func `stays bounded whatever a client repeats`(nuisance: Nuisance) throws {
        var session = start(for: nuisance)
        for _ in 0..<500 {
            session = session.stored(eventCount: session.storedEventCount + session.newEvents.count)
            try repeatOnce(nuisance, &session)
        }
        #expect(session.storedEventCount + session.newEvents.count <= Session.maxAuditedEvents + 16)
    }

    private func start(for nuisance: Nuisance) -> Session {
        switch nuisance {
        case .otherKey, .repeatedRedeem, .refusedSend: return Fixture.redeemed()
        case .badFingerprint, .lateFingerprint: return Fixture.answered()
        case .badDeviceProof: return Fixture.redeemed(deviceKey: true)
        case .lateCode: return Fixture.waiting()
        case .repeatedLink: return Fixture.linking()
        case .wrongTicket: return Fixture.offered()
        case .otherAddress:
            var session = Fixture.offered()
            #expect(session.go() == nil)
            return session
        }
    }

    private func repeatOnce(_ nuisance: Nuisance, _ session: inout Session) throws {
        switch nuisance {
        case .otherKey: _ = refusal { () throws(StepRefusal) in try session.admit(.bearer, at: Fixture.start) }
        case .badFingerprint: #expect(session.finish(1, { _ in nil }) == .fingerprintInvalid)
        case .lateFingerprint: #expect(session.finish(after: 60) == .fingerprintExpired)
        case .badDeviceProof:
            var change = SessionChange(
                session: session, deviceKey: nil, proof: .new, tenantIsRevoked: false, earlierReply: nil)
            _ = refusal { () throws(StepRefusal) in
                try change.provedDevice(
                    nil, by: .key(Fixture.sessionKey),
                    context: .init(rules: Fixture.rules, nextChallenge: Fixture.challenge(2)), at: Fixture.start)
            }
            session = change.session
        case .lateCode: #expect(session.submit("1234", after: 120) == .otpExpired)
        case .repeatedRedeem:
            try session.redeem(
                Fixture.declaration(), by: .key(Fixture.sessionKey), challenge: Fixture.challenge(1), at: Fixture.start,
                rules: Fixture.rules)
        case .repeatedLink: session.answer(1, .deny)
        case .wrongTicket: #expect(session.go(ticket: 9) == .unknown)
        case .otherAddress: #expect(session.comeBack(from: 9) == .otherAddress)
        case .refusedSend:
            let message = try session.sendCode(
                .first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            session.giveBack(message, at: Fixture.start)
        }
    }
}
