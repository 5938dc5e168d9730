@testable import Possession
import Testing

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("de", "de"), ("DE-at", "de-AT"), ("pt_BR", "pt-BR"), ("ZH-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"),
        ("sl-ROZAJ-biske", "sl-rozaj-biske"), ("en-X-US-ABCD", "en-x-us-abcd"),
        ("abcdefgh-abcdefgh-abcdefgh-abcdefgh", "abcdefgh-abcdefgh-abcdefgh-abcdefgh"),
    ])
    func `writes a tag in one way`(text: String, canonical: String) {
        #expect(LanguageTag(text)?.text == canonical)
    }

    @Test(arguments: [
        "", "d", "1a", "de-", "-de", "de--AT", "abcdefghi", "de-abcdefghi", "de AT", "dé", "x-private", "*",
        "abcdefgh-abcdefgh-abcdefgh-abcdefghi", "de\u{301}",
    ])
    func `refuses what is no tag`(text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test(arguments: [
        ("uk_UA.UTF-8", "uk-UA"), ("en-US@posix", "en-US"), ("de_AT.ISO8859-1@euro", "de-AT"), ("pt-BR", "pt-BR"),
        ("C", nil), ("C.UTF-8", nil), ("", nil), ("@", nil), ("de AT", nil),
    ])
    func `takes of a hint what it understands`(hint: String, tag: String?) {
        #expect(LanguageTag(hint: hint)?.text == tag)
    }

    @Test(arguments: [
        ("de", ["de"]), ("de-AT", ["de-AT", "de"]), ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh"]),
        ("en-a-bbb-x-cc", ["en-a-bbb-x-cc", "en-a-bbb", "en"]), ("zh-TW", ["zh-TW", "zh-Hant", "zh"]),
        ("zh-CN", ["zh-CN", "zh"]), ("in-ID", ["in-ID", "in", "id"]), ("iw", ["iw", "he"]),
        ("he-IL", ["he-IL", "he", "iw"]),
        ("no", ["no", "nb", "nn"]), ("tl", ["tl", "fil"]),
    ])
    func `is looked up as itself, then shorter`(text: String, tags: [String]) {
        #expect(LanguageTag(text)?.andShorter.map(\.text) == tags)
    }

    @Test func `a person has a few languages, each once`() {
        let tags = ["de", "en", "de", "fr", "it", "nl"].compactMap { LanguageTag($0) }
        #expect(Languages(tags)?.text == "de,en,fr,it")
        #expect(Languages([]) == nil)
        #expect(Languages(text: "de,en,fr,it")?.tags.count == 4)
        for text in ["", "de,", "de,en,fr,it,nl", "de,1", "de;", "de;0", "de;3", "de;x", "de;1;1", ";1"] {
            #expect(Languages(text: text) == nil, "\(text)")
        }
        for (source, text) in [(Languages.Source.settings, "de,en"), (.app, "de,en;1"), (.backend, "de,en;2")] {
            let languages = Languages(Array(tags.prefix(2)), by: source)
            #expect(languages?.text == text && Languages(text: text) == languages)
        }
    }
}
