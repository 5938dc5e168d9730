@testable import Possession
import Testing

/// The tenant ran a possession check of its own and says so with `unify-bind`.
@Suite struct CustomerPossessionTests {
    private let freshID = DeviceID(bits: 77)
    private let device = Thumbprint([UInt8](repeating: 5, count: 32))!
    private let publicKey = PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))!

    private func required(number: PhoneNumber? = Fixture.lorant) -> Session {
        Fixture.redeemed(Fixture.request(.none, number: number))
    }

    private func bind(_ session: inout Session, _ number: PhoneNumber?) throws -> Bool {
        try session.bind(number, at: Fixture.moment(1), rules: Fixture.rules)
    }

    @Test func `succeeds with the number of the session`() throws {
        var session = required()
        #expect(try bind(&session, Fixture.lorant))
        #expect(session.proof == .init(method: .customer, target: .number(Fixture.lorant), at: Fixture.moment(1)))
        #expect(session.endedAt == Fixture.moment(1))
    }

    @Test func `succeeds with any number where none was claimed, but not with none at all`() throws {
        var session = required(number: nil)
        #expect(try !bind(&session, nil))
        #expect(try bind(&session, Fixture.laney))
        #expect(session.proof?.number == Fixture.laney)
    }

    @Test func `takes the right number after two wrong ones`() throws {
        var session = required()
        #expect(try !bind(&session, Fixture.laney))
        #expect(try !bind(&session, nil))
        #expect(session.bindTriesLeft == 1 && session.outcome == .possessionRequired)
        #expect(try bind(&session, Fixture.lorant))
    }

    @Test func `charges the same wrong number every time, and fails with the third`() throws {
        var session = required()
        for left in [2, 1, 0] {
            #expect(try !bind(&session, Fixture.laney))
            #expect(session.bindTriesLeft == left)
        }
        #expect(session.outcome == .failed && session.proof == nil)
        #expect(throws: PlatformRefusal.stepNotAllowed) { try bind(&session, Fixture.lorant) }
    }

    @Test func `is told once`() throws {
        var session = required()
        #expect(try bind(&session, Fixture.lorant))
        let bound = session
        #expect(throws: PlatformRefusal.stepNotAllowed) { try bind(&session, Fixture.lorant) }
        #expect(throws: PlatformRefusal.stepNotAllowed) { try bind(&session, Fixture.laney) }
        #expect(session == bound)
    }

    @Test func `is asked for only where possession is required`() {
        var cancelled = Fixture.waiting()
        cancelled.cancel(at: Fixture.start)
        var expired = Fixture.session(Fixture.request(.none))
        expired.expire(at: Fixture.moment(900))
        for var session in [
            Fixture.session(Fixture.request(.none)), Fixture.waiting(), Fixture.linking(), cancelled, expired,
        ] {
            let before = session
            #expect(throws: PlatformRefusal.stepNotAllowed) { try bind(&session, Fixture.lorant) }
            #expect(session == before)
        }
    }

    @Test func `binds the key that waits, and no other`() throws {
        var change = SessionChange(
            session: Fixture.redeemed(Fixture.request(.none), deviceKey: true), deviceKey: nil, proof: .new,
            tenantIsRevoked: false, earlierReply: nil)
        let proof = DeviceProof(
            publicKey: publicKey, thumbprint: device, authID: change.session.authID, challenge: Fixture.challenge(1),
            sessionKey: Fixture.sessionKey, operation: .register)
        _ = try change.provedDevice(
            proof, by: .key(Fixture.sessionKey),
            context: .init(rules: Fixture.rules, nextChallenge: Fixture.challenge(2)), at: Fixture.start)
        #expect(change.session.outcome == .possessionRequired)
        #expect(try !bind(&change.session, Fixture.laney))
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.moment(1))
        #expect(change.deviceKey == nil)
        #expect(try bind(&change.session, Fixture.lorant))
        change.bindPendingKey(freshDeviceID: freshID, at: Fixture.moment(1))
        #expect(change.session.deviceID == freshID)
        #expect(change.deviceKey?.number == Fixture.lorant)
    }

    @Test func `follows a Mobile Auth that led nowhere`() throws {
        var session = Fixture.answered(.unavailable, .none, number: nil)
        #expect(session.giveUp() == nil)
        #expect(session.outcome == .possessionRequired)
        #expect(try bind(&session, Fixture.laney))
    }
}
