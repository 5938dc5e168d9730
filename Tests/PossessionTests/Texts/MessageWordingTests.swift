@testable import Possession
import Testing
import Text

/// How a message is worded.
@Suite struct MessageWordingTests {
    private static func tag(_ text: String) -> LanguageTag { LanguageTag(text)! }
    private static let catalog: MessageCatalog = {
        func entry(
            _ locale: String, _ text: String, _ purpose: MessageCatalog.Purpose = .code,
            _ channel: MessageCatalog.Channel = .sms, country: String? = nil, templateID: String? = nil
        ) -> MessageCatalog.Entry {
            MessageCatalog.Entry(
                purpose: purpose, channel: channel, locales: [LanguageTag(locale)!], country: country,
                text: try! MessageText(text, for: purpose, over: channel), templateID: templateID)
        }
        return try! MessageCatalog(
            defaultLocale: .english,
            entries: [
                entry("en", "{code} {brand} {minutes}"), entry("de", "de {code}"), entry("en", "{brand} {link}", .link),
                entry("en", "Code: {code}. Once more: {code}", .code, .voice),
                entry("en", "registered {code}", country: "IN", templateID: "t-1"),
            ], countries: ["IN": .init(sender: "HLDFST", entityID: "e-1")])
    }()

    private func wording(
        _ session: Session, _ rules: TenantRules? = TenantRules(), over channel: MessageCatalog.Channel = .sms,
        to country: String? = "US", catalog: MessageCatalog = catalog
    ) -> MessageWording {
        MessageWording(
            MessageTexts(catalog: catalog, brand: "Example"), session, rules, over: channel, to: country,
            linkURL: "https://l.example", ownHost: "own.example")
    }

    /// The message of the code 1234 as it is worded, for a session whose client has come.
    private func code(
        platform: Platform = .web, reader: String? = nil, languages: Languages? = nil,
        _ rules: TenantRules? = TenantRules(),
        over channel: MessageCatalog.Channel = .sms, to country: String? = "US", catalog: MessageCatalog = catalog,
        _ wishes: (inout Fixture.Wishes) -> Void = { _ in }
    ) throws -> MessageWording.Worded {
        var session = Fixture.session(Fixture.request(.mobile, wishes))
        try session.redeem(
            .init(platform: platform, fallback: .otp, deviceKey: false, cellular: .no, codeReader: reader),
            by: .bearer, challenge: [], languages: languages, at: Fixture.start, rules: Fixture.rules)
        let message = try session.sendCode(.first(nil), issue: Fixture.issue, at: Fixture.start, rules: Fixture.rules)
        return wording(session, rules, over: channel, to: country, catalog: catalog).words(of: message)
    }

    @Test func `fills in brand and minutes, and adds the line for autofill`() throws {
        #expect(try code().text == "1234 Example 2\n@own.example #1234")
        let rules = TenantRules(displayName: "Shop", messageHost: "shop.example")
        #expect(try code(rules).text == "1234 Shop 2\n@shop.example #1234")
        #expect(try code(nil).text == "1234 Example 2\n@own.example #1234")
    }

    @Test func `adds the hash of an app that the tenant registered, and no other`() throws {
        var rules = TenantRules(appHashes: ["AAAAAAAAAAA"])
        #expect(try code(platform: .android, reader: "AAAAAAAAAAA", rules).text == "1234 Example 2\nAAAAAAAAAAA")
        #expect(try code(platform: .android, reader: "BBBBBBBBBBB", rules).text == "1234 Example 2")
        rules.allowedOrigins = ["https://shop.example"]
        #expect(try code(reader: "shop.example", rules).text == "1234 Example 2\n@shop.example #1234")
        #expect(try code(reader: "evil.example", rules).text == code(rules).text)
    }

    /// `@`, the host, a blank, `#` and four digits.
    @Test(arguments: [133, 134]) func `leaves out a line that no browser reads`(length: Int) throws {
        let rules = TenantRules(messageHost: String(repeating: "a", count: length))
        let text = "1234 Example 2"
        #expect(try code(rules).text.utf8.count == text.utf8.count + (length == 133 ? 141 : 0))
    }

    @Test func `takes the backend's language, then the client's, then the tenant's, then the default`() throws {
        let german = TenantRules(locale: Self.tag("de-CH"))
        #expect(try code(german).locale == Self.tag("de"))
        #expect(try code(languages: Languages(text: "fr,en"), german).locale == Self.tag("en"))
        #expect(try code(languages: Languages(text: "fr"), german).locale == Self.tag("de"))
        #expect(try code(languages: Languages(text: "en")) { $0.locale = Self.tag("de") }.locale == Self.tag("de"))
        #expect(try code().locale == Self.tag("en"))
    }

    @Test func `sends a registered text as it is registered`() throws {
        let worded = try code(to: "IN")
        #expect(worded.text == "registered 1234")
        #expect(worded.sender == MessageSender(sender: "HLDFST", entityID: "e-1", templateID: "t-1"))
        #expect(try code().sender == MessageSender())
    }

