import Engine
import Possession
import Testing

@testable import SQLiteStorage

@Suite struct TenantsTableTests {
    private let tenants: TenantsTable

    init() throws {
        tenants = TenantsTable(try Fixture.database())
    }

    private static let limits = {
        var limits = TenantLimits()
        limits.requestsPerSecond = 1
        limits.budgetPerDay = 2
        limits.unansweredPerNetwork = 3
        limits.unansweredPerPrefix = 4
        limits.unansweredPerCountry = 0
        limits.lineTypes = [.mobile, .voiceOverIP]
        return limits
    }()

    @Test func `every change brings own limits up to date`() async throws {
        let own = OwnLimits()
        let database = try Fixture.database()
        let tenants = TenantsTable(database, own: own)
        let id = ClientID("a")!
        try await tenants.add(tenant("a"))
        #expect(own[id] == Self.limits)
        _ = try await tenants.updateTenant(id) { $0.rules.limits.budgetPerDay = nil }
        #expect(own[id]?.budgetPerDay == nil)
        #expect(own[id]?.requestsPerSecond == 1)
        let next = OwnLimits()
        try await TenantsTable(database, own: next).load()
        #expect(next[id] == own[id])
        _ = try await tenants.updateTenant(id) { $0.rules.limits = TenantLimits() }
        #expect(own.isEmpty)
    }

    private func tenant(_ id: String, digests: Int = 1) -> Tenant {
        Tenant(
            id: ClientID(id)!,
            rules: TenantRules(
                allowPhoneChange: true, mobileAuth: false, finalTargetHosts: ["a.example", "*.b.example"],
                anyFinalTargetHost: true, displayName: "Zoë & Co", messageHost: "a.example",
                locale: LanguageTag("pt-BR"), linkMatchCode: true,
                linkNeedsSameAddress: false, allowedOrigins: ["https://a.example"], appHashes: [],
                publicKeys: [1, 2].compactMap {
                    PublicKey(x: [UInt8](repeating: $0, count: 32), y: [UInt8](repeating: 255, count: 32))
                }, statementAudiences: ["https://partner.example", "p-2"], leastCodeDigits: 4,
                smartChannels: [.whatsapp, .sms], secondsPerChannel: 30, limits: Self.limits),
            secretDigests: (0..<digests).map { SecretDigest([UInt8](repeating: UInt8($0), count: 32)) },
            createdAt: Fixture.now)
    }

    @Test(arguments: [0, 1, 2]) func `gives back every member`(digests: Int) async throws {
        let tenant = self.tenant("a", digests: digests)
        try await tenants.add(tenant)
        #expect(try await tenants.tenant(tenant.id) == tenant)
        #expect(try await tenants.tenant(ClientID("b")!) == nil)
    }

    @Test func `gives back a tenant without any rule`() async throws {
        var tenant = self.tenant("a")
        tenant.rules = TenantRules()
        try await tenants.add(tenant)
        #expect(try await tenants.tenant(tenant.id) == tenant)
        tenant.rules.linkNeedsSameAddress = true
        try await tenants.save(tenant)
        #expect(try await tenants.tenant(tenant.id) == tenant)
    }

    @Test func `adds an id once, and saves it as often as asked`() async throws {
        var tenant = self.tenant("a")
        try await tenants.add(tenant)
        let again = tenant
        await #expect(throws: StorageFault.duplicate) { try await tenants.add(again) }
        tenant.rules.mobileAuth = true
        try await tenants.save(tenant)
        try await tenants.save(self.tenant("b"))
        #expect(try await tenants.tenants() == [tenant, self.tenant("b")])
    }

    @Test func `changes what is stored as one step, and nobody who is not there`() async throws {
        let tenant = self.tenant("a")
        try await tenants.add(tenant)
        let digest = SecretDigest([UInt8](repeating: 9, count: 32))
        let changed = try await tenants.updateTenant(tenant.id) {
            $0.rules.displayName = "New"
            $0.replaceSecret(with: digest, keepingOldUntil: Timestamp(seconds: 7))
        }
        #expect(changed?.rules.displayName == "New")
        #expect(changed?.secretDigests == [digest] + tenant.secretDigests)
        #expect(changed?.otherSecretUntil == Timestamp(seconds: 7))
        #expect(try await tenants.tenant(tenant.id) == changed)
        #expect(try await tenants.updateTenant(ClientID("b")!) { $0.rules.displayName = "New" } == nil)
        #expect(try await tenants.tenants() == [changed])
    }

