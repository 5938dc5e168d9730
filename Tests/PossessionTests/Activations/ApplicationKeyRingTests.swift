import Engine
import Possession
import Testing

@Suite struct ApplicationKeyRingTests {
    private let now = Timestamp(seconds: 1_767_261_600)
    private let overlap: Duration = .seconds(3600)

    private func keys(_ name: String) throws -> ApplicationKeys {
        let point = try #require(
            PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32)))
        return ApplicationKeys(applicationKey: name, sealed: [1], masterPublicKey: point)
    }

    @Test func `takes the keys before until the overlap ends`() throws {
        let (old, new) = (try keys("old"), try keys("new"))
        let ring = ApplicationKeyRing(current: old)
        #expect(ring.keys(named: "old", at: now) == old && ring.keys(named: "new", at: now) == nil)
        let rotated = ring.rotated(to: new, at: now, overlap: overlap)
        #expect(rotated.current == new && rotated.keys(named: "new", at: now) == new)
        #expect(rotated.keys(named: "old", at: now.adding(.milliseconds(3_599_999))) == old)
        #expect(rotated.keys(named: "old", at: now.adding(overlap)) == nil)
        #expect(rotated.keys(named: "new", at: now.adding(overlap)) == new)
    }

    @Test func `a second rotation ends the oldest keys at once`() throws {
        let ring = ApplicationKeyRing(current: try keys("first"))
            .rotated(to: try keys("second"), at: now, overlap: overlap)
            .rotated(to: try keys("third"), at: now, overlap: overlap)
        #expect(ring.keys(named: "first", at: now) == nil)
        #expect(ring.keys(named: "second", at: now) != nil && ring.keys(named: "third", at: now) != nil)
    }

    @Test func `compares names byte by byte`() throws {
        // The Kelvin sign is canonically equivalent to K.
        let ring = ApplicationKeyRing(current: try keys("K"))
        #expect(ring.keys(named: "\u{212A}", at: now) == nil && ring.keys(named: "K", at: now) != nil)
    }
}
