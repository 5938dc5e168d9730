import Testing

@testable import Possession

/// A function checks the invariants after every change and names the broken one: each is broken here once.
@Suite struct SessionInvariantsTests {
    private static let proof = Session.Proof(method: .otp, target: .number(Fixture.lorant), at: Fixture.start)
    private static let digest = OTPDigest([UInt8](repeating: 7, count: 32))

    private static func waitingForLink() throws -> Session {
        var session = Fixture.redeemed(fallback: .link)
        let digest = LinkDigest([UInt8](repeating: 9, count: 32))
        _ = try session.sendLink(
            .first(nil), link: Session.IssuedLink(token: "t", digest: digest, matchCode: nil), browser: nil,
            at: Fixture.start, rules: Fixture.rules)
        return session
    }

    @Test func `sessions in every stage break nothing`() throws {
        var succeeded = Fixture.waiting()
        _ = succeeded.submit("1234")
        var failed = Fixture.waiting()
        _ = failed.submit("1111")
        var cancelled = Fixture.redeemed(deviceKey: true)
        cancelled.cancel(at: Fixture.start)
        var late = Fixture.waiting()
        late.expire(at: late.expiresAt)
        let stages = [
            Fixture.session(), Fixture.redeemed(), Fixture.redeemed(deviceKey: true), Fixture.waiting(),
            try Self.waitingForLink(), succeeded, failed, cancelled, late,
        ]
        for session in stages { #expect(session.brokenInvariant == nil, "\(session.phase)") }
    }

    /// One change each that no rule may make.
    @Test(
        arguments: [
            (Session.Invariant.boundWhenActive, { @Sendable in $0.binding = .unbound }),
            (.proofOfSuccess, { $0.proof = proof }),
            (.keyOfSuccess, { $0.deviceID = DeviceID(at: Fixture.start, random: 3) }),
            (.codeInItsStep, { $0.otp.close() }),
            (.linkInItsStep, { $0.link = LinkCheck(state: .waiting(expiresAt: $0.expiresAt)) }),
            (.noChallengeBesideMessage, { $0.device.state = .challenged(.init(bytes: [1], expiresAt: $0.expiresAt)) }),
            (
                .nothingAwaitedAtEnd,
                {
                    $0.cancel(at: Fixture.start)
                    $0.mobileAuth.state = .ready
                }
            ),
            (.budgetsNotNegative, { $0.bindTriesLeft = -1 }),
            (
                .endAfterStart,
                {
                    $0.cancel(at: Fixture.start)
                    $0.phase = .done(.cancelled, at: Fixture.start.adding(.seconds(-1)))
                }
            ),
            (.eventsInOrder, { $0.record(.otpMismatch, at: Fixture.start.adding(.seconds(-1))) }),
        ] as [(Session.Invariant, @Sendable (inout Session) -> Void)])
    func `names the invariant of a state that no rule may leave`(
        invariant: Session.Invariant, change: @Sendable (inout Session) -> Void
    ) {
        var session = Fixture.waiting()
        change(&session)
        #expect(session.brokenInvariant == invariant)
    }

    @Test func `names the invariant of a change that no rule may make`() {
        let before = Fixture.waiting()
        var jumped = before
        jumped.revision += 2
        #expect(jumped.brokenInvariant(since: before) == .revisionByOne)
        #expect(before.brokenInvariant(since: jumped) == .revisionByOne)
        #expect(
            Fixture.waiting().brokenInvariant(since: Fixture.session(at: Fixture.start.adding(.seconds(1))))
                == .sameSession)

        var ended = before
        ended.cancel(at: Fixture.start)
        var endedAgain = ended
        endedAgain.phase = .done(.failed, at: Fixture.start)
        #expect(endedAgain.brokenInvariant(since: ended) == .endIsFinal)

        var tried = Fixture.waiting { $0.allowOTPRetry = true }
        let untried = tried
        _ = tried.submit("1111")
        #expect(untried.brokenInvariant(since: tried) == .triesNotRefilled)
        #expect(tried.brokenInvariant(since: untried) == nil)
    }

    @Test func `a send that the carrier refused is given back without a broken invariant`() throws {
        var session = Fixture.redeemed()
        let before = session
        let message = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(session.brokenInvariant(since: before) == nil)
        let sent = session
        session.giveBack(message, at: Fixture.start)
        #expect(session.brokenInvariant(since: sent) == nil)
        #expect(session.sends == before.sends)
    }
}
