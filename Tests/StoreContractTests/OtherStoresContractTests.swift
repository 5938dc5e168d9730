import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Rules of the ports for device keys, identities, tenants and limits, checked on every store.
@Suite struct OtherStoresContractTests {
    @Test(arguments: TestedStore.allCases)
    func `revokes a key of the tenant, again and again`(store: TestedStore) async throws {
        let stores = try store.make()
        let session = Sample.session()
        try await stores.sessions.insert(session)
        let key = Sample.key(3)
        _ = try await stores.sessions.update(session) { $0.deviceKey = key }
        #expect(try await stores.deviceKeys.deviceKey(key.id, of: Sample.client) == key)
        #expect(try await stores.deviceKeys.deviceKey(key.id, of: Sample.other) == nil)
        #expect(try await stores.deviceKeys.deviceKey(key.thumbprint, of: Sample.client) == key)
        #expect(try await stores.deviceKeys.deviceKey(key.thumbprint, of: Sample.other) == nil)
        #expect(try await !stores.deviceKeys.revokeDeviceKey(key.id, of: Sample.other, at: Sample.now))
        #expect(try await stores.deviceKeys.deviceKey(key.id, of: Sample.client)?.status == .active)
        for _ in 0..<2 {
            #expect(try await stores.deviceKeys.revokeDeviceKey(key.id, of: Sample.client, at: Sample.now))
        }
        #expect(try await stores.deviceKeys.deviceKey(key.id, of: Sample.client)?.status == .revoked)
        #expect(try await !stores.deviceKeys.revokeDeviceKey(Sample.id(), of: Sample.client, at: Sample.now))
    }

    /// A thousand enrolled numbers opened a prefix for messages to all of them.
    @Test(arguments: TestedStore.allCases)
    func `knows a number that was proven, and none that was only enrolled`(store: TestedStore) async throws {
        let stores = try store.make()
        func knows() async throws -> Bool? {
            let session = Sample.session()
            try await stores.sessions.insert(session)
            var lookup = ChangeInputs()
            lookup.knownTarget = { _ in .number(Sample.number) }
            return try await stores.sessions.update(
                .auth(session.authID), lookup, freshHolderID: Sample.id()
            ) { $0.isKnownTarget }
        }
        #expect(try await knows() == false)
        let enrolment = Enrolment(.number(Sample.number))
        _ = try await stores.identities.enrol(
            [enrolment], of: Sample.client, fresh: [Sample.id()], telling: nil, at: Sample.now)
        #expect(try await knows() == false)
        let proven = try Sample.redeemed(.otp, at: Sample.now)
        try await stores.sessions.insert(proven)
        _ = try await stores.sessions.update(proven) {
            $0.session.succeed(by: .otp, .number(Sample.number), at: Sample.now, rules: Sample.rules)
        }
        #expect(try await knows() == true)
        _ = try await stores.identities.enrol(
            [enrolment], of: Sample.client, fresh: [Sample.id()], telling: nil, at: Sample.now)
        #expect(try await knows() == true)
    }

