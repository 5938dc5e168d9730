import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

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

    private func tenant(_ id: String) -> Tenant {
        Tenant(
            id: ClientID(id)!,
            rules: TenantRules(limits: Self.limits),
            secretDigests: [SecretDigest([UInt8](repeating: 0, count: 32))], createdAt: Fixture.now)
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

    @Test(arguments: ["", "a\nb"]) func `refuses a list entry that would read back as another`(entry: String)
        async throws
    {
        var tenant = self.tenant("a")
        tenant.rules.allowedOrigins = [entry]
        let broken = tenant
        await #expect(throws: StorageFault.corrupt(what: "tenants.allowed_origins")) { try await tenants.save(broken) }
    }
}
