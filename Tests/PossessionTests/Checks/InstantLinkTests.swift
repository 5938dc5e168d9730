@testable import Possession
import Testing

@Suite struct InstantLinkTests {
    @Test func `succeeds for the number when its holder approves`() {
        var session = Fixture.linking()
        #expect(session.phase == .active(.linkWait))
        #expect(session.answer() == true)
        #expect(session.outcome == .succeeded)
        #expect(session.proof == .init(method: .instantLink, target: .number(Fixture.lorant), at: Fixture.moment(1)))
    }

    @Test func `fails when its holder denies`() {
        var session = Fixture.linking()
        #expect(session.answer(1, .deny) == true)
        #expect(session.outcome == .failed && session.proof == nil)
        #expect(session.link.state == .failed(.denied))
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(2)) == .ended(.denied))
    }

    @Test func `is looked at as often as anyone likes`() throws {
        var session = Fixture.linking()
        _ = try session.link(2)
        let before = session
        for seconds in [0, 1, 179, 180, 900, 5000] {
            _ = session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(seconds))
            _ = session.linkStatus(Fixture.linkDigest(2), at: Fixture.moment(seconds))
        }
        #expect(session == before)
        #expect(session.answer(2) == true)
        #expect(session.outcome == .succeeded)
    }

    // MARK: time

    @Test(arguments: [(179, Session.Outcome.succeeded), (180, nil)] as [(Int, Session.Outcome?)])
    func `can be approved for 180 seconds, the end not included`(age: Int, outcome: Session.Outcome?) {
        var session = Fixture.linking()
        #expect(session.answer(after: age) == true)
        #expect(session.outcome == outcome)
    }

    @Test(arguments: [(179, Session.Outcome.failed), (180, nil)] as [(Int, Session.Outcome?)])
    func `can be denied for as long`(age: Int, outcome: Session.Outcome?) {
        var session = Fixture.linking()
        #expect(session.answer(1, .deny, after: age) == true)
        #expect(session.outcome == outcome)
    }

    @Test func `waits for another send when it is late and one is left`() throws {
        var session = Fixture.linking()
        session.expire(at: Fixture.moment(180))
        #expect(session.phase == .active(.linkWait))
        #expect(session.link.state == .expired)
        #expect(session.allowed == [.linkResend, .cancel])
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(180)) == .ended(.expired))
        _ = try session.link(2, after: 200)
        #expect(session.link.expiresAt != nil)
        #expect(session.answer(2, after: 379) == true)
        #expect(session.outcome == .succeeded)
    }

    @Test func `notes once that it is late`() {
        var session = Fixture.linking()
        session.expire(at: Fixture.moment(180))
        let late = session
        session.expire(at: Fixture.moment(500))
        #expect(session == late)
        #expect(session.newEvents.last == SessionEvent(.linkExpired, at: Fixture.moment(180)))
    }

    @Test(arguments: [(179, nil), (180, Session.Outcome.failed)] as [(Int, Session.Outcome?)])
    func `ends the session when the last one is late, as of that moment`(age: Int, outcome: Session.Outcome?) throws {
        var session = Fixture.linking()
        for byte: UInt8 in 2...3 { _ = try session.link(byte) }
        session.expire(at: Fixture.moment(age))
        #expect(session.outcome == outcome)
        session.expire(at: Fixture.moment(600))
        #expect(session.endedAt == Fixture.moment(180))
        #expect(session.link.state == .expired)
    }

    @Test(arguments: [(719, Session.Outcome.failed, 899), (720, .expired, 900)])
    func `is outlived by no session`(sentAt: Int, outcome: Session.Outcome, endedAt: Int) throws {
        var session = Fixture.linking()
        for byte: UInt8 in 2...3 { _ = try session.link(byte, after: sentAt) }
        session.expire(at: Fixture.moment(2000))
        #expect(session.outcome == outcome)
        #expect(session.endedAt == Fixture.moment(endedAt))
        #expect(session.linkStatus(Fixture.linkDigest(3), at: Fixture.moment(2000)) == .ended(.expired))
    }

    // MARK: older links

    @Test(arguments: [LinkDecision.approve(matchCode: nil), .deny])
    func `is superseded by a newer one, and decides nothing then`(decision: LinkDecision) throws {
        var session = Fixture.linking()
        _ = try session.link(2)
        let before = session
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.start) == .superseded)
        #expect(session.answer(1, decision) == true)
        #expect(session == before)
        #expect(session.answer(2) == true)
        #expect(session.outcome == .succeeded)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(2)) == .superseded)
    }

    @Test(arguments: [LinkDecision.approve(matchCode: nil), .deny])
    func `stays approved when it is used again`(decision: LinkDecision) {
        var session = Fixture.linking()
        session.answer()
        let approved = session
        session.answer(1, decision, after: 5)
        #expect(session == approved)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(600)) == .ended(.approved))
    }

    @Test(arguments: [LinkDecision.approve(matchCode: nil), .deny])
    func `stays denied when it is used again`(decision: LinkDecision) {
        var session = Fixture.linking()
        session.answer(1, .deny)
        let denied = session
        session.answer(1, decision, after: 5)
        #expect(session == denied)
    }

    @Test func `can do nothing more in a session that ended otherwise`() {
        var cancelled = Fixture.linking()
        cancelled.cancel(at: Fixture.start)
        var played = Fixture.linking()
        played.complete(success: false, numberIfUnknown: nil, at: Fixture.start, rules: Fixture.rules)
        for var session in [cancelled, played] {
            let before = session
            session.answer()
            #expect(session == before)
            #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(1)) == .ended(.expired))
        }
    }

    @Test func `is nobody's in a session that sent none`() {
        let session = Fixture.redeemed(Fixture.request(.desktop))
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.start) == .superseded)
    }
}
