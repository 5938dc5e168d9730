import Testing

@testable import Possession

/// The rules of an activation.
@Suite struct DeviceActivationTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let later = now.adding(.seconds(60))
    private static let first: [UInt8] = [0]
    private static let match = SignatureMatch(skipped: 0, counter: [1])
    private var activation = DeviceActivation(
        id: ActivationID(at: Self.now, random: 1), clientID: ClientID("acme")!, applicationKey: "a",
        target: .number(PhoneNumber(e164: "+12001004014")!), sessionID: CorrelationID(at: Self.now, random: 2),
        details: .init(), secrets: ActivationSecrets(keys: [9], counter: Self.first), at: Self.now)

    private mutating func take(
        _ match: SignatureMatch?, of factors: SignatureFactors = .possessionKnowledge
    ) -> SignatureOutcome {
        activation.take(match, of: factors, checkedWith: activation.secrets.counter, at: Self.later)
    }

    /// A macro cannot call what mutates.
    private static func expect(
        _ expected: SignatureOutcome, _ outcome: SignatureOutcome, at place: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome == expected, sourceLocation: place)
    }

    @Test mutating func `a signature that matches replaces the counter, and nothing else of the secrets`() {
        Self.expect(.matched, take(Self.match))
        #expect(activation.secrets == ActivationSecrets(keys: [9], counter: [1]))
        #expect(activation.lastUsedAt == Self.later)
    }

    @Test(arguments: SignatureFactors.allCases)
    mutating func `clears and counts attempts unless the factors are possession only`(factors: SignatureFactors) {
        let isPossession = factors == .possession
        Self.expect(.mismatched, take(nil))
        Self.expect(.mismatched, take(nil, of: factors))
        #expect(activation.failedAttempts == (isPossession ? 1 : 2))
        #expect(activation.secrets.counter == Self.first)
        Self.expect(.matched, take(Self.match, of: factors))
        #expect(activation.failedAttempts == (isPossession ? 1 : 0))
    }

    @Test mutating func `four mismatches leave it active, the fifth blocks it`() {
        for _ in 0..<4 { Self.expect(.mismatched, take(nil)) }
        #expect(activation.standing.status == .active)
        Self.expect(.mismatched, take(nil))
        #expect(activation.standing == DeviceActivation.Standing(.blocked, .failedAttempts, since: Self.later))
        #expect(activation.status.state == .blocked && activation.status.failedAttempts == 5)
    }

    @Test mutating func `no number of mismatches of possession blocks it`() {
        for _ in 0..<50 { Self.expect(.mismatched, take(nil, of: .possession)) }
        #expect(activation.standing.status == .active && activation.failedAttempts == 0)
    }

    @Test mutating func `only an active one verifies`() {
        let isBlocked = activation.block(for: .operator, at: Self.now)
        #expect(isBlocked)
        var outcomes = [take(Self.match), take(nil)]
        activation.remove(for: .phone, at: Self.now)
        outcomes.append(take(Self.match))
        #expect(outcomes == [.notActive, .notActive, .notActive])
        #expect(activation.secrets.counter == Self.first && activation.failedAttempts == 0)
    }

    @Test mutating func `what was checked with an earlier counter counts neither way`() {
        Self.expect(.matched, take(Self.match))
        let before = activation
        for match in [SignatureMatch(skipped: 1, counter: [2]), nil] {
            let outcome = activation.take(match, of: .knowledge, checkedWith: Self.first, at: Self.later)
            #expect(outcome == .outdated && activation == before)
        }
    }

    @Test mutating func `block, unblock and remove may be repeated, and the first reason stays`() {
        for _ in 0..<5 { _ = take(nil) }
        let (blocked, muchLater) = (activation, Self.later.adding(.seconds(1)))
        var isSo = activation.block(for: .operator, at: muchLater)
        #expect(isSo && activation == blocked)
        isSo = activation.unblock(at: Self.later)
        #expect(isSo && activation.failedAttempts == 0 && activation.standing.reason == nil)
        let active = activation
        isSo = activation.unblock(at: muchLater)
        #expect(isSo && activation == active)
        activation.remove(for: .phone, at: Self.later)
        let removed = activation
        activation.remove(for: .operator, at: muchLater)
        isSo = activation.block(for: .operator, at: muchLater)
        let isActive = activation.unblock(at: muchLater)
        #expect(!isSo && !isActive && activation == removed && removed.standing.reason == .phone)
    }

    @Test(arguments: [(24 * 3600 - 1, false), (24 * 3600, true)])
    mutating func `one that has not signed goes after a day`(age: Int64, goes: Bool) {
        activation.removeIfUnused(at: Self.now.adding(.seconds(age)))
        #expect((activation.standing.reason == .unused) == goes)
    }

    @Test mutating func `one that has signed stays`() {
        Self.expect(.matched, take(Self.match, of: .possession))
        activation.removeIfUnused(at: Self.now.adding(.seconds(365 * 86_400)))
        #expect(activation.standing.status == .active)
    }

    @Test func `a reason stands with any status but active`() {
        for status in DeviceActivation.Status.allCases {
            let isActive = status == .active
            #expect((DeviceActivation.Standing(status, nil, since: Self.now) != nil) == isActive)
            #expect((DeviceActivation.Standing(status, .client, since: Self.now) == nil) == isActive)
        }
    }

    @Test mutating func `only a block that nobody has ordered makes an audit entry`() {
        let before = activation
        #expect(activation.auditEntry(since: before) == nil)
        for _ in 0..<5 { _ = take(nil) }
        let entry = activation.auditEntry(since: before)
        #expect(entry?.event == .activationBlocked && entry?.actor == .server && entry?.target == activation.target)
        activation = before
        _ = activation.block(for: .operator, at: Self.now)
        #expect(activation.auditEntry(since: before) == nil)
    }
}
