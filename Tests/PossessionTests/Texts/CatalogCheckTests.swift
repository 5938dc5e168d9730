@testable import Possession
import Testing

/// Costs and mistakes of the texts of a catalog.
@Suite struct CatalogCheckTests {
    private static func check(
        _ text: String, locale: String = "en", purpose: MessageCatalog.Purpose = .code, templateID: String? = nil,
        brands: [String] = [], hosts: [String] = []
    ) -> CatalogCheck {
        let entry = MessageCatalog.Entry(
            purpose: purpose, channel: .sms, locales: [LanguageTag(locale)!],
            text: try! MessageText(text, for: purpose, over: .sms), templateID: templateID)
        let other: MessageCatalog.Purpose = purpose == .code ? .link : .code
        let filler = MessageCatalog.Entry(
            purpose: other, channel: .sms, locales: [LanguageTag(locale)!],
            text: try! MessageText("{\(other.rawValue)}", for: other, over: .sms))
        return CatalogCheck(
            try! MessageCatalog(defaultLocale: LanguageTag(locale)!, entries: [entry, filler]),
            CatalogCheck.Surroundings(
                brands: brands.map { .init($0) }, hosts: hosts.map { .init($0) }, linkURL: "https://a.example",
                codeLifetimeSeconds: 600,
                linkLifetimeSeconds: 600))
    }

    @Test func `counts with the longest brand, code, and last line`() {
        let check = Self.check(
            "{code} {brand} {minutes}", brands: ["A", "Example"], hosts: ["a.example", "bb.example"])
        // Ten digits, a blank, the brand, a blank, 10, a line break, @bb.example, a blank and # with ten digits.
        #expect(check.lines.first?.parts.units == 10 + 1 + 7 + 1 + 2 + 1 + 11 + 1 + 11)
        #expect(check.lines.first?.description == "code en: GSM-7, 1 part, 45 of 160")
        #expect(check.lines.last?.description == "link en: GSM-7, 1 part, 42 of 160")
        #expect(check.mistakes.isEmpty && check.warnings.isEmpty)
    }

    /// K4 of bug findings: an apostrophe that a word processor has made.
    @Test func `the dearest name counts, and says whose it is`() {
        let catalog = MessageCatalog.english
        var surroundings = CatalogCheck.Surroundings(
            brands: ["Example", .init("Joe\u{2019}s Pizza", of: "the displayName of the API client shop")], hosts: [],
            linkURL: "https://a.example", codeLifetimeSeconds: 600, linkLifetimeSeconds: 600)
        let text = try! MessageText("{code} is your {brand} code", for: .code, over: .sms)
        let entries = catalog.entries.map { entry in
            entry.purpose == .code && entry.channel == .sms
                ? MessageCatalog.Entry(purpose: .code, channel: .sms, locales: entry.locales, text: text) : entry
        }
        let own = try! MessageCatalog(defaultLocale: .english, entries: entries)
        let check = CatalogCheck(own, surroundings)
        let line = "code en with the displayName of the API client shop: UCS-2, 1 part, 35 of 70"
        #expect(check.lines.map(\.description).contains(line), "\(check.lines)")
        #expect(
            check.warnings == [
                "the displayName of the API client shop: the character \u{2019} (U+2019) makes every text that names it "
                    + "UCS-2, 70 characters a part in place of 160; messaging.lookalikes writes what looks like it"
            ])
        surroundings.hasLookalikes = true
        let plain = CatalogCheck(own, surroundings)
        #expect(plain.warnings.isEmpty && plain.lines.allSatisfy { $0.parts.alphabet == .gsm7 })
    }

    @Test(arguments: [
        ("Joe\u{2019}s \u{201C}Pizza\u{201D}", "Joe's \"Pizza\""), ("a\u{2013}b\u{2026}\u{A0}c\u{200B}", "a-b... c"),
        ("żółw\u{2019}s", "żółw's"), ("Zoë", "Zoë"), ("", ""),
    ])
    func `look-alikes take the place of what GSM-7 lacks`(text: String, plain: String) {
        #expect(GSMAlphabet.lookalikes(of: text).utf8.elementsEqual(plain.utf8))
    }

    @Test(arguments: [(124, 0), (125, 1)]) func `refuses a third part`(length: Int, mistakes: Int) {
        let check = Self.check("{code}" + String(repeating: "ж", count: length), locale: "ru", templateID: "t-1")
        #expect(check.mistakes.count == mistakes)
        #expect(check.lines.first?.parts.count == 2 + mistakes)
        if let mistake = check.mistakes.first {
            #expect(mistake == "texts[0].text: is 3 parts in UCS-2 with the longest values, and at most 2 are sent")
        }
    }

    @Test func `a brand in other characters costs what it costs`() {
        let check = Self.check("{code} {brand}" + String(repeating: "a", count: 100), brands: ["A", "Ж"])
        #expect(check.lines.first?.parts.alphabet == .ucs2)
        #expect(check.lines.first?.parts.count == 2)
    }

    @Test(arguments: [
        ("en", "it\u{2019}s {code}", "the character \u{2019} (U+2019) makes it UCS-2"),
        ("de-AT", "„{code}“", "the character „ (U+201E) makes it UCS-2"),
        ("es", "código {code}", "the character ó (U+00F3)"),
        ("en", "😀 {code}", "(U+1F600)"),
    ])
    func `warns of a character that a language can do without`(locale: String, text: String, warning: String) {
        let warnings = Self.check(text, locale: locale).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("texts[0].text: the character ") == true)
        #expect(warnings.first?.contains(warning) == true, "\(warnings)")
    }

    @Test(arguments: ["pl", "ru", "zh"]) func `warns of none where the language needs them`(locale: String) {
        #expect(Self.check("ż ж 码 {code}", locale: locale).warnings.isEmpty)
    }

    @Test(arguments: [(118, 0), (119, 1)]) func `warns where an app hash makes it longer than 140 bytes`(
        length: Int, warnings: Int
    ) {
        let check = Self.check("{code}" + String(repeating: "a", count: length))
        #expect(check.warnings.count == warnings)
        if let warning = check.warnings.first {
            #expect(warning.hasPrefix("texts[0].text: is 141 bytes with an app hash"))
        }
        #expect(Self.check("{code}" + String(repeating: "a", count: length), templateID: "t").warnings.isEmpty)
    }

    /// `@`, the host, a blank, `#` and ten digits.
    @Test(arguments: [(127, 0), (128, 1)]) func `refuses a last line that browsers do not read`(
        length: Int, mistakes: Int
    ) {
        let host = String(repeating: "a", count: length)
        #expect(Self.check("{code}", hosts: [host]).mistakes.count == mistakes)
    }
}