    @Test func `leaves a tenant's own text as it is`() throws {
        let worded = try code(languages: Languages(text: "de"), to: "IN") {
            $0.codeTemplate = try! MessageTemplate("own #### text")
        }
        #expect(worded.text == "own 1234 text\n@own.example #1234")
        #expect(worded.locale == nil)
        #expect(worded.sender == MessageSender(sender: "HLDFST", entityID: "e-1"))
    }

    @Test func `reads a code digit by digit, twice`() throws {
        #expect(try code(over: .voice).text == "Code: 1, 2, 3, 4. Once more: 1, 2, 3, 4")
        let own = try code(over: .voice) { $0.codeTemplate = try! MessageTemplate("own ####.") }
        #expect(own.text == "own 1, 2, 3, 4. own 1, 2, 3, 4.")
        let written = try MessageCatalog(
            defaultLocale: .english,
            entries: Self.catalog.entries.filter { $0.channel == .sms && $0.locales == [.english] })
        #expect(
            try code(over: .voice, catalog: written).text
                == "1, 2, 3, 4 Example 2 1, 2, 3, 4 Example 2")
    }

    @Test func `adds no line over other channels`() throws {
        #expect(try code(over: .whatsapp).text == "1234 Example 2")
    }

    @Test func `an e-mail has a subject, in the language of its text, and no line for autofill`() throws {
        func entry(_ locale: String, _ text: String, _ subject: String?) throws -> MessageCatalog.Entry {
            MessageCatalog.Entry(
                purpose: .code, channel: .email, locales: [Self.tag(locale)],
                text: try MessageText(text, for: .code, over: .email),
                subject: try subject.map { try MessageText(subject: $0) })
        }
        let catalog = try MessageCatalog(
            defaultLocale: .english,
            entries: Self.catalog.entries + [
                try entry("en", "mail {code}", "Your {brand} code"), try entry("de", "Post {code}", nil),
            ])
        let english = try code(over: .email, to: nil, catalog: catalog)
        #expect(english.text == "mail 1234" && english.subject == "Your Example code")
        let german = try code(languages: Languages(text: "de"), over: .email, to: nil, catalog: catalog)
        #expect(german.text == "Post 1234" && german.subject == "Your verification")
        // The tenant words the text, and not the subject.
        let own = try code(over: .email, to: nil, catalog: catalog) {
            $0.codeTemplate = try! MessageTemplate("own ####.")
        }
        #expect(own.text == "own 1234." && own.subject == "Your Example code")
        // Without texts of its own it is worded as an SMS.
        let bare = try code(over: .email, to: nil)
        #expect(bare.text == "1234 Example 2" && bare.subject == "Your verification")
        #expect(try code().subject == nil)
    }

    @Test func `words a link`() throws {
        var session = Fixture.redeemed(fallback: .link)
        let link = Session.IssuedLink(token: "token", digest: LinkDigest([1]), matchCode: nil)
        let message = try session.sendLink(
            .first(nil), link: link, browser: nil, at: Fixture.start, rules: Fixture.rules)
        #expect(wording(session).words(of: message).text == "Example https://l.example/l/token")
    }

    /// The languages that the calls of a session give, in order, and those of its last message.
    @Test(arguments: [
        (["de"], "de"), (["de", "en"], "en"), (["de", "-"], "de"), (["de;1", "en,fr"], "de,en,fr"),
        (["de,it;1", "en"], "de,en"), (["de;1", "fr;1"], "fr"), (["de;2", "en"], "de,en"), (["de;1", "pt;2"], "pt"),
        (["de;2", "pt;2", "en"], "pt,en"), ([], ""),
    ])
    func `a send is worded in the language of its call, and what was chosen comes before settings`(
        told: [String], expected: String
    ) {
        var session = Fixture.session()
        for text in told { session.note(Languages(text: text)) }
        #expect((session.languages?.tags ?? []).map(\.text).joined(separator: ",") == expected)
        #expect(session.wantedLanguages == session.languages?.tags ?? [])
    }

    @Test func `what the backend says at a send comes before what it said at the start`() throws {
        let plain = Fixture.session()
        let request = SessionRequest(
            flow: .mobile, policy: plain.request.policy, subject: plain.request.subject,
            options: .init(locale: Self.tag("de")), references: .init())
        var session = Session(
            correlationID: plain.correlationID, authID: plain.authID, clientID: plain.clientID, request: request,
            at: Fixture.start, limits: Fixture.rules.limits)
        for (told, expected) in [("en;1", ["de", "en"]), ("fr;2", ["fr", "de"]), ("it", ["fr", "it", "de"])] {
            session.note(Languages(text: told))
            #expect(session.wantedLanguages.map(\.text) == expected)
        }
    }
}
