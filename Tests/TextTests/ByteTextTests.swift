import TestSupport
import Testing
import Text

@Suite struct ByteTextTests {
    @Test func `tells texts apart that mean the same`() {
        #expect(ByteText("\u{E9}") != ByteText("e\u{301}"))
        #expect(ByteText("\u{212A}") != ByteText("K"))
        #expect(Set([ByteText("\u{E9}"), ByteText("e\u{301}"), ByteText("e\u{301}")]).count == 2)
        #expect(ByteText("a") == "a")
    }

    @Test func `trims blanks and tabs at the ends only`() {
        #expect(Array(Array(" \t a b\t ".utf8).trimmingBlanks()) == Array("a b".utf8))
        #expect(Array(" \t ".utf8).trimmingBlanks().isEmpty)
        #expect([UInt8]().trimmingBlanks().isEmpty)
        #expect(Array(Array("\u{A0}a".utf8).trimmingBlanks()) == Array("\u{A0}a".utf8))
    }

    @Test func `ignores the case of ASCII letters only`() {
        #expect("Content-Type".isSameIgnoringCase(as: "content-type"))
        #expect(!"K".isSameIgnoringCase(as: "\u{212A}"))
        #expect(!"É".isSameIgnoringCase(as: "é"))
        #expect(!"a@".isSameIgnoringCase(as: "A`"))
    }

    @Test(arguments: [
        ("Firefox/1", "Firefox/", true), ("xxFirefox/", "Firefox/", true), ("FFirefox/", "Firefox/", true),
        ("Firefox", "Firefox/", false), ("", "a", false), ("", "", true), ("aab", "ab", true), ("a\u{301}", "a", true),
    ])
    func `finds a word`(text: String, word: String, isThere: Bool) {
        #expect(text.utf8.holds(word) == isThere)
    }

    private enum Colour: String, CaseIterable { case red, cafe = "caf\u{E9}" }

    @Test func `reads a case by its bytes`() {
        #expect(Colour.spelled("red") == .red)
        #expect(Colour.spelled("Red") == nil)
        #expect(Colour.spelled("caf\u{E9}") == .cafe)
        #expect(Colour.spelled("cafe\u{301}") == nil)
    }

    @Test func `costs the same for marks as for letters`() {
        func cost(_ text: String) -> UInt64 {
            let other = text + "b"
            return ProcessorTime.least {
                var set: Set<ByteText> = [ByteText(text), ByteText(other)]
                set.insert(ByteText(text + "c"))
                precondition(set.contains(ByteText(text)) && !text.isSame(as: other) && !text.utf8.holds("b"))
            }
        }
        #expect(ProcessorTime.isLike(cost(HostileText.marks(28_000)), plain: cost(HostileText.ascii(28_000))))
    }
}
