import Testing
@testable import Possession

/// A Mobile Auth attempt that nobody finishes: when it is over, what becomes of the session, and why it proved nothing.
@Suite struct MobileAuthEndTests {
    private func over(_ session: Session) -> Timestamp? {
        session.endOfMobileAuth(session.newEvents, Fixture.limits)
    }

    private func ended(
        _ session: Session, after seconds: Int = 0, since change: (inout Session) -> Void = { _ in }
    ) -> Session {
        var session = session
        let seen = session.mobileAuth
        change(&session)
        session.endMobileAuth(thatIsOver: seen, at: Fixture.moment(seconds))
        return session
    }

    private func obstacle(_ session: Session) -> MobileAuthFailure? {
        MobileAuthFailure(session, session.newEvents)
    }

    /// The chain with another end.
    private func answered(_ verdict: MobileAuthCheck.Verdict, _ detail: String) -> Session {
        var session = Fixture.offered()
        precondition(session.go() == nil && session.comeBack() == nil)
        try! session.noteAnswer(
            verdict, of: Fixture.attempt(1), result: Fixture.result(1), detail: detail, at: Fixture.start)
        return session
    }

    // MARK: When

    @Test func `is over when its ticket is, or the time of its travel`() {
        var session = Fixture.cellular()
        #expect(over(session) == nil)
        session = Fixture.offered()
        #expect(over(session) == Fixture.moment(60))
        #expect(session.go(after: 59) == nil)
        #expect(over(session) == Fixture.moment(59 + 60))
    }

    @Test func `an answer that proves the number waits to be brought, any other is over at once`() {
        #expect(over(Fixture.answered(.agrees)) == Fixture.moment(120))
        #expect(over(Fixture.answered(.differs)) == Fixture.start)
        #expect(over(Fixture.answered(.unavailable)) == Fixture.start)
        var asking = Fixture.offered()
        #expect(asking.go(after: 30) == nil && asking.comeBack(after: 31) == nil)
        #expect(over(asking) == Fixture.moment(30 + 120))
    }

    @Test func `a hop that came too late is over at once, and a session that went on has none`() {
        var late = Fixture.offered()
        #expect(late.go(after: 60) == .gone)
        #expect(over(late) == Fixture.start)
        var finished = Fixture.answered()
        #expect(finished.finish() == nil)
        #expect(over(finished) == nil)
    }

    // MARK: What becomes of the session

    @Test func `the session goes on by its fallback, or fails without one`() {
        #expect(ended(Fixture.offered(), after: 60).phase == .active(.otpStart))
        let failed = ended(Fixture.offered(fallback: nil), after: 60)
        #expect(failed.phase == .done(.failed, at: Fixture.moment(60)))
        #expect(ended(Fixture.answered(.differs)).mobileAuth.state == .ended(.mismatch))
        #expect(ended(Fixture.answered(.unavailable)).mobileAuth.state == .ended(.unavailable))
    }

    @Test func `nothing that a phone does later changes it`() {
        var session = ended(Fixture.offered(), after: 60)
        #expect(session.go() == .gone)
        session = ended(Fixture.answered(), after: 120)
        #expect(session.finish() == .invalidState)
        #expect(session.proof == nil)
    }

    @Test func `an attempt that has gone on since it was seen goes on`() {
        let gone = ended(Fixture.offered(), after: 60) { #expect($0.go(after: 59) == nil) }
        #expect(gone.phase == .active(.mobileAuth))
        let passed = ended(Fixture.answered(), after: 120) { #expect($0.finish(after: 59) == nil) }
        #expect(passed.outcome == .succeeded)
        let again = ended(Fixture.offered(), after: 60) { #expect($0.begin(2, after: 59) == nil) }
        #expect(again.mobileAuth.attempt == Fixture.attempt(2) && again.phase == .active(.mobileAuth))
    }

    // MARK: Why

    @Test(arguments: [
        ("not_on_network", MobileAuthFailure.notOnNetwork), ("timeout", .operatorTimeout),
        ("circuit_open", .operatorFault), ("operator_error", .operatorFault), ("refused", .refused),
    ])
    func `tells why the operator gave no answer`(detail: String, expected: MobileAuthFailure) {
        #expect(obstacle(ended(answered(.unavailable, detail))) == expected)
    }

    @Test func `tells apart another number, a phone that never came, one that was lost, and one that gave up`() {
        #expect(obstacle(ended(Fixture.answered(.differs))) == .otherNumber)
        #expect(obstacle(ended(Fixture.offered(), after: 60)) == .notOpened)
        var travelling = Fixture.offered()
        #expect(travelling.go() == nil)
        #expect(obstacle(ended(travelling, after: 60)) == .late)
        var unknown = Fixture.offered()
        #expect(unknown.go(operatorName: nil) == nil)
        #expect(obstacle(ended(unknown)) == .noOperator)
        var given = Fixture.offered()
        #expect(given.giveUp() == nil)
        #expect(obstacle(given) == .givenUp)
    }

    @Test func `a session that ends while its attempt is open tells how far the phone came`() {
        var session = Fixture.offered()
        session.expire(at: session.expiresAt)
        #expect(obstacle(session) == .notOpened)
        session = Fixture.answered()
        session.expire(at: session.expiresAt)
        #expect(obstacle(session) == .late)
        session = Fixture.answered()
        session.cancel(at: Fixture.start)
        #expect(obstacle(session) == .givenUp)
    }

    @Test func `there is no obstacle before the end, and none of a success`() {
        #expect(obstacle(Fixture.cellular()) == nil)
        #expect(obstacle(Fixture.offered()) == nil)
        var passed = Fixture.answered()
        #expect(passed.finish() == nil)
        #expect(obstacle(passed) == nil)
    }

    /// The second of two attempts counts.
    @Test func `an attempt that was begun again has its own end`() {
        var session = answered(.unavailable, "timeout")
        #expect(session.begin(2) == nil)
        #expect(obstacle(ended(session, after: 60)) == .notOpened)
    }
}
