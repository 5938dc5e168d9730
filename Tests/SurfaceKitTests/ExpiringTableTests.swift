import Possession
import SurfaceKit
import Testing

@Suite struct ExpiringTableTests {
    private static let start = Timestamp(seconds: 1_000)

    @Test func `gives a value out once, and none whose time is over`() {
        var table = ExpiringTable<Int>(capacity: 8)
        table.insert(1, for: "a", until: Self.start.adding(.seconds(10)), at: Self.start)
        table.insert(2, for: "b", until: Self.start.adding(.seconds(10)), at: Self.start)
        #expect(table.contains("a", at: Self.start.adding(.seconds(9))))
        #expect(!table.contains("a", at: Self.start.adding(.seconds(10))))
        #expect(table.remove("a", at: Self.start) == 1 && table.remove("a", at: Self.start) == nil)
        #expect(table.remove("b", at: Self.start.adding(.seconds(10))) == nil)
    }

    /// Against a list that is searched from its beginning.
    @Test(arguments: UInt64(1)...8) func `a full table forgets what was inserted first`(seed: UInt64) {
        var random = seed
        func next(_ most: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % most
        }
        var table = ExpiringTable<UInt64>(capacity: 5)
        var model: [(name: String, value: UInt64)] = []
        let end = Self.start.adding(.seconds(60))
        for step in UInt64(0)..<2_000 {
            let name = "n\(next(12))"
            if next(4) == 0 {
                let expected = model.firstIndex { $0.name == name }.map { model.remove(at: $0).value }
                #expect(table.remove(name, at: Self.start) == expected, "seed \(seed), step \(step)")
            } else {
                model.removeAll { $0.name == name }
                model.append((name, step))
                if model.count > 5 { model.removeFirst() }
                table.insert(step, for: name, until: end, at: Self.start)
            }
            for place in 0..<12 {
                let isThere = model.contains { $0.name == "n\(place)" }
                #expect(table.contains("n\(place)", at: Self.start) == isThere, "seed \(seed), step \(step)")
            }
        }
    }
}
