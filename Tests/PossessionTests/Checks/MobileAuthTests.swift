@testable import Possession
import Testing

/// The chain of Mobile Auth: each hop once, in order, in time.
@Suite struct MobileAuthTests {
    @Test func `succeeds for the claimed number when the operator agrees`() {
        var session = Fixture.answered()
        #expect(session.outcome == nil)
        #expect(session.finish() == nil)
        #expect(session.proof == .init(method: .mobileAuth, target: .number(Fixture.lorant), at: Fixture.start))
        #expect(session.outcome == .succeeded)
    }

    @Test func `succeeds for the number the operator found when none was claimed`() {
        var session = Fixture.answered(.found(Fixture.laney), .none, number: nil)
        #expect(session.finish() == nil)
        #expect(session.proof?.number == Fixture.laney)
    }

    @Test(
        arguments: [
            (SessionRequest.Flow.mobile, Session.Declaration.Fallback.otp, Session.Phase.active(.otpStart)),
            (.mobile, .link, .active(.linkStart)), (.mobile, nil, .done(.failed, at: Fixture.start)),
            (.none, .otp, .done(.possessionRequired, at: Fixture.start)),
            (.none, nil, .done(.possessionRequired, at: Fixture.start)),
        ] as [(SessionRequest.Flow, Session.Declaration.Fallback?, Session.Phase)],
        [MobileAuthCheck.Verdict.differs, .unavailable])
    func `goes on with what is left of the plan otherwise`(
        way: (flow: SessionRequest.Flow, fallback: Session.Declaration.Fallback?, phase: Session.Phase),
        verdict: MobileAuthCheck.Verdict
    ) {
        let number = way.flow == .none ? nil : Fixture.lorant
        var session = Fixture.answered(verdict, way.flow, number: number, fallback: way.fallback)
        #expect(session.finish() == nil)
        #expect(session.phase == way.phase && session.proof == nil)
        #expect(session.mobileAuth.state == .ended(verdict == .differs ? .mismatch : .unavailable))
        #expect(session.currentNumber == number)
    }

    // MARK: hops

    @Test func `makes each hop once`() {
        var session = Fixture.offered()
        #expect(session.go() == nil)
        #expect(session.go() == .gone)
        #expect(session.comeBack() == nil)
        #expect(session.comeBack() == .gone)
        #expect(session.note() == nil)
        #expect(session.note(.agrees) == .gone)
        #expect(session.finish() == nil)
        #expect(session.finish() == .sessionDone)
    }

    @Test func `finishes once where the session goes on`() {
        var session = Fixture.answered(.differs)
        #expect(session.finish() == nil)
        #expect(session.finish() == .invalidState)
        #expect(session.giveUp() == .invalidState)
        #expect(session.begin(2) == .invalidState)
    }

    @Test func `makes no hop before its turn`() {
        var session = Fixture.cellular()
        #expect(session.go() == .gone)
        #expect(session.finish() == .invalidState)
        #expect(session.giveUp() == .invalidState)
        #expect(session.begin() == nil)
        let offered = session
        #expect(session.comeBack() == .gone)
        #expect(session.note() == .gone)
        #expect(session == offered)
        #expect(session.finish() == .fingerprintInvalid)
        #expect(session.go() == nil)
        #expect(session.note() == .gone)
    }

    @Test func `opens with its ticket only`() {
        var session = Fixture.offered()
        let before = session
        #expect(session.go(ticket: 2) == .unknown)
        #expect(session == before)
        #expect(session.go() == nil)
    }

    @Test(arguments: [(59, nil), (60, Session.HopRefusal.gone)] as [(Int, Session.HopRefusal?)])
    func `takes the ticket for 60 seconds`(age: Int, refused: Session.HopRefusal?) {
        var session = Fixture.offered()
        #expect(session.mobileAuth.ticketExpiresAt == Fixture.moment(60))
        #expect(session.go(after: age) == refused)
    }

    @Test(arguments: [(89, nil), (90, Session.HopRefusal.gone)] as [(Int, Session.HopRefusal?)])
    func `gives the way through the operator 60 seconds`(age: Int, refused: Session.HopRefusal?) {
        var session = Fixture.offered()
        #expect(session.go(after: 30) == nil)
        #expect(session.comeBack(after: age) == refused)
    }

