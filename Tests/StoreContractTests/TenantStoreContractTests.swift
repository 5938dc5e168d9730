import Engine
import Possession
import Testing

/// The contract of every store of tenants.
@Suite struct TenantStoreContractTests {
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

    private static func tenant(_ id: String, digests: Int = 1) -> Tenant {
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
            createdAt: Sample.now)
    }

    @Test(arguments: TestedStore.allCases, [0, 1, 2])
    func `gives back every member`(store: TestedStore, digests: Int) async throws {
        let tenants = try store.make().tenants
        let tenant = Self.tenant("a", digests: digests)
        try await tenants.add(tenant)
        #expect(try await tenants.tenant(tenant.id) == tenant)
        #expect(try await tenants.tenant(ClientID("b")!) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `gives back a tenant without any rule`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        var tenant = Self.tenant("a")
        tenant.rules = TenantRules()
        try await tenants.add(tenant)
        #expect(try await tenants.tenant(tenant.id) == tenant)
        tenant.rules.linkNeedsSameAddress = true
        try await tenants.save(tenant)
        #expect(try await tenants.tenant(tenant.id) == tenant)
    }

    @Test(arguments: TestedStore.allCases)
    func `adds an id once, and saves it as often as asked`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        var tenant = Self.tenant("a")
        try await tenants.add(tenant)
        let again = tenant
        await #expect(throws: StorageFault.duplicate) { try await tenants.add(again) }
        tenant.rules.mobileAuth = true
        try await tenants.save(tenant)
        try await tenants.save(Self.tenant("b"))
        #expect(try await tenants.tenants() == [tenant, Self.tenant("b")])
    }

    @Test(arguments: TestedStore.allCases)
    func `changes what is stored as one step, and nobody who is not there`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        let tenant = Self.tenant("a")
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

    @Test(arguments: TestedStore.allCases)
    func `keeps the first time of a revocation`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        try await tenants.add(Self.tenant("a"))
        #expect(try await tenants.revokeTenant(ClientID("a")!, at: Timestamp(seconds: 1)))
        #expect(try await tenants.revokeTenant(ClientID("a")!, at: Timestamp(seconds: 2)))
        #expect(try await tenants.tenant(ClientID("a")!)?.revokedAt == Timestamp(seconds: 1))
        #expect(try await !tenants.revokeTenant(ClientID("b")!, at: Timestamp(seconds: 1)))
    }

    @Test(arguments: TestedStore.allCases)
    func `whoever has read a tenant reads its next state after every change`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        var tenant = Self.tenant("a")
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

    @Test(arguments: TestedStore.allCases)
    func `one of sixteen racing tenants gets an id`(store: TestedStore) async throws {
        let added = try await store.pair().race(16) { stores, _ in
            do throws(StorageFault) { try await stores.tenants.add(Self.tenant("a")) } catch {
                #expect(error == .duplicate)
                return false
            }
            return true
        }
        #expect(added == 1)
    }

    @Test(arguments: DurableStore.allCases)
    func `the next process has the same tenants`(store: DurableStore) async throws {
        let stores = try await store.make()
        try await stores.tenants.add(Self.tenant("a"))
        #expect(try await stores.tenants.revokeTenant(ClientID("a")!, at: Timestamp(seconds: 1)))
        #expect(try await stores.next().tenants.tenants() == stores.tenants.tenants())
    }
}
