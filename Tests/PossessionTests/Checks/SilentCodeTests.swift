@testable import Possession
import Testing

/// A code of digits that the end of a chain hands out in place of the fingerprint.
@Suite struct SilentCodeTests {
    private static func right(_: AuthID, _: Target) -> OTPDigest { OTPDigest(Fixture.result(1)) }
    private static func wrong(_: AuthID, _: Target) -> OTPDigest { .ofNone }

    private func handedOver(_ verdict: MobileAuthCheck.Verdict = .agrees) throws -> Session {
        var session = Fixture.answered(verdict)
        _ = try session.handOver(Fixture.fingerprint(of: session), at: Fixture.start)
        return session
    }

    @Test func `proves the number as the operator's answer does, once`() throws {
        var session = try handedOver()
        #expect(session.awaitsSilentCode && session.awaitsTypedCode)
        #expect(try session.verifyOTP(Self.right, at: Fixture.moment(59), rules: Fixture.rules) == .taken)
        #expect(session.outcome == .succeeded && session.proof?.method == .mobileAuth)
        #expect(throws: StepRefusal.sessionDone) {
            _ = try session.verifyOTP(Self.right, at: Fixture.moment(59), rules: Fixture.rules)
        }
    }

    @Test func `is taken only once the device has it`() {
        var session = Fixture.answered()
        #expect(!session.awaitsTypedCode)
        #expect(throws: StepRefusal.invalidState) {
            _ = try session.verifyOTP(Self.right, at: Fixture.start, rules: Fixture.rules)
        }
        #expect(session.otp.attemptsLeft == Fixture.session(Fixture.request { _ in }).otp.attemptsLeft)
    }

    @Test func `wrong ones use up the tries of the session's codes`() throws {
        var session = try handedOver()
        let tries = session.otp.attemptsLeft
        for left in (0..<tries).reversed() {
            let outcome = try session.verifyOTP(Self.wrong, at: Fixture.start, rules: Fixture.rules)
            #expect(outcome == .refused(.otpMismatch) && session.otp.attemptsLeft == left)
        }
        #expect(session.outcome == .failed)
    }

    @Test func `is late after a minute, whatever the clock says then`() throws {
        var session = try handedOver()
        for second in [60, 59] {
            let outcome = try session.verifyOTP(Self.right, at: Fixture.moment(second), rules: Fixture.rules)
            #expect(outcome == .refused(.otpExpired) && !session.isDone)
        }
    }

    @Test func `the same fingerprint hands out again, and another one nothing`() throws {
        var session = try handedOver()
        let fingerprint = Fixture.fingerprint(of: session)
        #expect(try session.handOver(fingerprint, at: Fixture.moment(59)) == .agrees)
        for other in [
            fingerprint.with(attempt: Fixture.attempt(2)), fingerprint.with(authID: AuthID(bits: 1)),
            fingerprint.with(result: Fixture.result(2)),
        ] {
            #expect(throws: Session.HopRefusal.gone) { _ = try session.handOver(other, at: Fixture.start) }
        }
        #expect(throws: Session.HopRefusal.gone) { _ = try session.handOver(fingerprint, at: Fixture.moment(60)) }
    }

    @Test(arguments: [MobileAuthCheck.Verdict.differs, .unavailable])
    func `an answer that proves nothing hands out none`(verdict: MobileAuthCheck.Verdict) throws {
        let session = try handedOver(verdict)
        #expect(!session.awaitsSilentCode && session.mobileAuth.verdict == verdict)
    }

    @Test func `the fingerprint is taken no more, and a message makes the code void`() throws {
        var session = try handedOver()
        #expect(session.finish() == .fingerprintInvalid)
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(!session.awaitsSilentCode)
        #expect(
            try session.verifyOTP(Self.right, at: Fixture.start, rules: Fixture.rules) == .refused(.otpMismatch))
    }

    // MARK: Payments

    private static let payment = PaymentDigest([1, 2, 3])

    @Test(arguments: [
        (PaymentDigest?.none, PaymentDigest?.none, StepRefusal?.none), (payment, payment, nil),
        (payment, nil, .otherPayment(isNamed: false)),
        (payment, PaymentDigest([1, 2, 4]), .otherPayment(isNamed: true)),
        (nil, payment, .otherPayment(isNamed: true)), (payment, PaymentDigest([]), .otherPayment(isNamed: true)),
    ]) func `a code is for its payment only`(own: PaymentDigest?, named: PaymentDigest?, refusal: StepRefusal?) {
        let base = Fixture.request { _ in }
        var options = base.options
        options.payment = own
        let request = SessionRequest(
            flow: base.flow, policy: base.policy, subject: base.subject, options: options,
            references: base.references)
        let session = Fixture.session(request)
        do throws(StepRefusal) {
            try session.checkPayment(named)
            #expect(refusal == nil)
        } catch { #expect(error == refusal) }
    }
}
