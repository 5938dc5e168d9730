@testable import Possession
import Testing

/// The device key beside the other checks: what it closes, what it waits for, which check binds it.
@Suite struct DeviceKeyLifeTests {
    private let device = Thumbprint([UInt8](repeating: 5, count: 32))!
    private let publicKey = PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))!
    private let freshID = DeviceID(bits: 77)

    private func unit(_ session: Session, known key: DeviceKey? = nil) -> SessionChange {
        SessionChange(
            session: session, deviceKey: key, proof: .new, tenantIsRevoked: false, earlierReply: nil)
    }

    private func key(_ number: PhoneNumber = Fixture.lorant, status: DeviceKey.Status = .active) -> DeviceKey {
        DeviceKey(
            id: DeviceID(bits: 5), clientID: Fixture.clientID, thumbprint: device, publicKey: publicKey, platform: .web,
            createdAt: Fixture.start, number: number, status: status, boundAt: Fixture.start, lastUsedAt: Fixture.start)
    }

    private func prove(_ unit: inout SessionChange, _ challenge: UInt8 = 1, after seconds: Int = 0) -> ClientRefusal? {
        let proof = DeviceProof(
            publicKey: publicKey, thumbprint: device, authID: unit.session.authID,
            challenge: Fixture.challenge(challenge), sessionKey: Fixture.sessionKey, operation: .authenticate)
        return refusal { () throws(ClientRefusal) in
            try unit.provedDevice(
                proof, by: .key(Fixture.sessionKey),
                context: .init(rules: Fixture.withMobileAuth, nextChallenge: Fixture.challenge(challenge + 1)),
                at: Fixture.moment(seconds))
        }
    }

    @Test func `waits as pending through Mobile Auth, and is bound when that passes`() {
        var unit = unit(Fixture.cellular(deviceKey: true))
        #expect(prove(&unit) == nil)
        #expect(unit.session.phase == .active(.mobileAuth))
        unit.session = passMobileAuth(unit.session)
        unit.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(unit.session.deviceID == freshID && unit.deviceKey?.number == Fixture.lorant)
    }

    @Test func `is bound to the number Mobile Auth found`() {
        var unit = unit(Fixture.cellular(.none, number: nil, deviceKey: true))
        #expect(prove(&unit) == nil)
        unit.session = passMobileAuth(unit.session, .found(Fixture.laney))
        unit.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(unit.deviceKey?.number == Fixture.laney)
    }

    @Test func `is bound by a link on a phone`() throws {
        var unit = unit(Fixture.cellular(fallback: .link, deviceKey: true))
        #expect(prove(&unit) == nil)
        _ = try unit.session.link(1, .first(nil))
        unit.session.answer()
        unit.bindPendingKey(freshDeviceID: freshID, at: Fixture.moment(1))
        #expect(unit.session.deviceID == freshID)
    }

    @Test func `makes Mobile Auth needless when it is known`() {
        var unit = unit(Fixture.cellular(deviceKey: true), known: key())
        #expect(prove(&unit) == nil)
        #expect(unit.session.proof?.method == .deviceKey)
        #expect(unit.session.mobileAuth.state == .ended(nil))
    }

    @Test func `is moved by Mobile Auth on rebind`() {
        var unit = unit(Fixture.cellular(deviceKey: true) { $0.rebind = true }, known: key(Fixture.laney))
        #expect(prove(&unit) == nil)
        unit.session = passMobileAuth(unit.session)
        unit.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(unit.deviceKey?.id == DeviceID(bits: 5) && unit.deviceKey?.number == Fixture.lorant)
    }

    @Test func `takes no part once Mobile Auth has begun without it`() {
        var unit = unit(Fixture.cellular(deviceKey: true), known: key())
        #expect(unit.session.begin() == nil)
        #expect(prove(&unit) == .invalidState)
        unit.session = passMobileAuth(unit.session, isBegun: true)
        unit.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(unit.session.outcome == .succeeded && unit.session.deviceID == nil)
    }

    @Test func `is asked for no fourth time, and Mobile Auth follows`() {
        var unit = unit(Fixture.cellular(deviceKey: true), known: key(status: .revoked))
        for challenge: UInt8 in 1...3 {
            #expect(unit.session.phase == .active(.device))
            #expect(prove(&unit, challenge) == nil)
        }
        #expect(unit.session.phase == .active(.mobileAuth))
        #expect(unit.session.device.retired == .revoked && unit.session.device.challengesLeft == 0)
    }

    @Test(arguments: [(119, nil), (120, ClientRefusal.deviceProofInvalid)] as [(Int, ClientRefusal?)])
    func `answers a challenge for 120 seconds`(age: Int, refused: ClientRefusal?) {
        var unit = unit(Fixture.cellular(deviceKey: true))
        #expect(prove(&unit, after: age) == refused)
    }

    @Test func `ends a none flow without a number when it is ignored and Mobile Auth fails`() {
        var unit = unit(
            Fixture.cellular(.none, number: nil, deviceKey: true) { $0.deviceID = DeviceID(bits: 99) }, known: key())
        #expect(prove(&unit) == nil)
        #expect(unit.session.phase == .active(.mobileAuth))
        #expect(unit.session.begin() == nil && unit.session.giveUp() == nil)
        #expect(unit.session.outcome == .possessionRequired)
        #expect(unit.session.device.state == .absent)
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
