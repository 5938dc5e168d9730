import Possession
import Testing

@Suite struct IdentificationKeyTests {
    private static func said(_ names: [String]) -> Identification { Identification(names.map { .init($0, "1") })! }

    @Test func `opens what has its names and no others`() throws {
        let key = try #require(IdentificationKey(["email", "birthDate"]))
        #expect(key.names == ["birthDate", "email"])
        for names in [["email", "birthDate"], ["birthDate", "email"]] { #expect(key.opens(Self.said(names))) }
        for other in [["email"], ["email", "birthdate"], ["email", "birthDate", "name"], ["birthDate"]] {
            #expect(!key.opens(Self.said(other)), "\(other)")
        }
        let spelled = try #require(IdentificationKey(["e\u{301}"]))
        #expect(spelled.opens(Self.said(["e\u{301}"])) && !spelled.opens(Self.said(["\u{E9}"])))
        #expect(IdentificationKey(["a", "b"]) == IdentificationKey(["b", "a"]))
        #expect(IdentificationKey(["e\u{301}"]) != IdentificationKey(["\u{E9}"]))
    }

    @Test func `holds its bounds`() {
        let names = (0...IdentificationKey.mostNames).map { "n\($0)" }
        #expect(IdentificationKey(names) == nil && IdentificationKey(names.dropLast()) != nil)
        #expect(IdentificationKey([]) == nil && IdentificationKey([""]) == nil && IdentificationKey(["a", "a"]) == nil)
        let name = String(repeating: "n", count: Identification.longestName)
        #expect(IdentificationKey([name]) != nil && IdentificationKey([name + "n"]) == nil)
    }
}
