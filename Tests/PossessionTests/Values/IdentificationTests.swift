import Possession
import Testing

@Suite struct IdentificationTests {
    private static func said(_ entries: (String, String)...) -> Identification? {
        Identification(entries.map { .init($0.0, $0.1) })
    }

    @Test func `is the same in any order`() {
        #expect(Self.said(("b", "2"), ("a", "1")) == Self.said(("a", "1"), ("b", "2")))
        #expect(Self.said(("a", "1")) != Self.said(("a", "2")))
    }

    /// Text of a caller's is bytes: two spellings of a letter are two names.
    @Test func `tells spellings apart`() {
        #expect(Self.said(("\u{E9}", "1")) != Self.said(("e\u{301}", "1")))
        #expect(Self.said(("\u{E9}", "1"), ("e\u{301}", "1"))?.entries.count == 2)
        #expect(Self.said(("a", "1"), ("a", "1")) == nil)
    }

    @Test(arguments: ["1", " 1", "1\t", "\u{A0}1\u{2003}", "\u{FEFF}1\u{200B}", "\r\n1 "])
    func `blanks at the ends of a value do not count`(value: String) {
        #expect(Self.said(("a", value)) == Self.said(("a", "1")))
        #expect(Self.said(("a", "1 1")) != Self.said(("a", "11")) && Self.said((" a", "1")) != Self.said(("a", "1")))
    }

    @Test func `holds its bounds`() {
        let entries = (0..<33).map { Identification.Entry("n\($0)", "") }
        #expect(Identification([]) == nil && Identification(entries) == nil)
        #expect(Identification(Array(entries.dropLast())) != nil)
        #expect(Self.said((String(repeating: "n", count: 64), String(repeating: "v", count: 256))) != nil)
        #expect(Self.said((String(repeating: "n", count: 65), "v")) == nil)
        #expect(Self.said(("n", String(repeating: "v", count: 257))) == nil && Self.said(("", "v")) == nil)
    }

    @Test func `knows whether it says all of another one`() throws {
        let whole = try #require(Self.said(("a", "1"), ("b", "2"), ("c", "3")))
        for part in [Self.said(("a", "1")), Self.said(("b", "2"), ("c", "3")), whole] {
            #expect(whole.says(allOf: try #require(part)))
        }
        for other in [Self.said(("a", "2")), Self.said(("a", "1"), ("d", "4")), Self.said(("0", ""))] {
            #expect(!whole.says(allOf: try #require(other)))
        }
    }

    @Test func `a person whom nobody knows is a target that is written and read`() throws {
        let person = try #require(UnknownPerson(digest: (0..<16).map { UInt8($0) }))
        let target = Target.nobody(person)
        #expect(target.text == "?000102030405060708090a0b0c0d0e0f" && Target(target.text) == target)
        #expect(target.masked == "nobody" && "\(target)" == "nobody" && target.isNobody)
        #expect(UnknownPerson(digest: [1]) == nil && Target("?00") == nil && Target("?") == nil && Target("?zz") == nil)
    }
}
