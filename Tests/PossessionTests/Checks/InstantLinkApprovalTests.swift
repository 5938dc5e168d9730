@testable import Possession
import Testing

/// Facts that an approval has to bring beside the link.
@Suite struct InstantLinkApprovalTests {
    @Test(arguments: ["198.51.100.7", "::ffff:198.51.100.7", "::ffff:c633:6407"])
    func `may come from the address of the waiting browser, in any spelling`(address: String) {
        var session = Fixture.linking(ipAddress: Fixture.desk) { $0.linkNeedsSameAddress = true }
        session.answer(from: address)
        #expect(session.outcome == .succeeded)
        #expect(session.newEvents.contains(SessionEvent(.linkApproved, at: Fixture.moment(1), detail: "ip_match")))
    }

    @Test(
        arguments: [
            (Fixture.desk, "198.51.100.8"), (Fixture.desk, nil), (nil, "198.51.100.7"),
            ("not an address", "198.51.100.7"),
            (nil, nil),
        ] as [(String?, String?)])
    func `fails from any other address where the tenant demands the same`(expected: String?, address: String?) {
        var session = Fixture.linking(ipAddress: expected) { $0.linkNeedsSameAddress = true }
        #expect(session.answer(from: address) == true)
        #expect(session.outcome == .failed && session.proof == nil)
        #expect(session.link.state == .failed(.addressMismatch))
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(2)) == .ended(.failed))
    }

    @Test(
        arguments: [
            (Fixture.desk, "198.51.100.7", "ip_match"), (Fixture.desk, "198.51.100.8", "ip_mismatch"),
            (Fixture.desk, nil, "ip_unknown"), (nil, "198.51.100.8", "ip_unknown"),
        ] as [(String?, String?, String)])
    func `only notes the address where the tenant does not demand it`(
        expected: String?, address: String?, detail: String
    ) {
        var session = Fixture.linking(ipAddress: expected)
        session.answer(from: address)
        #expect(session.outcome == .succeeded)
        #expect(session.newEvents.contains(SessionEvent(.linkApproved, at: Fixture.moment(1), detail: detail)))
    }

    @Test func `fails from another phone`() {
        var session = Fixture.linking()
        #expect(session.answer(otherPhone: true) == true)
        #expect(session.outcome == .failed && session.proof == nil)
        #expect(session.link.state == .failed(.phoneMismatch))
    }

    @Test func `passes with the two digits the waiting page shows`() {
        var session = Fixture.linking(matchCode: "42")
        #expect(session.answer(1, .approve(matchCode: "42")) == true)
        #expect(session.outcome == .succeeded)
    }

    @Test func `fails with two other digits, and there is no second guess`() {
        var session = Fixture.linking(matchCode: "42")
        #expect(session.answer(1, .approve(matchCode: "24")) == true)
        #expect(session.outcome == .failed && session.proof == nil)
        #expect(session.link.state == .failed(.wrongMatchCode))
        #expect(session.answer(1, .approve(matchCode: "42")) == true)
        #expect(session.outcome == .failed)
    }

    @Test(arguments: [nil, "", "4", "420", "4 2", " 42", "ab", "-1", "４２", "4\u{301}2", "42\n"])
    func `asks again for what is no two digits, and decides nothing`(typed: String?) {
        var session = Fixture.linking(matchCode: "42")
        let before = session
        #expect(session.answer(1, .approve(matchCode: typed)) == false)
        #expect(session == before)
    }

    @Test func `can be denied without any digits`() {
        var session = Fixture.linking(matchCode: "42")
        #expect(session.answer(1, .deny) == true)
        #expect(session.outcome == .failed)
    }

    @Test func `has new digits with a new link`() throws {
        var session = Fixture.linking(matchCode: "42")
        _ = try session.link(2, matchCode: "77")
        #expect(session.answer(2, .approve(matchCode: "77")) == true)
        #expect(session.outcome == .succeeded)
    }

    @Test func `heeds no digits where the tenant wants none`() {
        var session = Fixture.linking()
        #expect(session.answer(1, .approve(matchCode: "99")) == true)
        #expect(session.outcome == .succeeded)
    }
}
