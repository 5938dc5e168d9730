@testable import Possession
import Testing

@Suite struct SessionOTPTests {
    @Test func `succeeds with the right code, for the number of the backend`() {
        var session = Fixture.waiting()
        #expect(session.submit("1234") == nil)
        #expect(session.outcome == .succeeded)
        #expect(session.proof?.number == Fixture.lorant)
        #expect(session.proof?.method == .otp)
    }

    @Test func `fails on the first wrong code without retries`() {
        var session = Fixture.waiting()
        #expect(session.submit("1111") == .otpMismatch)
        #expect(session.outcome == .failed)
        #expect(session.submit("1234") == .sessionDone)
    }

    @Test func `allows three entries with retries, and no fourth`() {
        var session = Fixture.waiting { $0.allowOTPRetry = true }
        for left in [2, 1] {
            #expect(session.submit("1111") == .otpMismatch)
            #expect(session.otp.attemptsLeft == left)
            #expect(!session.isDone)
        }
        #expect(session.submit("1111") == .otpMismatch)
        #expect(session.outcome == .failed)
    }

    @Test func `sends three times in all, changes of the number counted`() throws {
        var session = Fixture.waiting { $0.allowPhoneChange = true }
        _ = try session.sendCode(.again, issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        _ = try session.sendCode(
            .toNumber(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(session.sends.sendsLeft == 0)
        #expect(session.allowed == [.otpVerify, .cancel])
        #expect(
            refusal { () throws(StepRefusal) in
                try session.sendCode(.again, issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            } == .sendsExhausted)
    }

    @Test func `reports the number that was proven after a change`() throws {
        var session = Fixture.waiting { $0.allowPhoneChange = true }
        _ = try session.sendCode(
            .toNumber(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(session.submit("1234") == nil)
        #expect(session.proof?.number == Fixture.laney)
    }

    @Test func `refuses a change the tenant did not allow`() {
        var session = Fixture.waiting()
        #expect(
            refusal { () throws(StepRefusal) in
                try session.sendCode(
                    .toNumber(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            } == .phoneChangeNotAllowed)
    }

    @Test func `takes a number from the client only when the backend gave none`() throws {
        var named = Fixture.redeemed()
        #expect(
            refusal { () throws(StepRefusal) in
                try named.sendCode(.first(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            } == .phoneNumberNotAccepted)
        var unnamed = Fixture.redeemed(Fixture.request(number: nil))
        #expect(unnamed.needsNumber)
        #expect(
            refusal { () throws(StepRefusal) in
                try unnamed.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            } == .phoneNumberRequired)
        let message = try unnamed.sendCode(
            .first(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(message.number == Fixture.laney)
        #expect(!unnamed.needsNumber)
    }

    @Test func `does not count a send the carrier refused`() throws {
        var session = Fixture.redeemed(Fixture.request(number: nil))
        let message = try session.sendCode(
            .first(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        session.giveBack(message, at: Fixture.start)
        #expect(session.phase == .active(.otpStart))
        #expect(session.sends.sendsLeft == 3)
        #expect(session.needsNumber)
    }

    @Test func `leaves what happened after a refused send`() throws {
        var session = Fixture.redeemed()
        let first = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(session.submit("1234") == nil)
        session.giveBack(first, at: Fixture.start)
        #expect(session.outcome == .succeeded)
    }

    @Test func `takes nothing back once a code was tried or another one sent`() throws {
        var tried = Fixture.redeemed(Fixture.request(.mobile) { $0.allowOTPRetry = true })
        let first = try tried.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        var sentAgain = tried
        #expect(tried.submit("1111") == .otpMismatch)
        _ = try sentAgain.sendCode(.again, issue: Fixture.issue, at: Fixture.moment(1), rules: Fixture.rules)
        for var session in [tried, sentAgain] {
            let before = session
            session.giveBack(first, at: Fixture.moment(2))
            #expect(session == before)
        }
    }

    @Test func `ends by time alone when the last code is late`() throws {
        var session = Fixture.waiting()
        for _ in 0..<2 {
            _ = try session.sendCode(.again, issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        }
        session.expire(at: Fixture.start.adding(.seconds(119)))
        #expect(!session.isDone)
        session.expire(at: Fixture.start.adding(.seconds(120)))
        #expect(session.outcome == .failed)
    }

    @Test func `fails a code of another number of the same session`() throws {
        var session = Fixture.waiting {
            $0.allowPhoneChange = true; $0.allowOTPRetry = true
        }
        _ = try session.sendCode(
            .toNumber(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        let refused = refusal { () throws(StepRefusal) in
            try session.verifyOTP(
                { id, _ in Fixture.digest(OTP("1234")!, id, .number(Fixture.lorant)) }, at: Fixture.start,
                rules: Fixture.rules)
        }
        #expect(refused == .otpMismatch)
    }
}
