@testable import Possession
import Testing

/// Instant links on their way: which message may go out, to whom, and what it costs.
@Suite struct SessionLinkTests {
    private func refusalOfLink(_ session: inout Session, _ order: Session.SendOrder) -> StepRefusal? {
        refusal { () throws(StepRefusal) in try session.link(9, order) }
    }

    @Test func `is the only step of a desktop session`() {
        let session = Fixture.redeemed(Fixture.request(.desktop) { $0.mobileAuth = true }, deviceKey: true)
        #expect(session.allowed == [.linkStart, .cancel])
    }

    @Test func `tells the waiting page until when, by what digits, and what is left`() {
        let session = Fixture.linking(matchCode: "42")
        #expect(session.link.expiresAt == Fixture.moment(180))
        #expect(session.link.waitUntil == Fixture.moment(300))
        #expect(session.link.sentAt == Fixture.start)
        #expect(session.link.matchCode == "42")
        #expect(session.link.browser == "Firefox on Linux")
        #expect(session.sends.sendsLeft == 2)
    }

    @Test func `reports the number that was proven after a change`() throws {
        var session = Fixture.linking { $0.allowPhoneChange = true }
        #expect(session.allowed == [.linkResend, .linkPhone, .cancel])
        let message = try session.link(2, .toNumber(Fixture.laney))
        #expect(message.number == Fixture.laney)
        // The first number's phone can no longer answer.
        session.answer(1)
        #expect(!session.isDone)
        session.answer(2)
        #expect(session.proof?.number == Fixture.laney)
    }

    @Test func `refuses a change the tenant did not allow`() {
        var session = Fixture.linking()
        #expect(refusalOfLink(&session, .toNumber(Fixture.laney)) == .phoneChangeNotAllowed)
    }

    @Test func `takes a number from the client only when the backend gave none`() throws {
        var named = Fixture.redeemed(Fixture.request(.desktop))
        #expect(refusalOfLink(&named, .first(Fixture.laney)) == .phoneNumberNotAccepted)
        var unnamed = Fixture.redeemed(Fixture.request(.desktop, number: nil))
        #expect(refusalOfLink(&unnamed, .first(nil)) == .phoneNumberRequired)
        #expect(unnamed.sends.sendsLeft == 3)
        #expect(try unnamed.link(1, .first(Fixture.laney)).number == Fixture.laney)
    }

    @Test func `sends three times in all, changes of the number counted`() throws {
        var session = Fixture.linking { $0.allowPhoneChange = true }
        _ = try session.link(2, .again)
        _ = try session.link(3, .toNumber(Fixture.laney))
        #expect(session.sends.sendsLeft == 0 && session.sends.entriesLeft == 1)
        #expect(session.allowed == [.cancel])
        #expect(refusalOfLink(&session, .again) == .sendsExhausted)
        #expect(refusalOfLink(&session, .toNumber(Fixture.lorant)) == .sendsExhausted)
        session.answer(3)
        #expect(session.outcome == .succeeded)
    }

    @Test func `spends an entry with every number, the same one included`() throws {
        var session = Fixture.linking { $0.allowPhoneChange = true }
        _ = try session.link(2, .toNumber(Fixture.lorant))
        _ = try session.link(3, .toNumber(Fixture.lorant))
        #expect(session.sends.entriesLeft == 0)
        #expect(refusalOfLink(&session, .toNumber(Fixture.laney)) == .phoneEntriesExhausted)
    }

