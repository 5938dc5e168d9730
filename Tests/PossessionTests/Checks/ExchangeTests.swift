@testable import Possession
import Testing

/// Links that give a code to the browser that opens them, and the code that ends the session.
@Suite struct ExchangeTests {
    private static func code(_ byte: UInt8) -> ExchangeDigest { ExchangeDigest([UInt8](repeating: byte, count: 32)) }
    private static let challenge = CodeChallenge([UInt8](repeating: 7, count: 32))
    private static let otp = OTPDigest([UInt8](repeating: 9, count: 32))

    /// A session that waits for a tap on link 1.
    private static func linking(
        _ challenge: CodeChallenge? = nil, sends: Int = 4, _ change: (inout Fixture.Wishes) -> Void = { _ in }
    ) -> Session {
        Fixture.linking {
            $0.exchange = SessionRequest.Exchange(challenge: challenge)
            change(&$0)
        }
    }

    /// A session that waits for its code, or for a tap on link 1 beside it.
    private static func coded() -> Session {
        var session = Fixture.redeemed(
            Fixture.request { $0.exchange = SessionRequest.Exchange(challenge: nil) }, fallback: .otp)
        _ = try! session.sendCode(
            .first(nil), issue: { _, _, _ in .init(shown: OTP("123456")!, expected: otp) }, at: Fixture.start,
            rules: Fixture.rules)
        session.carryLink(Fixture.linkDigest(1), at: Fixture.start)
        return session
    }

    private static func tap(
        _ session: inout Session, _ code: UInt8 = 1, after seconds: Int = 1, otherPhone: Bool = false
    ) {
        session.expire(at: Fixture.moment(seconds))
        _ = session.decideLink(
            Fixture.linkDigest(1), .approve(matchCode: nil),
            by: Session.ApprovingPhone(address: nil, isOtherPhone: otherPhone), giving: Self.code(code),
            at: Fixture.moment(seconds), rules: Fixture.rules)
    }

    /// - Returns: why it was not redeemed.
    private static func redeem(
        _ session: inout Session, _ code: UInt8 = 1, _ challenge: CodeChallenge? = nil, after seconds: Int = 2,
        rules: Rules = Fixture.rules
    ) -> StepRefusal? {
        session.expire(at: Fixture.moment(seconds))
        do throws(StepRefusal) {
            try session.redeemExchange(
                Self.code(code), verifiedBy: challenge, at: Fixture.moment(seconds), rules: rules)
            return nil
        } catch { return error }
    }

    // MARK: The tap

    @Test func `a tap proves nothing, and its code ends the session`() {
        var session = Self.linking()
        Self.tap(&session)
        #expect(session.proof == nil && !session.isDone && session.brokenInvariant == nil)
        #expect(session.newEvents.last?.kind == .linkTapped)
        #expect(Self.redeem(&session) == nil)
        #expect(session.outcome == .succeeded && session.proof?.method == .instantLink)
        #expect(session.proof?.target == .number(Fixture.lorant))
        #expect(session.exchange == nil && session.brokenInvariant == nil)
    }