    @Test func `keeps two secrets at most, and none of the old ones without an overlap`() {
        var tenant = self.tenant("a")
        let digests = (10..<13).map { SecretDigest([UInt8](repeating: $0, count: 32)) }
        tenant.replaceSecret(with: digests[0], keepingOldUntil: Timestamp(seconds: 7))
        tenant.replaceSecret(with: digests[1], keepingOldUntil: Timestamp(seconds: 8))
        #expect(tenant.secretDigests == [digests[1], digests[0]])
        #expect(tenant.validSecretDigests(at: Timestamp(milliseconds: 7_999)).count == 2)
        #expect(Array(tenant.validSecretDigests(at: Timestamp(seconds: 8))) == [digests[1]])
        tenant.replaceSecret(with: digests[2], keepingOldUntil: nil)
        #expect(tenant.secretDigests == [digests[2]])
        #expect(tenant.otherSecretUntil == nil)
    }

    @Test func `keeps the first time of a revocation`() async throws {
        try await tenants.add(tenant("a"))
        #expect(try await tenants.revokeTenant(ClientID("a")!, at: Timestamp(seconds: 1)))
        #expect(try await tenants.revokeTenant(ClientID("a")!, at: Timestamp(seconds: 2)))
        #expect(try await tenants.tenant(ClientID("a")!)?.revokedAt == Timestamp(seconds: 1))
        #expect(try await !tenants.revokeTenant(ClientID("b")!, at: Timestamp(seconds: 1)))
    }

    @Test func `whoever has read a tenant reads its next state after every change`() async throws {
        var tenant = self.tenant("a")
        #expect(try await tenants.tenant(tenant.id) == nil)
        try await tenants.add(tenant)
        for flag in [false, true, false] {
            tenant.rules.mobileAuth = flag
            try await tenants.save(tenant)
            for _ in 0..<2 { #expect(try await tenants.tenant(tenant.id) == tenant) }
        }
        let again = tenant
        await #expect(throws: StorageFault.duplicate) { try await tenants.add(again) }
        _ = try await tenants.revokeTenant(tenant.id, at: Timestamp(seconds: 1))
        #expect(try await tenants.tenant(tenant.id)?.revokedAt == Timestamp(seconds: 1))
    }

    @Test(arguments: ["", "a\nb"]) func `refuses a list entry that would read back as another`(entry: String)
        async throws
    {
        var tenant = self.tenant("a")
        tenant.rules.allowedOrigins = [entry]
        let broken = tenant
        await #expect(throws: StorageFault.corrupt(what: "tenants.allowed_origins")) { try await tenants.save(broken) }
    }
}

@Suite struct SigningKeysTableTests {
    @Test func `keeps every key that was added`() async throws {
        let keys = SigningKeysTable(try Fixture.database())
        let added = StoredSigningKey.Purpose.allCases.enumerated().map { index, purpose in
            StoredSigningKey(
                kid: "k-\(index)", purpose: purpose, createdAt: Timestamp(seconds: Int64(index)),
                activatesAt: Timestamp(seconds: 9), half: .sealedPrivate([1, 2]))
        }
        for key in added { try await keys.add(key) }
        #expect(try await keys.signingKeys() == added)
        await #expect(throws: StorageFault.duplicate) { try await keys.add(added[0]) }
    }

    private func key(_ kid: String, from seconds: Int64, _ half: StoredSigningKey.Half) -> StoredSigningKey {
        StoredSigningKey(
            kid: kid, purpose: .auth, createdAt: Timestamp(seconds: 1), activatesAt: Timestamp(seconds: seconds),
            half: half)
    }

    @Test func `replaces a private half, keeps the last one, and removes only what is public`() async throws {
        let keys = SigningKeysTable(try Fixture.database())
        for (kid, seconds) in [("a", Int64(1)), ("b", 2), ("c", 3)] {
            try await keys.add(key(kid, from: seconds, .sealedPrivate([7])))
        }
        // All three at once, as a wrong clock might ask for.
        try await keys.retire(
            [
                key("a", from: 1, .sealedPublic([8])), key("b", from: 2, .sealedPublic([8])),
                key("c", from: 3, .sealedPublic([8])),
            ], removing: ["a", "c"])
        #expect(
            try await keys.signingKeys() == [
                key("b", from: 2, .sealedPublic([8])), key("c", from: 3, .sealedPrivate([7])),
            ])
    }
}
