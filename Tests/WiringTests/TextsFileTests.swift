import Possession
import Testing

@testable import Wiring

/// The file of the texts of messages: what it may have, and how it says what is wrong.
@Suite struct TextsFileTests {
    private static let link = #"{"purpose":"link","channel":"sms","locale":"en","text":"open {link}"}"#
    private static let code = #"{"purpose":"code","channel":"sms","locale":"en","text":"{code}"}"#

    private static func file(_ texts: [String] = [code, link], _ more: String = "") -> String {
        #"{"defaultLocale":"en","texts":[\#(texts.joined(separator: ","))]\#(more)}"#
    }

    private static func mistakes(_ text: String) -> [String] {
        do throws(TextsFile.Mistakes) {
            _ = try TextsFile(Array(text.utf8))
            return []
        } catch {
            return error.all
        }
    }

    private static func mistakes(entry members: String) -> [String] {
        mistakes(file([code, link, "{\(members)}"]))
    }

    @Test func `reads texts, countries and comments`() throws {
        let german = """
            {"purpose":"code","channel":"sms","locale":["de","de-AT"],"text":"de {code}"}, // a remark
            {"purpose":"code","channel":"whatsapp","locale":"en","country":"IN","sender":"OWN","templateId":"t-1",
             "text":"in {code}"}
            """
        let catalog = try TextsFile(
            Array(
                Self.file([Self.code, Self.link, german], #","countries":{"IN":{"sender":"S","entityId":"1"}}"#).utf8)
        ).catalog
        #expect(catalog.entries.count == 4)
        #expect(catalog.defaultLocale == .english)
        #expect(catalog.text(.code, over: .sms, to: nil, for: [LanguageTag("de-AT")!])?.locale.text == "de-AT")
        let indian = catalog.text(.code, over: .whatsapp, to: "IN", for: [])?.entry
        #expect(
            catalog.sender(of: indian, to: "IN") == MessageSender(sender: "OWN", entityID: "1", templateID: "t-1"))
    }

    @Test func `reads texts that calls name`() throws {
        let templates = """
            ,"templates":[{"id":"order","locale":["en","de"],"text":"{code} confirms {order}"},
                          {"id":"prelude:psd2","locale":"en","text":"{code}: {amount} {currency} to {recipient}"}]
            """
        let catalog = try TextsFile(Array(Self.file([Self.code, Self.link], templates).utf8)).catalog
        #expect(catalog.templates.count == 2)
    }

    @Test(arguments: [
        (#"{"id":"a","locale":"en","text":"none"}"#, "templates[0].text: must have {code} once"),
        (#"{"id":"a b","locale":"en","text":"{code}"}"#, "templates[0].id: must have 1 to"),
        (#"{"locale":"en","text":"{code}"}"#, "templates[0].id: must have 1 to"),
        (#"{"id":"a","text":"{code}"}"#, "templates[0].locale: is missing"),
        (#"{"id":"a","locale":"en"}"#, "templates[0].text: is missing"),
        (#"{"id":"a","locale":"en","text":"{code}","country":"IN"}"#, "templates[0].country: unknown member"),
        (
            #"{"id":"a","locale":"en","text":"{code}"},{"id":"a","locale":"en","text":"{code}!"}"#,
            "templates[1]: is for en"
        ),
        ("7", "templates[0]: must be an object"),
    ]) func `names what is wrong with a text that calls name`(templates: String, start: String) {
        let mistakes = Self.mistakes(Self.file([Self.code, Self.link], ",\"templates\":[\(templates)]"))
        #expect(mistakes.contains { $0.hasPrefix(start) }, "\(mistakes)")
    }

    @Test(arguments: [
        ("", "line 1: "), ("[]", "line 1: the top is not an object"), ("{\n\n\"a\":}", "line 3: "),
        (#"{"defaultLocale":"en"}"#, "texts: must be a list of 1 to 1000 texts"),
        (#"{"defaultLocale":"en","texts":[]}"#, "texts: must be a list of 1 to 1000 texts"),
    ])
    func `names what is wrong with the file itself`(text: String, start: String) {
        let mistakes = Self.mistakes(text)
        #expect(mistakes.contains { $0.hasPrefix(start) }, "\(mistakes)")
    }

    @Test(arguments: [
        (#""purpose":"code""#, "channel: must be one of sms, voice, whatsapp, viber, email"),
        (#""purpose":"codes","channel":"sms","locale":"de","text":"{code}""#, "purpose: must be one of code, link"),
        (#""purpose":"code","channel":"fax","locale":"de","text":"{code}""#, "channel: must be one of sms"),
        (#""purpose":"code","channel":"sms","text":"{code}""#, "locale: is missing"),
        (#""purpose":"code","channel":"sms","locale":"d","text":"{code}""#, "locale: must be a language tag"),
        (#""purpose":"code","channel":"sms","locale":[],"text":"{code}""#, "locale: must have 1 to 16"),
        (#""purpose":"code","channel":"sms","locale":["de",7],"text":"{code}""#, "locale[1]: must be a language tag"),
        (#""purpose":"code","channel":"sms","locale":"de""#, "text: is missing"),
        (#""purpose":"code","channel":"sms","locale":"de","text":7"#, "text: must be text"),
        (#""purpose":"code","channel":"sms","locale":"de","text":"{name}""#, "text: has an unknown placeholder"),
        (
            #""purpose":"code","channel":"sms","locale":"de","country":"in","text":"{code}""#,
            "country: must be a region"
        ),
        (
            #""purpose":"code","channel":"sms","locale":"de","country":"ZZ","text":"{code}""#,
            "country: must be a region"
        ),
        (
            #""purpose":"code","channel":"sms","locale":"de","sender":"a b","text":"{code}""#,
            "sender: must have 1 to 128"
        ),
        (#""purpose":"code","channel":"sms","locale":"de","templateId":"","text":"{code}""#, "templateId: must have"),
        (#""purpose":"code","channel":"email","locale":"de","text":"{code}""#, "subject: is missing"),
        (
            #""purpose":"code","channel":"email","locale":"de","text":"{code}","subject":"{code}""#,
            "subject: must not have {code}"
        ),
        (
            #""purpose":"code","channel":"email","locale":"de","country":"DE","text":"{code}","subject":"x""#,
            "country: is of no use"
        ),
        (
            #""purpose":"code","channel":"sms","locale":"de","text":"{code}","subject":"x""#,
            "subject: is for e-mail only"
        ),
        (#""purpose":"link","channel":"voice","locale":"de","text":"{link}{link}""#, "channel: must not be voice"),
        (
            #""purpose":"code","channel":"sms","locale":"de","text":"{code}","locales":1"#,
            "locales: unknown member; did you mean locale?"
        ),
    ])
    func `names the place and the reason`(members: String, mistake: String) {
        let mistakes = Self.mistakes(entry: members)
        #expect(mistakes.contains { $0.hasPrefix("texts[2].\(mistake)") }, "\(mistakes)")
    }

    @Test func `names what is there twice or missing`() {
        #expect(
            Self.mistakes(Self.file([Self.code, Self.link, Self.code])) == [
                "texts[2]: is for en, as texts[0] is already"
            ])
        #expect(
            Self.mistakes(Self.file([Self.code])) == [
                "texts: has no text for link over sms in the default language en"
            ])
    }

    @Test func `names every mistake at once`() {
        let mistakes = Self.mistakes(
            Self.file(
                [#"{"purpose":"x","channel":"sms","locale":"en","text":"a"}"#, "7"],
                #","countries":{"xx":{},"IN":{"senders":"a","entityId":"\u00e9"},"US":1},"other":1"#))
        let places = mistakes.map { String($0.prefix { $0 != ":" }) }
        #expect(
            places == [
                "other", "countries", "countries.IN.senders", "countries.IN.entityId", "countries.US",
                "texts[0].purpose", "texts[1]",
            ], "\(mistakes)")
    }

    @Test func `is at most a megabyte`() {
        #expect(Self.mistakes(String(repeating: " ", count: 1 << 20 + 1)).first?.contains("larger than") == true)
    }

    // MARK: The one that ships

    private static func shipped() throws -> MessageCatalog {
        try TextsFile(try #require(SmallFile.read(ServerFixture.repository + "/config/texts.json"))).catalog
    }

    @Test func `ships with texts in nineteen languages, each for codes, calls, e-mails and links`() throws {
        let catalog = try Self.shipped()
        let locales = { (purpose: MessageCatalog.Purpose, channel: MessageCatalog.Channel) in
            catalog.entries.filter { $0.purpose == purpose && $0.channel == channel }.flatMap(\.locales)
        }
        let all = locales(.code, .sms)
        #expect(Set(all.map(\.language)).count == 19)
        for language in [
            "ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "nl", "pl", "pt", "ru", "tr", "uk", "vi", "zh",
        ] {
            #expect(all.contains { $0.text == language }, "\(language)")
        }
        #expect(locales(.code, .voice) == all)
        #expect(locales(.link, .sms) == all)
        #expect(locales(.code, .email) == all)
        #expect(catalog.entries.allSatisfy { ($0.subject == nil) == ($0.channel != .email) })
    }

    @Test func `ships with texts that cost one part, or two with a line for autofill, and need no warning`() throws {
        let catalog = try Self.shipped()
        let surroundings = { (hosts: [CatalogCheck.Name]) in
            CatalogCheck.Surroundings(
                brands: ["Holdfast"], hosts: hosts, linkURL: "https://verify.example.com", codeLifetimeSeconds: 600,
                linkLifetimeSeconds: 600)
        }
        let check = CatalogCheck(catalog, surroundings(["verify.example.com"]))
        #expect(check.mistakes == [])
        #expect(check.warnings == [])
        #expect(
            check.lines.filter { $0.purpose == .code && $0.parts.alphabet == .gsm7 }.allSatisfy { $0.parts.count == 1 })
        let plain = CatalogCheck(catalog, surroundings([]))
        #expect(plain.lines.filter { $0.purpose == .code }.allSatisfy { $0.parts.count == 1 })
    }
}
