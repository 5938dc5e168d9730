@testable import Possession
import Testing

/// A bad standing lets the checks run and makes the result false (contract section 8).
@Suite struct ReputationTests {
    private let freshID = DeviceID(bits: 77)
    private let publicKey = PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))!
    private let device = Thumbprint([UInt8](repeating: 5, count: 32))!

    private func request(
        _ flow: SessionRequest.Flow = .mobile, number: PhoneNumber? = Fixture.lorant, asks: Bool = true
    ) -> SessionRequest {
        Fixture.request(flow, number: number) {
            $0.checkReputation = asks
            $0.mobileAuth = true
            $0.allowPhoneChange = true
        }
    }

    private func expectRefused(_ session: Session) {
        #expect(session.outcome == .failed)
        #expect(session.proof == nil && session.deviceID == nil)
        #expect(session.riskReasons == [Fixture.simSwap])
        #expect(session.newEvents.contains(SessionEvent(.reputationFailed, at: Fixture.start, detail: "9133")))
    }

    private func passCode(_ session: inout Session, rules: Rules = Fixture.withBadReputation) throws {
        _ = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: rules)
        _ = try session.verifyOTP({ Fixture.digest(OTP("1234")!, $0, $1) }, at: Fixture.start, rules: rules)
    }

    @Test func `makes the right code a failure`() throws {
        var session = Fixture.redeemed(request())
        try passCode(&session)
        expectRefused(session)
    }

    @Test func `makes an approved link a failure, and says so on the phone`() throws {
        var session = Fixture.redeemed(request(.desktop))
        _ = try session.link(1, .first(nil))
        #expect(session.answer(after: 0, rules: Fixture.withBadReputation) == true)
        expectRefused(session)
        #expect(session.linkStatus(Fixture.linkDigest(1), at: Fixture.moment(1)) == .ended(.failed))
    }

    @Test(arguments: [MobileAuthCheck.Verdict.agrees, .found(Fixture.laney)])
    func `makes Mobile Auth a failure, without a fallback`(verdict: MobileAuthCheck.Verdict) {
        let number = verdict == .agrees ? Fixture.lorant : nil
        var session = Fixture.answered(verdict, number: number) { $0.checkReputation = true }
        #expect(session.finish(rules: Fixture.withBadReputation) == nil)
        expectRefused(session)
    }

    @Test func `makes a known device key a failure`() throws {
        var change = change(request(), knowsKey: true)
        try prove(&change)
        expectRefused(change.session)
    }

    @Test func `makes the tenant's own check a failure, and ends the tries`() throws {
        var session = Fixture.redeemed(request(.none))
        #expect(try !session.bind(Fixture.lorant, at: Fixture.start, rules: Fixture.withBadReputation))
        expectRefused(session)
        #expect(throws: PlatformRefusal.stepNotAllowed) {
            try session.bind(Fixture.lorant, at: Fixture.start, rules: Fixture.withBadReputation)
        }
    }

    @Test func `binds no waiting key`() throws {
        var change = change(request(), knowsKey: false)
        try prove(&change)
        try passCode(&change.session)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        expectRefused(change.session)
        #expect(change.deviceKey == nil)
        #expect(change.session.device.isPending)
    }

    @Test func `binds no waiting key to the number the tenant vouched for`() throws {
        var change = change(request(.none), knowsKey: false)
        try prove(&change)
        #expect(try !change.session.bind(Fixture.lorant, at: Fixture.start, rules: Fixture.withBadReputation))
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        expectRefused(change.session)
        #expect(change.deviceKey == nil)
    }

    @Test func `is not asked for where the backend did not want it`() throws {
        var session = Fixture.redeemed(request(asks: false))
        try passCode(&session)
        #expect(session.outcome == .succeeded && session.riskReasons.isEmpty)
    }

    @Test func `is that of the number that was proven`() throws {
        let rules = Rules(limits: Fixture.limits) { number in
            Reputation(failureReasons: number == Fixture.laney ? [Fixture.simSwap] : [])
        }
        var session = Fixture.redeemed(request())
        try passCode(&session, rules: rules)
        #expect(session.outcome == .succeeded)
        var changed = Fixture.redeemed(request())
        _ = try changed.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: rules)
        _ = try changed.sendCode(.toNumber(Fixture.laney), issue: Fixture.issue, at: Fixture.start, rules: rules)
        _ = try changed.verifyOTP({ Fixture.digest(OTP("1234")!, $0, $1) }, at: Fixture.start, rules: rules)
        expectRefused(changed)
    }

    @Test func `that nobody could tell may pass, and says so`() throws {
        let unknown = Reputation(
            unknown: Reputation.Reason(code: "9190", text: "standing not known"), passes: true, gap: "timeout")
        let rules = Rules(limits: Fixture.limits) { _ in unknown }
        var session = Fixture.redeemed(request())
        try passCode(&session, rules: rules)
        #expect(session.outcome == .succeeded && session.proof?.number == Fixture.lorant)
        #expect(session.riskReasons == unknown.doubts)
        #expect(
            session.newEvents.contains(SessionEvent(.reputationUnknown, at: Fixture.start, detail: "9190 timeout")))
        let news = session.webhookNews(since: nil, key: nil).first { $0.type == .sessionSucceeded }
        #expect(news?.facts.contains { $0 == WebhookFact("evaluation", .texts(["9190"])) } == true)
    }

    @Test func `stops a message where the server is set so, and spends no send`() throws {
        let stopping = Rules(limits: Fixture.limits, standingStopsSends: true) { _ in
            Reputation(failureReasons: [Fixture.simSwap])
        }
        var session = Fixture.redeemed(request())
        let (sends, entries) = (session.sends.sendsLeft, session.sends.entriesLeft)
        let isStopped = session.isStopped(sendingTo: .number(Fixture.laney), at: Fixture.start, rules: stopping)
        #expect(isStopped)
        expectRefused(session)
        #expect(!session.hadPassedBeforeStanding)
        #expect(session.currentNumber == Fixture.laney && session.otp.state == .idle)
        #expect(session.sends.sendsLeft == sends && session.sends.entriesLeft == entries)
        var other = Fixture.redeemed(request())
        _ = other.isStopped(sendingTo: .number(Fixture.lorant), at: Fixture.start, rules: Fixture.withBadReputation)
        var silent = Fixture.redeemed(request(asks: false))
        _ = silent.isStopped(sendingTo: .number(Fixture.lorant), at: Fixture.start, rules: stopping)
        #expect(!other.isDone && !silent.isDone)
    }

    @Test func `does not stand against a completion by the sandbox`() {
        var session = Fixture.session(request())
        session.complete(success: true, numberIfUnknown: nil, at: Fixture.start, rules: Fixture.withBadReputation)
        #expect(session.outcome == .succeeded)
    }

    private func change(_ request: SessionRequest, knowsKey: Bool) -> SessionChange {
        let key = DeviceKey(
            id: DeviceID(bits: 5), clientID: Fixture.clientID, thumbprint: device, publicKey: publicKey, platform: .web,
            createdAt: Fixture.start, number: Fixture.lorant, status: .active, boundAt: Fixture.start,
            lastUsedAt: Fixture.start)
        return SessionChange(
            session: Fixture.redeemed(request, deviceKey: true), deviceKey: knowsKey ? key : nil, proof: .new,
            tenantIsRevoked: false, earlierReply: nil)
    }

    private func prove(_ change: inout SessionChange) throws {
        let proof = DeviceProof(
            publicKey: publicKey, thumbprint: device, authID: change.session.authID, challenge: Fixture.challenge(1),
            sessionKey: Fixture.sessionKey, operation: .authenticate)
        _ = try change.provedDevice(
            proof, by: .key(Fixture.sessionKey),
            context: .init(rules: Fixture.withBadReputation, nextChallenge: Fixture.challenge(2)), at: Fixture.start)
    }
}
