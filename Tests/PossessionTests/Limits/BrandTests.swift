import Engine
import Possession
import Testing

/// A brand and its quotas.
@Suite struct BrandTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let later = Timestamp(milliseconds: 1_800_000_001_000)

    private static func brand() -> Brand {
        Brand(id: BrandID(high: 1, low: 1), name: "Shop", codeLength: 6, takesOwnCodes: false, createdAt: now)
    }

    private static func quota(_ id: UInt64, _ name: String) -> Quota {
        Quota(id: QuotaID(high: 2, low: id), name: name, about: "", createdAt: now)
    }

    private static func window(_ id: UInt64, seconds: Int) -> Quota.Window {
        Quota.Window(id: QuotaWindowID(high: 3, low: id), most: 2, seconds: seconds, createdAt: now)
    }

    @Test func `takes 20 quotas, each with a name of its own`() throws {
        var brand = Self.brand()
        for id in 1...20 { try brand.add(Self.quota(UInt64(id), "q\(id)")) }
        #expect(throws: BrandRefusal.quotaNameTaken) { try brand.add(Self.quota(30, "q7")) }
        #expect(throws: BrandRefusal.quotasFull) { try brand.add(Self.quota(30, "q30")) }
        try brand.removeQuota(QuotaID(high: 2, low: 3))
        try brand.add(Self.quota(30, "q3"))
        #expect(throws: BrandRefusal.unknown) { try brand.removeQuota(QuotaID(high: 2, low: 3)) }
        #expect(brand.quotas.count == 20)
    }

    @Test func `takes 10 windows of a quota, each of another length`() throws {
        var brand = Self.brand()
        try brand.add(Self.quota(1, "ip"))
        let quota = QuotaID(high: 2, low: 1)
        for id in 1...10 { try brand.add(Self.window(UInt64(id), seconds: id * 60), to: quota) }
        #expect(throws: BrandRefusal.windowTaken) { try brand.add(Self.window(30, seconds: 60), to: quota) }
        #expect(throws: BrandRefusal.windowsFull) { try brand.add(Self.window(30, seconds: 61), to: quota) }
        let first = QuotaWindowID(high: 3, low: 1)
        #expect(throws: BrandRefusal.windowTaken) {
            _ = try brand.change(first, of: quota, most: nil, seconds: 120, at: Self.later)
        }
        let changed = try brand.change(first, of: quota, most: 7, seconds: nil, at: Self.later)
        #expect(changed.most == 7 && changed.seconds == 60 && changed.changedAt == Self.later)
        #expect(try brand.window(first, of: quota) == changed)
        try brand.removeWindow(first, of: quota)
        #expect(throws: BrandRefusal.unknown) { try brand.removeWindow(first, of: quota) }
        #expect(throws: BrandRefusal.unknown) { try brand.removeWindow(first, of: QuotaID(high: 9, low: 9)) }
    }

    @Test func `charges each window of each quota that a call names, and none of an unknown one`() throws {
        var brand = Self.brand()
        try brand.add(Self.quota(1, "ip"))
        try brand.add(Self.quota(2, "idle"))
        for seconds in [60, 3600] {
            try brand.add(Self.window(UInt64(seconds), seconds: seconds), to: QuotaID(high: 2, low: 1))
        }
        let tenant = ClientID("shop")!
        let charges = try #require(brand.charges([("ip", "192.0.2.7"), ("idle", "a")], of: tenant))
        #expect(charges.count == 2, "a quota without a window limits nothing")
        #expect(brand.charges([("ip", "192.0.2.8")], of: tenant) != charges)
        #expect(brand.charges([("ip", "192.0.2.7")], of: ClientID("other")!) != charges)
        #expect(brand.charges([], of: tenant) == [])
        #expect(brand.charges([("ip", "192.0.2.7"), ("IP", "192.0.2.7")], of: tenant) == nil)
    }

    @Test(arguments: [
        ("Shop", true), ("Ada's Shop & Sons", true), ("Größe 7", true), ("", false), ("a\nb", false),
        ("#1 Shop", false),
        ("https://evil.example", false), ("Call +1 206 555 0123", false), ("a\u{202E}b", false),
    ]) func `a name is plain text without links`(name: String, isTaken: Bool) {
        #expect((Brand.defect(ofName: name) == nil) == isTaken)
    }

    @Test(arguments: [(64, true), (65, false)]) func `a name of a quota has 64 characters at most`(
        count: Int, isName: Bool
    ) {
        #expect(Quota.isName(String(repeating: "a", count: count)) == isName)
        #expect(!Quota.isName("") && !Quota.isName("a b") && !Quota.isName("é") && Quota.isName("a.B_c-9"))
    }
}
