@testable import Possession
import Testing

/// A session that is about an e-mail address.
@Suite struct EmailSessionTests {
    private static let ada = EmailAddress("Ada@example.com")!
    private static let target = Target.email(ada)

    private static func session(_ change: (inout Fixture.Wishes) -> Void = { _ in }) -> Session {
        Fixture.redeemed(Fixture.request(mailbox: ada, change))
    }

    private static func sent(rules: Rules = Fixture.rules) throws -> (Session, Session.PendingMessage) {
        var session = session()
        let message = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: rules)
        return (session, message)
    }

    @Test func `sends its code there, and the code proves the address and no number`() throws {
        var (session, message) = try Self.sent()
        #expect(message.to == Self.target && message.number == nil && message.targets == [Self.target])
        #expect(session.currentTarget == Self.target && session.currentNumber == nil && !session.needsNumber)
        #expect(session.submit("1234") == nil)
        #expect(session.outcome == .succeeded)
        #expect(session.proof?.target == Self.target && session.proof?.number == nil && session.proof?.method == .otp)
    }

    @Test func `an address in another case takes the same code`() throws {
        let (session, _) = try Self.sent()
        let code = try #require(OTP("1234"))
        let other = Target.email(try #require(EmailAddress("ADA@EXAMPLE.COM")))
        #expect(Fixture.digest(code, session.authID, other) == Fixture.digest(code, session.authID, Self.target))
    }

    @Test func `takes no number in its place, neither first nor later`() throws {
        var session = Self.session { $0.allowPhoneChange = true }
        #expect(
            refusal { () throws(StepRefusal) in
                try session.sendCode(
                    .first(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
            } == .phoneNumberNotAccepted)
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(session.refusalOfNumberChange(.code) == .phoneChangeNotAllowed)
        #expect(session.targets == [Self.target])
    }

    @Test func `gives a message back that did not leave, and stays about the address`() throws {
        var (session, message) = try Self.sent()
        session.giveBack(message, at: Fixture.start)
        #expect(session.phase == .active(.otpStart) && session.currentTarget == Self.target)
    }

    @Test func `asks no operator and binds no device key`() throws {
        let request = Fixture.request(mailbox: Self.ada) { $0.mobileAuth = true }
        var session = Fixture.redeemed(request, cellular: .yes, rules: Fixture.withMobileAuth)
        #expect(!session.mobileAuth.isPlanned)
        let key = DeviceCheck.PendingKey(
            thumbprint: Fixture.sessionKey, publicKey: PublicKey(x: Fixture.challenge(1), y: Fixture.challenge(2))!)
        session.device.state = .pending(key)
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        session.device.state = .pending(key)
        #expect(session.submit("1234") == nil)
        var change = SessionChange(
            session: session, deviceKey: nil, proof: .new, tenantIsRevoked: false, earlierReply: nil)
        change.bindPendingKey(freshDeviceID: DeviceID(bits: 1), at: Fixture.start)
        #expect(change.deviceKey == nil && change.session.deviceID == nil)
    }

    @Test func `has no standing that could fail it`() throws {
        var session = Fixture.redeemed(Fixture.request(mailbox: Self.ada) { $0.checkReputation = true })
        let rules = Fixture.withBadReputation
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: rules)
        let code = try #require(OTP("1234"))
        _ = try session.verifyOTP({ Fixture.digest(code, $0, $1) }, at: Fixture.start, rules: rules)
        #expect(session.outcome == .succeeded)
    }

    // MARK: Limits

    private static let limits = Limits.OverSessions()

    private static func subject(_ address: EmailAddress = ada) -> SessionChange.SendSubject {
        .init(
            target: .email(address), kind: .code, tenant: Fixture.clientID,
            account: MessageAccount(.email(address), from: MessageSource(nil), of: Fixture.clientID, country: "US"),
            isTrusted: false, isClosed: false, isThrottled: false, isNeverSentTo: false)
    }

    @Test func `counts under its address in lower case, and under no country or prefix`() {
        let keys = Self.subject().keys(by: Self.limits)
        #expect(
            keys.map(\.counter) == [
                .sendsToNumber, .network, .knownInNetwork, .networkInPrefix, .proofs, .wrongCodes, .wrongCodesOfOwner,
            ])
        #expect(LimitKey(.wrongCodes, Self.target, of: Fixture.clientID).ownSubject == Array("ada@example.com".utf8))
        #expect(keys == Self.subject(EmailAddress("ADA@example.com")!).keys(by: Self.limits))
    }

    @Test func `two messages to one address keep the time between them`() throws {
        let key = Self.subject().ofTarget
        var tallies = LimitTallies([(key, LimitTally())])
        try tallies.checkSend(key, by: Self.limits, at: Fixture.start)
        tallies.count([key], by: Self.limits, at: Fixture.start)
        #expect(throws: LimitHit(.sendsPerNumber, retryAfterSeconds: 30)) {
            try tallies.checkSend(key, by: Self.limits, at: Fixture.start)
        }
    }

    @Test func `counts without its tag, and is proven with it`() throws {
        let plain = try #require(Target("ada@example.com"))
        for text in ["Ada+1@example.com", "ada+a+b@EXAMPLE.com", "ada+@example.com"] {
            let tagged = try #require(Target(text))
            for counter in LimitKey.Counter.allCases {
                let isSame =
                    LimitKey(counter, tagged, of: Fixture.clientID) == LimitKey(counter, plain, of: Fixture.clientID)
                #expect(isSame == (counter != .proofs), "\(text) \(counter)")
            }
        }
        #expect(try #require(EmailAddress("+x@example.com")).withoutTag == "+x@example.com")
        #expect(try #require(EmailAddress("a@x+y.example")?.withoutTag ?? "none") == "none", "no domain has one")
    }

    @Test func `costs its own price, and the budget of the tenant ends it`() throws {
        var spend = SpendGuard()
        spend.prices = ["US": 5]
        spend.standardPrice = 10
        #expect(spend.price(of: nil) == 10 && spend.price(of: "US") == 5)
        spend.emailPrice = 3
        #expect(spend.price(of: nil) == 3)
        spend.perTenantPerDay = 5
        let purchase = try #require(Self.subject().purchase(by: spend, clients: 1))
        var tallies = LimitTallies(purchase.keys(by: spend).map { ($0, LimitTally()) })
        try tallies.check(purchase, by: spend, at: Fixture.start)
        tallies.count(purchase, by: spend, at: Fixture.start)
        #expect(throws: LimitHit.self) { try tallies.check(purchase, by: spend, at: Fixture.start) }
    }

    @Test func `a full stop of its checks is told as one of an address`() throws {
        var tallies = LimitTallies()
        let key = LimitKey(.refusedLinks, Self.target, of: Fixture.clientID)
        for _ in 0..<Self.limits.failuresInARow { tallies.countFailure([key], by: Self.limits, at: Fixture.start) }
        let news = try #require(tallies.webhookNews.first?.news)
        #expect(news.target == Self.target && news.facts.contains(WebhookFact("scope", .text("email"))))
    }
}
