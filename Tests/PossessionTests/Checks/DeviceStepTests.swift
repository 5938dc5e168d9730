@testable import Possession
import Testing

@Suite struct DeviceStepTests {
    private let device = Thumbprint([UInt8](repeating: 5, count: 32))!
    private let publicKey = PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))!
    private let freshID = DeviceID(bits: 77)

    private func change(_ request: SessionRequest = Fixture.request(), known key: DeviceKey? = nil) -> SessionChange {
        SessionChange(
            session: Fixture.redeemed(request, deviceKey: true), deviceKey: key, proof: .new,
            tenantIsRevoked: false, earlierReply: nil)
    }

    private func key(_ number: PhoneNumber = Fixture.lorant, status: DeviceKey.Status = .active) -> DeviceKey {
        DeviceKey(
            id: DeviceID(bits: 5), clientID: Fixture.clientID, thumbprint: device, publicKey: publicKey, platform: .web,
            createdAt: Fixture.start, number: number, status: status, boundAt: Fixture.start, lastUsedAt: Fixture.start)
    }

    private func proof(_ session: Session, challenge: UInt8 = 1, cnf: Thumbprint? = Fixture.sessionKey) -> DeviceProof {
        DeviceProof(
            publicKey: publicKey, thumbprint: device, authID: session.authID, challenge: Fixture.challenge(challenge),
            sessionKey: cnf, operation: .authenticate)
    }

    private let context = SessionChange.DeviceContext(
        rules: Fixture.rules, nextChallenge: Fixture.challenge(2))

    private func prove(_ change: inout SessionChange, _ proof: DeviceProof?, after seconds: Int = 0) -> StepRefusal? {
        refusal { () throws(StepRefusal) in
            try change.provedDevice(
                proof, by: .key(Fixture.sessionKey), context: context, at: Fixture.start.adding(.seconds(seconds)))
        }
    }

    @Test func `succeeds at once with a known key of the same number`() {
        var change = change(known: key())
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.outcome == .succeeded)
        #expect(change.session.deviceID == DeviceID(bits: 5))
        #expect(change.session.proof?.method == .deviceKey)
    }

    @Test func `succeeds with the key's number when the backend gave none`() {
        var change = change(Fixture.request(number: nil), known: key())
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.proof?.number == Fixture.lorant)
    }

    @Test func `fails with a key of another number`() {
        var change = change(known: key(Fixture.laney))
        #expect(prove(&change, proof(change.session)) == .deviceNumberMismatch)
        #expect(change.session.outcome == .failed)
        #expect(change.session.deviceID == nil)
    }

    @Test func `holds a new key until possession is proven, and binds it then`() throws {
        var change = change()
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.device.isPending)
        #expect(change.session.phase == .active(.otpStart))
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.deviceKey == nil)
        _ = try change.session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(change.session.submit("1234") == nil)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.deviceKey?.id == freshID)
        #expect(change.deviceKey?.number == Fixture.lorant)
        #expect(change.session.deviceID == freshID)
    }

    @Test func `moves a known key on rebind, and keeps its id`() throws {
        var change = change(Fixture.request(.mobile) { $0.rebind = true }, known: key(Fixture.laney))
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.phase == .active(.otpStart))
        _ = try change.session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(change.session.submit("1234") == nil)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.deviceKey?.id == DeviceID(bits: 5))
        #expect(change.deviceKey?.number == Fixture.lorant)
    }

    @Test func `lets a key take no part that is not the one the backend named`() throws {
        var change = change(Fixture.request(.mobile) { $0.deviceID = DeviceID(bits: 99) }, known: key(Fixture.laney))
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.phase == .active(.otpStart))
        _ = try change.session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(change.session.submit("1234") == nil)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.session.deviceID == nil)
        #expect(change.deviceKey?.number == Fixture.laney)
    }

    @Test func `leaves a key with the number it got while the session ran`() throws {
        var change = change()
        #expect(prove(&change, proof(change.session)) == nil)
        // Another session of the same device was faster.
        change.deviceKey = key(Fixture.laney)
        _ = try change.session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(change.session.submit("1234") == nil)
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(change.session.outcome == .succeeded && change.session.deviceID == nil)
        #expect(change.deviceKey?.number == Fixture.laney)
    }

    @Test func `gives the device step back with a send that the carrier refused`() throws {
        var change = change()
        let message = try change.session.sendCode(
            .first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        change.session.giveBack(message, at: Fixture.start)
        #expect(change.session.allowed == [.device, .otpStart, .cancel])
    }

    @Test func `asks for possession when the flow is none and the key is new`() {
        var change = change(Fixture.request(.none))
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.outcome == .possessionRequired)
        #expect(change.session.device.isPending)
    }

    @Test(arguments: [(365 * 86_400 - 1, true), (365 * 86_400, false)])
    func `takes a key for twelve months after its last use`(age: Int, taken: Bool) {
        var old = key()
        old.lastUsedAt = Fixture.start.adding(.seconds(-age))
        var change = change(known: old)
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.isDone == taken)
        #expect(change.session.device.retired == (taken ? nil : .inactive))
    }

    @Test func `asks for another key in place of a revoked one`() {
        var change = change(known: key(status: .revoked))
        #expect(prove(&change, proof(change.session)) == nil)
        #expect(change.session.device.retired == .revoked)
        #expect(change.session.device.accepts(Fixture.challenge(2), at: Fixture.start))
    }

    @Test func `takes each challenge once, for 120 seconds, and issues three`() {
        var change = change()
        #expect(prove(&change, proof(change.session), after: 120) == .deviceProofInvalid)
        #expect(prove(&change, proof(change.session)) == .deviceProofInvalid)
        #expect(change.session.phase == .active(.device))
        #expect(prove(&change, nil) == .deviceProofInvalid)
        // The third was the last: the client goes on without a key.
        #expect(change.session.phase == .active(.otpStart))
        #expect(change.session.device.state == .absent)
    }

    @Test func `refuses a proof made for another session or another session key`() {
        var change = change()
        #expect(prove(&change, proof(change.session, cnf: nil)) == .deviceProofInvalid)
        let foreign = DeviceProof(
            publicKey: publicKey, thumbprint: device, authID: AuthID(bits: 1), challenge: Fixture.challenge(2),
            sessionKey: Fixture.sessionKey, operation: .register)
        #expect(prove(&change, foreign) == .deviceProofInvalid)
    }

    @Test func `binds nothing for a sandbox completion or a key revoked meanwhile`() {
        var completed = change()
        #expect(prove(&completed, proof(completed.session)) == nil)
        completed.session.complete(success: true, numberIfUnknown: nil, at: Fixture.start, rules: Fixture.rules)
        completed.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(completed.deviceKey == nil && completed.session.deviceID == nil)
        var late = change(Fixture.request(.mobile) { $0.rebind = true }, known: key())
        #expect(prove(&late, proof(late.session)) == nil)
        late.deviceKey?.status = .revoked
        _ = try? late.session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        #expect(late.session.submit("1234") == nil)
        late.bindPendingKey(freshDeviceID: freshID, at: Fixture.start)
        #expect(late.session.deviceID == nil)
        #expect(late.deviceKey?.status == .revoked)
    }
}