    @Test func `looking at a link gives no code`() {
        let session = Self.linking()
        #expect(
            session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(1)) == .open(expiresAt: Fixture.moment(180)))
        #expect(session.exchange == nil)
    }

    @Test func `each tap gives a code that voids the one before`() {
        var session = Self.linking()
        Self.tap(&session, 1, after: 1)
        Self.tap(&session, 2, after: 10)
        #expect(Self.redeem(&session, 1, after: 11) == .invalidState)
        #expect(session.exchange?.digest == Self.code(2) && !session.isDone)
        #expect(Self.redeem(&session, 2, after: 69) == nil)
    }

    @Test func `an approval that is played for a person gives no code`() {
        var session = Self.linking()
        let before = session
        session.answer()
        #expect(session == before)
    }

    @Test func `a denial ends the session, and the code with it`() {
        var session = Self.linking()
        Self.tap(&session)
        session.answer(1, .deny)
        #expect(session.outcome == .failed && session.exchange == nil && session.brokenInvariant == nil)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(2)) == .ended(.denied))
        #expect(Self.redeem(&session) == .sessionDone)
    }

    @Test func `another phone gets no code`() {
        var session = Self.linking()
        Self.tap(&session, otherPhone: true)
        #expect(session.outcome == .failed && session.exchange == nil)
    }

    @Test func `a link that was superseded gives no code`() throws {
        var session = Self.linking()
        _ = try session.link(2, after: 1)
        Self.tap(&session, after: 2)
        #expect(session.exchange == nil)
    }

    // MARK: Time

    @Test(arguments: [(60, StepRefusal?.none), (61, .invalidState)])
    func `a code is good for 60 seconds from the tap`(second: Int, expected: StepRefusal?) {
        var session = Self.linking()
        Self.tap(&session, after: 1)
        #expect(Self.redeem(&session, after: second) == expected)
    }

    @Test func `a link opens until it expires, and a code of its last second stays good`() {
        var session = Self.linking()
        Self.tap(&session, 1, after: 179)
        Self.tap(&session, 2, after: 180)
        #expect(session.exchange?.digest == Self.code(1))
        #expect(session.nextExpiry == Fixture.moment(239))
        #expect(Self.redeem(&session, 1, after: 238) == nil)
    }

    @Test func `a session ends when the last code that it gave is late`() throws {
        var session = Self.coded()
        let last = Int(Fixture.limits.sessionLifetime.components.seconds)
        // A code of the message that is awaited as long as the session lives.
        session.otp = OTPCheck(
            state: .waiting(Self.otp, expiresAt: session.expiresAt), codeLength: 6, attemptsLeft: 3)
        Self.tap(&session, after: last - 1)
        session.expire(at: Fixture.moment(last + 58))
        #expect(!session.isDone)
        session.expire(at: Fixture.moment(last + 500))
        #expect(session.outcome == .expired && session.endedAt == Fixture.moment(last + 59))
        #expect(session.exchange == nil && session.brokenInvariant == nil)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(last + 500)) == .ended(.expired))
    }

    @Test func `a session that lives on for the code of a link sends nothing, and takes no other code`() throws {
        var session = Self.coded()
        let last = Int(Fixture.limits.sessionLifetime.components.seconds)
        session.otp = OTPCheck(
            state: .waiting(Self.otp, expiresAt: session.expiresAt.adding(.seconds(300))), codeLength: 6,
            attemptsLeft: 3)
        Self.tap(&session, after: last - 1)
        let late = Fixture.moment(last)
        session.expire(at: late)
        let before = session
        #expect(throws: StepRefusal.sessionDone) {
            try session.sendCode(.again, issue: Fixture.issue, at: late, rules: Fixture.rules)
        }
        #expect(
            try session.verifyOTP({ _, _ in Self.otp }, at: late, rules: Fixture.rules) == .refused(.otpExpired))
        #expect(session == before)
        #expect(Self.redeem(&session, after: last + 58) == nil)
    }

    @Test func `a late code does not void what a link has given`() throws {
        var session = Self.coded()
        let life = Int(Fixture.limits.otpLifetime.components.seconds)
        while session.sends.sendsLeft > 0 {
            _ = try session.sendCode(
                .again, issue: { _, _, _ in .init(shown: OTP("123456")!, expected: Self.otp) }, at: Fixture.start,
                rules: Fixture.rules)
        }
        Self.tap(&session, after: life - 1)
        session.expire(at: Fixture.moment(life))
        let told = try session.verifyOTP({ _, _ in Self.otp }, at: Fixture.moment(life), rules: Fixture.rules)
        #expect(told == .refused(.otpExpired) && session.brokenInvariant == nil)
        #expect(Self.redeem(&session, after: life + 58) == nil)
    }

    // MARK: What was not sent, and other numbers

    @Test func `a first message whose link was opened has arrived, whatever its carrier says`() throws {
        var session = Fixture.redeemed(
            Fixture.request(.desktop) { $0.exchange = SessionRequest.Exchange(challenge: nil) }, fallback: .link)
        let message = try session.link(1, .first(nil))
        Self.tap(&session)
        let before = session
        session.giveBack(message, at: Fixture.moment(2))
        #expect(session == before && session.brokenInvariant == nil)
        #expect(Self.redeem(&session) == nil)
    }

    @Test func `a number proves nothing for the one that is named after it`() throws {
        var session = Self.linking { $0.allowPhoneChange = true }
        Self.tap(&session)
        let message = try session.link(2, .toNumber(Fixture.laney), after: 2)
        #expect(session.exchange == nil)
        #expect(Self.redeem(&session, after: 3) == .invalidState)
        session.giveBack(message, at: Fixture.moment(3))
        #expect(session.currentNumber == Fixture.lorant && session.exchange == nil)
    }

    @Test func `nor does the one that is named for the one before it`() throws {
        var session = Self.linking { $0.allowPhoneChange = true }
        let message = try session.link(2, .toNumber(Fixture.laney), after: 1)
        let phone = Session.ApprovingPhone(address: nil)
        _ = session.decideLink(
            Fixture.linkDigest(2), .approve(matchCode: nil), by: phone, giving: Self.code(1), at: Fixture.moment(2),
            rules: Fixture.rules)
        session.giveBack(message, at: Fixture.moment(3))
        #expect(Self.redeem(&session, after: 4) == nil)
        #expect(session.proof?.number == Fixture.laney)
    }

    // MARK: The verifier

    @Test func `a challenge needs its verifier, and another one uses nothing up`() {
        var session = Self.linking(Self.challenge)
        Self.tap(&session)
        #expect(Self.redeem(&session, 1, nil) == .invalidState)
        #expect(Self.redeem(&session, 1, CodeChallenge([UInt8](repeating: 8, count: 32))) == .invalidState)
        #expect(Self.redeem(&session, 1, Self.challenge) == nil)
    }

    @Test func `a verifier that nobody asked for is refused`() {
        var session = Self.linking()
        Self.tap(&session)
        #expect(Self.redeem(&session, 1, Self.challenge) == .invalidState)
        #expect(Self.redeem(&session) == nil)
    }

    @Test func `a code is used once, and none was given before a tap`() {
        var session = Self.linking()
        #expect(Self.redeem(&session) == .invalidState)
        Self.tap(&session)
        #expect(Self.redeem(&session, 2) == .invalidState)
        #expect(Self.redeem(&session) == nil && Self.redeem(&session) == .sessionDone)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(3)) == .ended(.used))
    }

    @Test func `a bad standing makes the session a failure when the code is redeemed`() {
        var session = Self.linking { $0.checkReputation = true }
        Self.tap(&session)
        #expect(Self.redeem(&session, rules: Fixture.withBadReputation) == nil)
        #expect(session.outcome == .failed && session.proof == nil && session.brokenInvariant == nil)
    }

    // MARK: Whom the holder plays

    @Test func `the holder of a link that names nobody says who it is, which proves nothing`() throws {
        var session = Fixture.session(
            Fixture.request(number: nil) { $0.exchange = SessionRequest.Exchange(challenge: nil) })
        try session.handOutLink(Fixture.linkDigest(1), at: Fixture.start, rules: Fixture.rules)
        #expect(session.phase == .active(.linkWait) && session.brokenInvariant == nil)
        Self.tap(&session)
        #expect(session.exchange == nil)
        let phone = Session.ApprovingPhone(address: nil)
        let isTaken = session.decideLink(
            Fixture.linkDigest(1), .play(Fixture.lorant), by: phone, giving: Self.code(1), at: Fixture.moment(2),
            rules: Fixture.rules)
        #expect(isTaken && session.exchange != nil)
        #expect(Self.redeem(&session, after: 3) == nil)
        #expect(session.proof?.method == .assumed && session.proof?.target == .number(Fixture.lorant))
        #expect(session.brokenInvariant == nil)
    }

    @Test func `nobody is played where a session names somebody`() {
        var session = Self.linking()
        let phone = Session.ApprovingPhone(address: nil)
        let isTaken = session.decideLink(
            Fixture.linkDigest(1), .play(Fixture.laney), by: phone, giving: Self.code(1), at: Fixture.moment(1),
            rules: Fixture.rules)
        #expect(!isTaken && session.exchange == nil && session.currentNumber == Fixture.lorant)
    }

    // MARK: Beside a code

    @Test func `a link beside a code ends the session as the code does`() throws {
        var session = Self.coded()
        #expect(session.names.contains(.link(Fixture.linkDigest(1))))
        Self.tap(&session)
        #expect(session.phase == .active(.otpFinish) && session.brokenInvariant == nil)
        #expect(Self.redeem(&session) == nil)
        #expect(session.outcome == .succeeded && session.proof?.method == .instantLink)
        #expect(!session.otp.isWaiting && session.brokenInvariant == nil)
    }

    @Test func `a code that was typed voids the link and what it gave`() throws {
        var session = Self.coded()
        Self.tap(&session)
        _ = try session.verifyOTP({ _, _ in Self.otp }, at: Fixture.moment(2), rules: Fixture.rules)
        #expect(session.proof?.method == .otp && session.exchange == nil)
        #expect(Self.redeem(&session, after: 3) == .sessionDone)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(3)) == .ended(.used))
    }

    @Test func `a link beside a code opens as long as the code is good`() throws {
        var session = Self.coded()
        let end = try #require(session.otp.expiresAt)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.start) == .open(expiresAt: end))
        #expect(session.linkStatus(Fixture.linkDigest(1), at: end) == .ended(.expired))
        Self.tap(&session, after: Int(Fixture.limits.otpLifetime.components.seconds))
        #expect(session.exchange == nil)
    }

    @Test func `wrong codes that end the session void what its link gave`() throws {
        var session = Self.coded()
        Self.tap(&session)
        while !session.isDone {
            _ = try session.verifyOTP(
                { _, _ in OTPDigest([UInt8](repeating: 1, count: 32)) }, at: Fixture.moment(2), rules: Fixture.rules)
        }
        #expect(session.outcome == .failed && session.exchange == nil)
        #expect(Self.redeem(&session) == .sessionDone)
    }
}