    @Test func `comes back to the address it left from`() {
        var session = Fixture.offered()
        #expect(session.go() == nil)
        let before = session
        #expect(session.comeBack(from: 2) == .otherAddress)
        #expect(session == before)
        #expect(session.comeBack(from: 1) == nil)
    }

    @Test func `has nothing to bring back where no operator serves the address`() {
        var session = Fixture.offered()
        #expect(session.go(operatorName: nil) == nil)
        #expect(session.comeBack() == .gone)
        #expect(session.finish(1, { $0.with(result: []) }) == .fingerprintInvalid)
        #expect(session.allowed.contains(.mobileAuthFinish))
        #expect(session.giveUp() == nil)
        #expect(session.phase == .active(.otpStart))
    }

    // MARK: attempts

    @Test func `voids an attempt when another is begun`() {
        var session = Fixture.answered()
        #expect(session.begin(2) == nil)
        let before = session
        #expect(session.go(1) == .gone)
        #expect(session.comeBack(1) == .gone)
        #expect(session.note(.agrees, 1) == .gone)
        #expect(session.giveUp(1) == .invalidState)
        #expect(session == before)
        #expect(session.finish(1) == .fingerprintInvalid)
        #expect(session.go(2) == nil && session.comeBack(2) == nil && session.note(.agrees, 2) == nil)
        #expect(session.finish(2, { _ in Fixture.fingerprint(1, of: before) }) == .fingerprintInvalid)
        #expect(session.finish(2) == nil)
    }

    @Test func `voids an attempt on its way through the operator`() {
        var session = Fixture.offered()
        #expect(session.go() == nil && session.comeBack() == nil)
        #expect(session.begin(2) == nil)
        #expect(session.note(.agrees, 1) == .gone)
        #expect(session.finish(1) == .fingerprintInvalid)
    }

    @Test func `may be begun three times`() {
        var session = Fixture.offered()
        #expect(session.begin(2) == nil && session.begin(3) == nil)
        #expect(session.allowed == [.mobileAuthFinish, .otpStart, .cancel])
        #expect(session.begin(4) == .invalidState)
        #expect(session.go(3) == nil)
    }

    @Test func `is given up by the client`() {
        var session = Fixture.offered()
        #expect(session.giveUp(2) == .invalidState)
        #expect(session.giveUp() == nil)
        #expect(session.phase == .active(.otpStart))
        #expect(session.mobileAuth.state == .ended(.unavailable))
        #expect(session.go() == .gone)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `is closed by the start of the fallback, wherever it stands`(hops: Int) throws {
        var session = Fixture.offered()
        if hops > 0 { #expect(session.go() == nil) }
        if hops > 1 { #expect(session.comeBack() == nil) }
        if hops > 2 { #expect(session.note() == nil) }
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        let before = session
        #expect(session.go() == .gone && session.comeBack() == .gone && session.note() == .gone)
        #expect(session.finish() == .invalidState)
        #expect(session.giveUp() == .invalidState)
        #expect(session.begin(2) == .invalidState)
        #expect(session == before)
    }

    @Test func `leads nowhere once the session is over`() {
        var cancelled = Fixture.answered()
        cancelled.cancel(at: Fixture.start)
        var expired = Fixture.answered()
        expired.expire(at: Fixture.moment(900))
        for var session in [cancelled, expired] {
            let before = session
            #expect(session.go() == .gone && session.comeBack() == .gone && session.note() == .gone)
            #expect(session.finish() == .sessionDone && session.giveUp() == .sessionDone)
            #expect(session.begin(2) == .sessionDone)
            #expect(session == before)
        }
    }

    @Test func `needs a redeemed session`() {
        var session = Fixture.session(Fixture.request { $0.mobileAuth = true })
        #expect(session.begin() == .invalidState)
        var other = Fixture.redeemed()
        #expect(other.begin() == .invalidState)
    }

    // MARK: beside the device key

    @Test func `closes the device step when it is begun`() {
        var session = Fixture.cellular(deviceKey: true)
        #expect(session.begin() == nil)
        #expect(session.device.state == .absent)
        #expect(session.allowed == [.mobileAuth, .mobileAuthFinish, .otpStart, .cancel])
    }
}
