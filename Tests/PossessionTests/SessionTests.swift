@testable import Possession
import Testing

@Suite struct SessionTests {
    @Test(arguments: [(899, nil), (900, Session.Outcome.expired)] as [(Int, Session.Outcome?)])
    func `lives for 900 seconds, the end not included`(age: Int, outcome: Session.Outcome?) {
        var session = Fixture.session()
        session.expire(at: Fixture.start.adding(.seconds(age)))
        #expect(session.outcome == outcome)
    }

    @Test(arguments: [(899, true), (900, false)])
    func `keeps its result readable for 900 seconds after its end`(age: Int, readable: Bool) {
        var session = Fixture.waiting()
        session.cancel(at: Fixture.start)
        #expect(session.isReadable(at: Fixture.start.adding(.seconds(age))) == readable)
    }

    @Test func `belongs to the first key, and says so when another comes`() throws {
        var session = Fixture.redeemed()
        let other = Session.Binding.key(Thumbprint([UInt8](repeating: 9, count: 32))!)
        #expect(try session.admit(other, at: Fixture.start) == .tokenAlreadyUsed)
        #expect(try session.admit(.bearer, at: Fixture.start) == .tokenAlreadyUsed)
        #expect(session.newEvents.last?.kind == .secondKeyRefused)
        #expect(try session.admit(.key(Fixture.sessionKey), at: Fixture.start) == nil)
    }

    @Test(arguments: [(63, true), (64, false)])
    func `records refused keys only while its timeline is short`(length: Int, records: Bool) throws {
        var session = Fixture.redeemed().stored(eventCount: length)
        #expect(try session.admit(.bearer, at: Fixture.start) == .tokenAlreadyUsed)
        #expect(session.newEvents.isEmpty != records)
    }

    @Test func `admits nobody before it is redeemed`() {
        var session = Fixture.session()
        #expect(refusal { () throws(StepRefusal) in try session.admit(.bearer, at: Fixture.start) } == .invalidState)
    }

    @Test func `changes nothing when the same key redeems it again`() throws {
        var session = Fixture.redeemed()
        let before = session
        try session.redeem(
            Fixture.declaration(fallback: .link), by: .key(Fixture.sessionKey), challenge: Fixture.challenge(2),
            at: Fixture.start, rules: Fixture.rules)
        #expect(session == before)
    }

    @Test(
        arguments: [
            (SessionRequest.Flow.mobile, true, Session.Declaration.Fallback.otp, Session.Phase.active(.device)),
            (.mobile, false, .otp, .active(.otpStart)),
            (.mobile, false, .link, .active(.linkStart)),
            (.mobile, false, nil, .done(.failed, at: Fixture.start)),
            (.desktop, true, .otp, .active(.linkStart)),
            (.none, true, .otp, .active(.device)),
            (.none, false, .otp, .done(.possessionRequired, at: Fixture.start)),
        ] as [(SessionRequest.Flow, Bool, Session.Declaration.Fallback?, Session.Phase)])
    func `plans its first step by flow and declaration`(
        flow: SessionRequest.Flow, deviceKey: Bool, fallback: Session.Declaration.Fallback?, phase: Session.Phase
    ) {
        let session = Fixture.redeemed(Fixture.request(flow), fallback: fallback, deviceKey: deviceKey)
        #expect(session.phase == phase)
    }

    @Test func `lets a later step be called directly, and closes the device step`() throws {
        var session = Fixture.redeemed(deviceKey: true)
        #expect(session.allowed == [.device, .otpStart, .cancel])
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(!session.device.isPending && !session.allowed.contains(.device))
        #expect(session.allowed == [.otpVerify, .otpResend, .cancel])
    }

    @Test func `stays as it ended`() {
        var session = Fixture.waiting()
        session.cancel(at: Fixture.start)
        let ended = session
        session.cancel(at: Fixture.start.adding(.seconds(5)))
        session.expire(at: Fixture.start.adding(.seconds(2000)))
        session.complete(success: true, numberIfUnknown: nil, at: Fixture.start, rules: Fixture.rules)
        #expect(session == ended)
        #expect(session.allowed.isEmpty)
    }

    @Test func `binds for the tenant with the right number only, and gives three tries`() throws {
        var session = Fixture.redeemed(Fixture.request(.none))
        #expect(session.outcome == .possessionRequired)
        #expect(try !session.bind(Fixture.laney, at: Fixture.start, rules: Fixture.rules))
        #expect(try !session.bind(nil, at: Fixture.start, rules: Fixture.rules))
        #expect(session.outcome == .possessionRequired)
        var lucky = session
        #expect(try lucky.bind(Fixture.lorant, at: Fixture.start, rules: Fixture.rules))
        #expect(lucky.proof?.method == .customer)
        #expect(throws: PlatformRefusal.stepNotAllowed) {
            try lucky.bind(Fixture.lorant, at: Fixture.start, rules: Fixture.rules)
        }
        #expect(try !session.bind(Fixture.laney, at: Fixture.start, rules: Fixture.rules))
        #expect(session.outcome == .failed)
    }

    @Test func `takes any number at bind when none was given`() throws {
        var session = Fixture.redeemed(Fixture.request(.none, number: nil))
        #expect(try session.bind(Fixture.laney, at: Fixture.start, rules: Fixture.rules))
    }

    @Test func `counts one revision per change and none without`() {
        var session = Fixture.redeemed()
        let before = session
        session.countRevision(since: before)
        #expect(session.revision == before.revision)
        session.cancel(at: Fixture.start)
        session.countRevision(since: before)
        #expect(session.revision == before.revision + 1)
    }
}
