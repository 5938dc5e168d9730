@testable import Possession
import Testing
import Text

/// Which text a message gets.
@Suite struct MessageCatalogTests {
    private static let texts = [
        entry("en", "en {code}"), entry("de", "de {code}"), entry("pt-BR", "br {code}"),
        entry("zh-Hant", "hant {code}"),
        entry("zh", "hans {code}"), entry("en", "in-en {code}", country: "IN", templateID: "t-en"),
        entry("hi", "in-hi {code}", country: "IN", sender: "OWN"), entry("fr", "ca-fr {code}", country: "CA"),
        entry("en", "say {code} {code}", channel: .voice), entry("en", "en {link}", purpose: .link),
    ]

    private static func entry(
        _ locale: String, _ text: String, purpose: MessageCatalog.Purpose = .code,
        channel: MessageCatalog.Channel = .sms, country: String? = nil, sender: String? = nil, templateID: String? = nil
    ) -> MessageCatalog.Entry {
        MessageCatalog.Entry(
            purpose: purpose, channel: channel, locales: [LanguageTag(locale)!], country: country,
            text: try! MessageText(text, for: purpose, over: channel), sender: sender, templateID: templateID)
    }

    private static let catalog = try! MessageCatalog(
        defaultLocale: .english, entries: texts,
        countries: ["IN": .init(sender: "HLDFST", entityID: "1101"), "US": .init(sender: "+12025550100")])

    private func text(
        _ languages: String..., to country: String? = nil, over channel: MessageCatalog.Channel = .sms
    ) -> String? {
        Self.catalog.text(.code, over: channel, to: country, for: languages.map { LanguageTag($0)! })?.entry.text
            .plainText
            .utf8.split(separator: 0x20).first.map { String(Substring($0)) }
    }

    @Test func `takes the longest match of the first language that has any, else the default`() {
        #expect(text("de-AT") == "de")
        #expect(text("de-Latn-AT-1996") == "de")
        #expect(text("fr", "de-CH", "en") == "de")
        #expect(text("pt-BR") == "br")
        #expect(text("pt-PT") == "en", "another country's wording is no match")
        #expect(text("zh-Hant-HK") == "hant")
        #expect(text("zh-TW") == "hant")
        #expect(text("zh-SG") == "hans")
        #expect(text("xx") == "en")
        #expect(text() == "en")
    }

    @Test func `sends a country with texts of its own no others`() {
        #expect(text("de", to: "IN") == "in-en")
        #expect(text("hi-IN", to: "IN") == "in-hi")
        #expect(text("de", to: "AT") == "de")
        #expect(text("de", to: "CA") == "ca-fr", "the only one that is registered")
        #expect(text("de", to: "44") == "de", "a calling code is no region")
    }

    @Test func `falls back from a channel without texts to those of SMS`() {
        #expect(text("de", over: .whatsapp) == "de")
        #expect(text("de", over: .voice) == "say")
        let link = Self.catalog.text(.link, over: .whatsapp, to: nil, for: [])
        #expect(link?.entry.purpose == .link)
    }

    @Test func `names sender and registration by country and text`() {
        let english = Self.catalog.text(.code, over: .sms, to: "IN", for: [])?.entry
        #expect(
            Self.catalog.sender(of: english, to: "IN")
                == MessageSender(sender: "HLDFST", entityID: "1101", templateID: "t-en"))
        let hindi = Self.catalog.text(.code, over: .sms, to: "IN", for: [LanguageTag("hi")!])?.entry
        #expect(Self.catalog.sender(of: hindi, to: "IN") == MessageSender(sender: "OWN", entityID: "1101"))
        #expect(Self.catalog.sender(of: nil, to: "US") == MessageSender(sender: "+12025550100"))
        #expect(Self.catalog.sender(of: nil, to: nil) == MessageSender())
    }

    @Test func `lists every text that is there twice or missing`() {
        let entries = [
            Self.entry("de", "a {code}"), Self.entry("de", "b {code}"),
            Self.entry("de", "c {code}", channel: .whatsapp),
        ]
        do throws(MessageCatalog.Defects) {
            _ = try MessageCatalog(defaultLocale: .english, entries: entries)
            Issue.record("taken")
        } catch {
            #expect(error.all.map(\.entry) == [1, nil, nil, nil])
            #expect(error.all[0].reason == "is for de, as texts[0] is already")
            #expect(error.all[1].reason == "has no text for code over sms in the default language en")
            #expect(error.all[2].reason == "has no text for code over whatsapp in the default language en")
            #expect(error.all[3].reason == "has no text for link over sms in the default language en")
        }
    }

    @Test func `has English of its own, which warns, and fits one message`() {
        let found = MessageCatalog.english.text(.code, over: .sms, to: "DE", for: [LanguageTag("de")!])
        let text = found?.entry.text.filled(with: .init(secret: "1234567890", brand: "", minutes: 1)) ?? ""
        #expect(found?.locale == .english)
        #expect(text.contains(" 1234567890. Do not share it"))
        #expect(MessageParts(text).count == 1)
        let link = "https://link.example/l/" + String(repeating: "a", count: 22)
        let other = MessageCatalog.english.text(.link, over: .sms, to: nil, for: [])?.entry.text
        #expect(other?.filled(with: .init(secret: link, brand: "", minutes: 1)).hasSuffix(": " + link) == true)
        #expect(MessageCatalog.english.entries.allSatisfy { !$0.text.namesBrand })
    }
}
