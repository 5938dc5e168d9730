import Engine
import Possession
import Testing

/// The contract of every store of brands.
@Suite struct BrandStoreContractTests {
    private static func brand(_ id: UInt64, _ name: String? = "Shop") -> Brand {
        var brand = Brand(
            id: BrandID(high: 1, low: id), name: name, codeLength: 8, takesOwnCodes: true, template: "order",
            switches: 5, createdAt: Sample.now)
        let quota = Quota(id: QuotaID(high: 2, low: id), name: "ip", about: "of a device", createdAt: Sample.now)
        try! brand.add(quota)
        let window = Quota.Window(
            id: QuotaWindowID(high: 3, low: id), most: 100_000, seconds: 86_400, createdAt: Sample.now)
        try! brand.add(window, to: quota.id)
        return brand
    }

    private static func store(_ brand: Brand, in brands: any BrandStore) async throws {
        try await brands.change(brand.id, of: Sample.client) { stored, _ in stored = brand }
    }

    @Test(arguments: TestedStore.allCases)
    func `gives back a brand with its quotas, to its tenant only`(store: TestedStore) async throws {
        let brands = try store.make().brands
        let (first, second) = (Self.brand(1), Self.brand(2, nil))
        try await Self.store(second, in: brands)
        try await Self.store(first, in: brands)
        #expect(try await brands.brands(of: Sample.client) == [first, second])
        #expect(try await brands.brand(second.id, of: Sample.client) == second)
        #expect(try await brands.brand(first.id, of: Sample.other) == nil)
        #expect(try await brands.brands(of: Sample.other) == [])
    }

    @Test(arguments: TestedStore.allCases)
    func `changes and removes a brand by its rule, which knows how many there are`(store: TestedStore) async throws {
        let brands = try store.make().brands
        for id in 1...3 { try await Self.store(Self.brand(UInt64(id)), in: brands) }
        let id = BrandID(high: 1, low: 2)
        let count = try await brands.change(id, of: Sample.client) { brand, count in
            brand?.codeLength = 4
            return count
        }
        #expect(count == 3)
        #expect(try await brands.brand(id, of: Sample.client)?.codeLength == 4)
        let of = try await brands.change(id, of: Sample.other) { brand, count in brand == nil ? count : -1 }
        #expect(of == 0, "another tenant's")
        try await brands.change(id, of: Sample.client) { brand, _ in brand = nil }
        #expect(try await brands.brands(of: Sample.client).map(\.id.low) == [1, 3])
    }
}
