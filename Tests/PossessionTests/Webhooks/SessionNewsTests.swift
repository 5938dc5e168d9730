import Testing

@testable import Possession

/// Events that systems are told of a session's checks and of the ways of its messages.
@Suite struct SessionNewsTests {
    private static func finished(_ verdict: MobileAuthCheck.Verdict) throws -> Session {
        var session = Fixture.answered(verdict)
        _ = try session.finishMobileAuth(
            Fixture.attempt(1), fingerprint: Fixture.fingerprint(of: session), at: Fixture.start,
            rules: Fixture.withMobileAuth)
        return session
    }

    /// How messages went, where one goes another way than the one before: both.
    private static func changes(
        _ session: Session, _ pending: Session.PendingMessage, by channel: OutgoingMessage.Channel?,
        avoids: [ExcludedRoute] = []
    ) -> [String] {
        let message = OutboundMessage(
            id: MessageID(bits: 1), correlationID: session.correlationID, pending: pending, avoids: avoids)
        return session.news(ofSent: message, Acceptance(channel: channel), at: Fixture.start).map { news in
            guard news.type == .messageChannelChanged else { return news.type.rawValue }
            return "\(news.text("fromChannel") ?? "") to \(news.text("toChannel") ?? "")"
        }
    }

    @Test func `a silent check that passes is told before the success`() throws {
        let news = try Self.finished(.agrees).webhookNews(since: nil, key: nil)
        #expect(news.map(\.type).suffix(2) == [.checkPassed, .sessionSucceeded])
        #expect(news.suffix(2).map { $0.text("method") } == ["mobile_auth", "mobile_auth"])
    }

    @Test(arguments: [(MobileAuthCheck.Verdict.differs, "mismatch"), (.unavailable, "unavailable")])
    func `a silent check that fails is told with its reason`(
        verdict: MobileAuthCheck.Verdict, reason: String
    ) throws {
        let news = try Self.finished(verdict).webhookNews(since: nil, key: nil)
        let failed = try #require(news.first { $0.type == .checkFailed })
        #expect(failed.text("method") == "mobile_auth" && failed.text("reason") == reason)
    }

    @Test func `the first message after a silent check goes another way, and the next one does not`() throws {
        var session = try Self.finished(.unavailable)
        let first = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(Self.changes(session, first, by: .sms) == ["mobile_auth to sms", "message.sent"])
        let again = try session.sendCode(.again, issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(Self.changes(session, again, by: .sms) == ["message.sent"])
    }

    @Test func `a message goes another way than the one that did not deliver it, or than it was to go`() throws {
        var session = Fixture.redeemed()
        let message = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(Self.changes(session, message, by: .sms) == ["message.sent"])
        #expect(Self.changes(session, message, by: .viber) == ["sms to viber", "message.sent"])
        let earlier = [ExcludedRoute("one", .voice), ExcludedRoute("one", .viber)]
        #expect(Self.changes(session, message, by: .sms, avoids: earlier) == ["viber to sms", "message.sent"])
        // A message that never leaves has no known channel.
        #expect(Self.changes(session, message, by: nil, avoids: earlier) == ["message.sent"])
        // Another gateway of the same channel.
        #expect(Self.changes(session, message, by: .viber, avoids: earlier) == ["message.sent"])
        // Somebody has asked for this way.
        #expect(Self.changes(session, message.by(.voice), by: .voice) == ["message.sent"])
    }

    @Test func `a code that passes and one that does not are told, without what only a vendor's format needs`() throws {
        var session = Fixture.waiting { $0.allowOTPRetry = true }
        #expect(session.submit("9999") == .otpMismatch && session.submit("1234") == nil)
        let news = session.webhookNews(since: nil, key: nil)
        #expect(news.map(\.type).suffix(3) == [.checkFailed, .checkPassed, .sessionSucceeded])
        #expect(news.allSatisfy { $0.metadata.isEmpty && $0.texts("channels").isEmpty })
    }
}
