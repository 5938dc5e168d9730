import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct DeviceKeysTableTests {
    private let database: Database
    private let sessions: SessionsTable
    private let keys: DeviceKeysTable

    init() throws {
        database = try Fixture.database()
        sessions = Fixture.sessions(database)
        keys = DeviceKeysTable(database, sealing: Fixture.sealing)
    }

    @Test func `stores a key with the session that bound it, and every member of it`() async throws {
        let session = Fixture.session()
        try await sessions.insert(session)
        let key = Fixture.key(1)
        _ = try await sessions.update(session) { $0.deviceKey = key }
        #expect(try await keys.deviceKey(key.id, of: Fixture.client) == key)
        var changed = key
        changed.number = PhoneNumber(e164: "+4915112345678")!
        changed.platform = .android
        changed.boundAt = Timestamp(seconds: 5)
        changed.lastUsedAt = Timestamp(seconds: 6)
        changed.clientCustomerID = nil
        changed.clientHumanID = "h"
        _ = try await sessions.update(session) { [changed] in $0.deviceKey = changed }
        #expect(try await keys.deviceKey(key.id, of: Fixture.client) == changed)
    }

    @Test func `finds a key by its thumbprint, asked for or pending in the session, of the own tenant only`()
        async throws
    {
        var generator = SessionGenerator(seed: 3)
        let key = Fixture.key(2)
        let pending = DeviceCheck(
            state: .pending(.init(thumbprint: key.thumbprint, publicKey: key.publicKey)), challengesLeft: 1)
        for client in [Fixture.client, ClientID("other")!] {
            let session = Fixture.session(client: client)
            try await sessions.insert(session)
            if client == Fixture.client { _ = try await sessions.update(session) { $0.deviceKey = key } }
            let expected = client == Fixture.client ? key : nil
            #expect(try await sessions.update(session) { $0.deviceKey } == .some(nil))
            var lookup = ChangeInputs()
            lookup.thumbprint = key.thumbprint
            #expect(try await sessions.update(session, lookup) { $0.deviceKey } == .some(expected))
            lookup.thumbprint = generator.thumbprint()
            #expect(try await sessions.update(session, lookup) { $0.deviceKey } == .some(nil))
            _ = try await sessions.update(session) { change in
                change.session = replacingDevice(of: change.session, by: pending)
            }
            #expect(try await sessions.update(session) { $0.deviceKey } == .some(expected))
        }
    }

    @Test func `revokes a key of the tenant, again and again`() async throws {
        let session = Fixture.session()
        try await sessions.insert(session)
        let key = Fixture.key(3)
        _ = try await sessions.update(session) { $0.deviceKey = key }
        #expect(try await !keys.revokeDeviceKey(key.id, of: ClientID("other")!, at: Fixture.now))
        #expect(try await keys.deviceKey(key.id, of: Fixture.client)?.status == .active)
        #expect(try await keys.revokeDeviceKey(key.id, of: Fixture.client, at: Fixture.now))
        #expect(try await keys.revokeDeviceKey(key.id, of: Fixture.client, at: Fixture.now))
        #expect(try await keys.deviceKey(key.id, of: Fixture.client)?.status == .revoked)
        #expect(try await !keys.revokeDeviceKey(Fixture.id(), of: Fixture.client, at: Fixture.now))
        #expect(try await keys.deviceKey(Fixture.id(), of: Fixture.client) == nil)
    }
}

/// The session with another device check.
private func replacingDevice(of session: Session, by device: DeviceCheck) -> Session {
    var state = session.state
    state.device = device
    return Session(
        correlationID: session.correlationID, authID: session.authID, clientID: session.clientID,
        createdAt: session.createdAt, expiresAt: session.expiresAt, request: session.request,
        flowDigest: session.flowDigest, state: state, eventCount: session.storedEventCount)
}
