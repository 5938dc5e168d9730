@testable import Possession
import Testing

/// The device key beside the other checks: what it closes, what it waits for, which check binds it.
@Suite struct DeviceKeyLifeTests {
    private let device = Thumbprint([UInt8](repeating: 5, count: 32))!
    private let publicKey = PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))!
    private let freshID = DeviceID(bits: 77)

    private func change(_ session: Session, known key: DeviceKey? = nil) -> SessionChange {
        SessionChange(
            session: session, deviceKey: key, proof: .new, tenantIsRevoked: false, earlierReply: nil)
    }

    private func key(_ number: PhoneNumber = Fixture.lorant, status: DeviceKey.Status = .active) -> DeviceKey {
        DeviceKey(
            id: DeviceID(bits: 5), clientID: Fixture.clientID, thumbprint: device, publicKey: publicKey, platform: .web,
            createdAt: Fixture.start, number: number, status: status, boundAt: Fixture.start, lastUsedAt: Fixture.start)
    }

    private func prove(_ change: inout SessionChange, _ challenge: UInt8 = 1, after seconds: Int = 0) -> StepRefusal? {
        let proof = DeviceProof(
            publicKey: publicKey, thumbprint: device, authID: change.session.authID,
            challenge: Fixture.challenge(challenge), sessionKey: Fixture.sessionKey, operation: .authenticate)
        return refusal { () throws(StepRefusal) in
            try change.provedDevice(
                proof, by: .key(Fixture.sessionKey),
                context: .init(rules: Fixture.withMobileAuth, nextChallenge: Fixture.challenge(challenge + 1)),
                at: Fixture.moment(seconds))
        }
    }

    @Test func `waits as pending through Mobile Auth, and is bound when that passes`() {
        var change = change(Fixture.cellular(deviceKey: true))
        #expect(prove(&change) == nil)
        #expect(change.session.phase == .active(.mobileAuth))
        change.session = passMobileAuth(change.session)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.session.deviceID == freshID && change.deviceKey?.number == Fixture.lorant)
    }

    @Test func `is bound to the number Mobile Auth found`() {
        var change = change(Fixture.cellular(.none, number: nil, deviceKey: true))
        #expect(prove(&change) == nil)
        change.session = passMobileAuth(change.session, .found(Fixture.laney))
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.deviceKey?.number == Fixture.laney)
    }

    @Test func `is bound by a link on a phone`() throws {
        var change = change(Fixture.cellular(fallback: .link, deviceKey: true))
        #expect(prove(&change) == nil)
        _ = try change.session.link(1, .first(nil))
        change.session.answer()
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.moment(1))
        #expect(change.session.deviceID == freshID)
    }

    @Test func `makes Mobile Auth needless when it is known`() {
        var change = change(Fixture.cellular(deviceKey: true), known: key())
        #expect(prove(&change) == nil)
        #expect(change.session.proof?.method == .deviceKey)
        #expect(change.session.mobileAuth.state == .ended(nil))
    }

    @Test func `is moved by Mobile Auth on rebind`() {
        var change = change(Fixture.cellular(deviceKey: true) { $0.rebind = true }, known: key(Fixture.laney))
        #expect(prove(&change) == nil)
        change.session = passMobileAuth(change.session)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.deviceKey?.id == DeviceID(bits: 5) && change.deviceKey?.number == Fixture.lorant)
    }

    @Test func `takes no part once Mobile Auth has begun without it`() {
        var change = change(Fixture.cellular(deviceKey: true), known: key())
        #expect(change.session.begin() == nil)
        #expect(prove(&change) == .invalidState)
        change.session = passMobileAuth(change.session, isBegun: true)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.session.outcome == .succeeded && change.session.deviceID == nil)
    }

    @Test func `is asked for no fourth time, and Mobile Auth follows`() {
        var change = change(Fixture.cellular(deviceKey: true), known: key(status: .revoked))
        for challenge: UInt8 in 1...3 {
            #expect(change.session.phase == .active(.device))
            #expect(prove(&change, challenge) == nil)
        }
        #expect(change.session.phase == .active(.mobileAuth))
        #expect(change.session.device.retired == .revoked && change.session.device.challengesLeft == 0)
    }

    @Test(arguments: [(119, nil), (120, StepRefusal.deviceProofInvalid)] as [(Int, StepRefusal?)])
    func `answers a challenge for 120 seconds`(age: Int, refused: StepRefusal?) {
        var change = change(Fixture.cellular(deviceKey: true))
        #expect(prove(&change, after: age) == refused)
    }

    @Test func `ends a none flow without a number when it is ignored and Mobile Auth fails`() {
        var change = change(
            Fixture.cellular(.none, number: nil, deviceKey: true) { $0.deviceID = DeviceID(bits: 99) }, known: key())
        #expect(prove(&change) == nil)
        #expect(change.session.phase == .active(.mobileAuth))
        #expect(change.session.begin() == nil && change.session.giveUp() == nil)
        #expect(change.session.outcome == .possessionRequired)
        #expect(change.session.device.state == .absent)
    }

    private func passMobileAuth(
        _ session: Session, _ verdict: MobileAuthCheck.Verdict = .agrees, isBegun: Bool = false
    ) -> Session {
        var session = session
        if !isBegun { #expect(session.begin() == nil) }
        #expect(session.go() == nil && session.comeBack() == nil && session.note(verdict) == nil)
        #expect(session.finish() == nil)
        return session
    }
}
