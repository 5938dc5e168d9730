@testable import Possession
import Testing

/// A fingerprint that brings a Mobile Auth result back counts once, for its session, attempt, key and result, in time.
@Suite struct FingerprintTests {
    enum Forgery: CaseIterable {
        case otherSession, otherAttempt, otherKey, noKey, otherResult, noResult, notOurs

        func of(_ real: Fingerprint) -> Fingerprint? {
            switch self {
            case .otherSession: real.with(authID: AuthID(bits: 1))
            case .otherAttempt: real.with(attempt: Fixture.attempt(2))
            case .otherKey: real.with(sessionKey: Thumbprint([UInt8](repeating: 9, count: 32))!)
            case .noKey: real.with(sessionKey: .some(nil))
            case .otherResult: real.with(result: Fixture.result(2))
            case .noResult: real.with(result: [])
            case .notOurs: nil
            }
        }
    }

    @Test(arguments: Forgery.allCases) func `is refused when it was made for something else`(forgery: Forgery) {
        var session = Fixture.answered()
        let phase = session.phase
        #expect(session.finish(1, forgery.of) == .fingerprintInvalid)
        #expect(session.phase == phase)
        #expect(session.newEvents.last?.kind == .fingerprintRefused)
        // It costs nothing: the right one still counts.
        #expect(session.finish() == nil)
        #expect(session.outcome == .succeeded)
    }

    @Test(arguments: [(59, nil), (60, StepRefusal.fingerprintExpired)] as [(Int, StepRefusal?)])
    func `is taken for 60 seconds`(age: Int, refused: StepRefusal?) {
        var session = Fixture.answered()
        #expect(session.finish(after: age) == refused)
        #expect(session.isDone == (refused == nil))
    }

    @Test func `lets the client go on when it came too late`() {
        var session = Fixture.answered()
        #expect(session.finish(after: 60) == .fingerprintExpired)
        #expect(session.allowed == [.mobileAuth, .mobileAuthFinish, .otpStart, .cancel])
        #expect(session.giveUp() == nil)
        #expect(session.phase == .active(.otpStart))
    }

    @Test func `names no key in a session bound to the token alone`() throws {
        var session = Fixture.session(Fixture.request { $0.mobileAuth = true })
        try session.redeem(
            Fixture.declaration(platform: .ios, cellular: .yes), by: .bearer, challenge: Fixture.challenge(1),
            at: Fixture.start, rules: Fixture.withMobileAuth)
        #expect(session.begin() == nil && session.go() == nil && session.comeBack() == nil && session.note() == nil)
        #expect(session.finish(1, { $0.with(sessionKey: Fixture.sessionKey) }) == .fingerprintInvalid)
        #expect(session.finish() == nil)
        #expect(session.outcome == .succeeded)
    }

    @Test(arguments: [(63, true), (64, false)])
    func `is noted while the timeline is short`(length: Int, isNoted: Bool) {
        var session = Fixture.answered().stored(eventCount: length)
        #expect(session.finish(1, { _ in nil }) == .fingerprintInvalid)
        #expect(session.newEvents.isEmpty != isNoted)
    }
}