    @Test func `sends no code where a link was agreed, and no link where a code was`() {
        var linking = Fixture.linking()
        var coding = Fixture.waiting()
        for order in [Session.SendOrder.first(nil), .again, .toNumber(Fixture.laney)] {
            let refused = refusal { () throws(StepRefusal) in
                try linking.sendCode(order, issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            }
            #expect(refused == .invalidState)
            #expect(refusalOfLink(&coding, order) == .invalidState)
        }
        #expect(linking.submit("1234") == .invalidState)
    }

    @Test func `closes the steps before it when it is called directly`() throws {
        var session = Fixture.redeemed(
            Fixture.request(.mobile) { $0.mobileAuth = true }, fallback: .link, deviceKey: true,
            platform: .ios, cellular: .yes, rules: Fixture.withMobileAuth)
        #expect(session.allowed == [.device, .mobileAuth, .linkStart, .cancel])
        _ = try session.link(1, .first(nil))
        #expect(session.allowed == [.linkResend, .cancel])
        #expect(!session.device.isPending && session.device.retired == nil)
    }

    // MARK: messages the carrier refused

    @Test func `gives back a send the carrier refused`() throws {
        var session = Fixture.redeemed(Fixture.request(.desktop, number: nil))
        let message = try session.link(1, .first(Fixture.laney))
        session.giveBack(message, at: Fixture.start)
        #expect(session.phase == .active(.linkStart))
        #expect(session.sends.sendsLeft == 3 && session.sends.entriesLeft == 1)
        #expect(session.needsNumber)
        #expect(session.newEvents.last?.kind == .linkSendFailed)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.start) == .superseded)
    }

    @Test func `leaves the older link in force when the newer was refused`() throws {
        var session = Fixture.linking { $0.allowPhoneChange = true }
        let message = try session.link(2, .toNumber(Fixture.laney))
        session.giveBack(message, at: Fixture.start)
        session.answer(2)
        #expect(!session.isDone)
        session.answer(1)
        #expect(session.proof?.number == Fixture.lorant)
    }

    @Test func `takes nothing back once the link was answered, sent again or late`() throws {
        var answered = Fixture.redeemed(Fixture.request(.desktop))
        let first = try answered.link(1, .first(nil))
        var sentAgain = answered
        var late = answered
        answered.answer()
        _ = try sentAgain.link(2)
        late.expire(at: Fixture.moment(180))
        for var session in [answered, sentAgain, late] {
            let before = session
            session.giveBack(first, at: Fixture.moment(181))
            #expect(session == before)
        }
    }

    @Test func `gives a late link back that was never handed over`() throws {
        var session = Fixture.redeemed(Fixture.request(.desktop))
        let message = try session.link(1, .first(nil))
        #expect(session.awaits(message, at: Fixture.moment(179)) && !session.awaits(message, at: Fixture.moment(180)))
        session.expire(at: Fixture.moment(180))
        session.giveBack(message, orLate: true, at: Fixture.moment(181))
        #expect(session.phase == .active(.linkStart) && session.sends.sendsLeft == 3)
        #expect(session.link == LinkCheck())
    }

    @Test func `awaits the newest message only`() throws {
        var session = Fixture.linking()
        let older = try session.link(2)
        #expect(session.awaits(older, at: Fixture.start))
        let newest = try session.link(3)
        #expect(!session.awaits(older, at: Fixture.start) && session.awaits(newest, at: Fixture.start))
        session.cancel(at: Fixture.start)
        #expect(!session.awaits(newest, at: Fixture.start))
    }

    @Test func `gives the Mobile Auth attempt back with a send the carrier refused`() throws {
        var session = Fixture.offered(fallback: .link)
        let message = try session.link(1, .first(nil))
        session.giveBack(message, at: Fixture.start)
        #expect(session.phase == .active(.mobileAuth))
        #expect(session.go() == nil)
    }

    // A code drawn twice for the same number within a millisecond (a sandbox user's always is) leaves the OTP check as
    // it was, and giving the first send back late then gives back the second one as well: a message that was not counted.
    @Test func `takes no send back that another one followed at the same moment`() throws {
        var session = Fixture.redeemed()
        let first = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        _ = try session.sendCode(.again, issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        session.giveBack(first, at: Fixture.start)
        #expect(session.phase == .active(.otpFinish))
        #expect(session.sends.sendsLeft == 1)
    }
}