    @Test(arguments: TestedStore.allCases)
    func `lists keys of a number and of a tenant in pages, the newest first, and tells whose one is`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        var made: [DeviceKey] = []
        for (byte, client) in [(1, Sample.client), (2, Sample.other), (3, Sample.client), (4, Sample.client)] {
            let session = Sample.session(of: client)
            try await stores.sessions.insert(session)
            let key = Sample.key(UInt8(byte), of: client, at: Sample.now.adding(.seconds(Int64(byte))))
            _ = try await stores.sessions.update(session) { $0.deviceKey = key }
            made.append(key)
            #expect(try await stores.deviceKeys.owner(of: key.id) == client)
        }
        let keys = stores.deviceKeys
        #expect(try await keys.owner(of: Sample.id()) == nil)
        func mine(before end: DeviceKeyPlace?, most: Int = 9) async throws -> [DeviceKey] {
            let ofClient = try await keys.deviceKeys(of: Sample.client, before: end, most: most)
            #expect(
                try await keys.deviceKeys(of: Sample.number, at: Sample.client, before: end, most: most) == ofClient)
            return ofClient
        }
        #expect(try await mine(before: nil, most: 2) == [made[3], made[2]])
        #expect(try await mine(before: .key(made[2].id)) == [made[0]])
        #expect(try await mine(before: .time(made[2].createdAt)) == [made[0]])
        #expect(try await mine(before: .time(made[2].createdAt.adding(.milliseconds(1)))) == [made[2], made[0]])
        #expect(
            try await keys.deviceKeys(of: Sample.number, at: nil, before: nil, most: 9) == Array(made.reversed()))
        let stranger = PhoneNumber(e164: "+12001004015")!
        #expect(try await keys.deviceKeys(of: stranger, at: nil, before: nil, most: 9).isEmpty)
        #expect(try await keys.revokeDeviceKey(made[3].id, of: Sample.client, at: Sample.now))
        #expect(try await mine(before: nil).map(\.status) == [.revoked, .active, .active])
    }

    @Test(arguments: TestedStore.allCases)
    func `a number keeps its id, its time and whether it is active when it is enrolled again`(
        store: TestedStore
    ) async throws {
        let identities = try store.make().identities
        let ids: [HolderID] = [Sample.id(), Sample.id(at: Sample.now.adding(.seconds(1)))]
        for (id, second) in zip(ids, [Int64(0), 1]) {
            let outcomes = try await identities.enrol(
                [Enrolment(.number(Sample.number))], of: Sample.client, fresh: [id],
                at: Sample.now.adding(.seconds(second)))
            #expect(outcomes == [.enrolled(ids[0])])
            #expect(try await identities.setActive(false, ids[0], of: Sample.client))
        }
        let found = try #require(try await identities.identity(Sample.number, of: Sample.client))
        #expect(found.id == ids[0] && found.createdAt == Sample.now && !found.isActive)
        #expect(try await identities.identity(ids[0], of: Sample.other) == nil)
        #expect(try await !identities.setActive(true, ids[0], of: Sample.other))
        for (isAll, expected) in [(true, [ids[0]]), (false, [])] {
            let listed = try await identities.identities(
                of: Sample.client, after: nil, limit: 10, includingInactive: isAll)
            #expect(listed == expected)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps tenants, and the first time one was revoked`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        let tenant = Tenant(
            id: Sample.client, rules: TenantRules(), secretDigests: [SecretDigest([1])], createdAt: Sample.now)
        try await tenants.add(tenant)
        await #expect(throws: StorageFault.duplicate) { try await tenants.add(tenant) }
        let changed = try await tenants.updateTenant(Sample.client) { $0.rules.allowPhoneChange = true }
        #expect(changed?.rules.allowPhoneChange == true)
        #expect(try await tenants.tenant(Sample.client) == changed)
        #expect(try await tenants.updateTenant(Sample.other) { _ in } == nil)
        #expect(try await !tenants.revokeTenant(Sample.other, at: Sample.now))
        for second: Int64 in [1, 2] {
            #expect(try await tenants.revokeTenant(Sample.client, at: Sample.now.adding(.seconds(second))))
        }
        #expect(try await tenants.tenants().map(\.revokedAt) == [Sample.now.adding(.seconds(1))])
        try await tenants.save(tenant)
        #expect(try await tenants.tenants() == [tenant])
    }

    @Test(arguments: TestedStore.allCases)
    func `counts as one step, however many ask at once`(store: TestedStore) async throws {
        let limits = try store.pair().map(\.limits)
        let key = LimitKey(.failedClaimsOfDeviceKey, of: Sample.client, [192, 0, 2, 1])
        let rules = Limits.OverSessions()
        let passed = try await limits.race(40) { limits, _ in
            try await limits.count([key]) { tallies in
                do throws(LimitHit) { try tallies.check([key], by: rules, at: Sample.now) } catch { return false }
                tallies.count([key], by: rules, at: Sample.now)
                return true
            }
        }
        #expect(passed == 5)
        #expect(try await limits.first.tallies([LimitKey(.wrongCodes, Sample.number, of: Sample.client)]).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `takes a durable write`(store: TestedStore) async throws {
        let stores = try store.make()
        await #expect(throws: Never.self) { try await stores.health.probe() }
    }
}
