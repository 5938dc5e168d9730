@testable import Possession
import Testing

@Suite struct MessageTextTests {
    private typealias Defect = MessageText.Defect

    @Test func `fills every placeholder`() throws {
        let text = try MessageText("{brand}: {code} ({minutes} min, {brand})", for: .code, over: .sms)
        #expect(text.filled(with: .init(secret: "1234", brand: "A & B", minutes: 2)) == "A & B: 1234 (2 min, A & B)")
        #expect(text.plainText == ":  ( min, )")
        #expect(text.namesBrand)
        #expect(try !MessageText("{code}", for: .code, over: .sms).namesBrand)
    }

    @Test func `fills in what looks like a placeholder as it is`() throws {
        let text = try MessageText("{brand} {code}", for: .code, over: .sms)
        #expect(text.filled(with: .init(secret: "1234", brand: "{code}", minutes: 1)) == "{code} 1234")
    }

    @Test(arguments: [
        ("", MessageText.Defect.empty), ("code", .count(.code, needed: 1)), ("{code}{code}", .count(.code, needed: 1)),
        ("{code} {link}", .wrongPlaceholder(.link)), ("{code} {name}", .unknownPlaceholder),
        ("{code} {Brand}", .unknownPlaceholder), ("{code} {}", .unknownPlaceholder), ("{code} {", .brace),
        ("{code} }", .brace), ("{{code}}", .brace), ("{code}\t", .controlCharacter),
        ("{code}\u{85}", .controlCharacter),
        ("{code}\u{202E}", .hiddenCharacter), ("{code}\u{2066}", .hiddenCharacter),
        ("{code}\u{2028}", .hiddenCharacter),
        ("{code} https://a.test", .containsURL), ("{code} WWW.a.test", .containsURL),
    ])
    func `names the rule a text breaks`(text: String, defect: MessageText.Defect) {
        #expect(throws: defect) { try MessageText(text, for: .code, over: .sms) }
        #expect(!defect.reason.isEmpty)
    }

    /// Texts that are registered with operators in India have lines.
    @Test(arguments: ["\n", "\r\n", "\r"])
    func `has lines, whose ends are line feeds`(end: String) throws {
        let registered = ["Dear customer,", "{code} is your {brand} code.", "Team {brand}"]
        let text = try MessageText(registered.joined(separator: end), for: .code, over: .sms)
        #expect(
            text.filled(with: .init(secret: "1234", brand: "Shop", minutes: 2))
                == "Dear customer,\n1234 is your Shop code.\nTeam Shop")
    }

    @Test func `a line end hides no address`() {
        #expect(throws: MessageText.Defect.containsURL) {
            try MessageText("{code}\nhttps://a.test", for: .code, over: .sms)
        }
        for text in ["#### evil\n.com", "####\nevil.com", "evil.com\r\n####"] {
            #expect(throws: MessageTemplate.Defect.containsURL) { try MessageTemplate(text) }
        }
    }

    @Test func `holds 480 characters and no more`() throws {
        let text = "{code}" + String(repeating: "ж", count: 474)
        _ = try MessageText(text, for: .code, over: .sms)
        #expect(throws: MessageText.Defect.tooLong(most: 480)) { try MessageText(text + "ж", for: .code, over: .sms) }
    }

    @Test func `a link is there once, and no code`() throws {
        _ = try MessageText("open {link}", for: .link, over: .sms)
        #expect(throws: MessageText.Defect.wrongPlaceholder(.code)) {
            try MessageText("open {link} {code}", for: .link, over: .sms)
        }
        #expect(throws: MessageText.Defect.count(.link, needed: 1)) { try MessageText("open", for: .link, over: .sms) }
    }

    @Test func `a subject has neither code nor link, and at most 100 characters`() throws {
        #expect(try MessageText(subject: "Your {brand} code").namesBrand)
        for (placeholder, text) in [(MessageText.Placeholder.code, "{code}"), (.link, "see {link}")] {
            #expect(throws: MessageText.Defect.wrongPlaceholder(placeholder)) { try MessageText(subject: text) }
        }
        #expect(throws: MessageText.Defect.controlCharacter) { try MessageText(subject: "a\r\nBcc: b@example.com") }
        #expect(throws: MessageText.Defect.empty) { try MessageText(subject: "") }
        let longest = String(repeating: "ж", count: 100)
        _ = try MessageText(subject: longest)
        #expect(throws: MessageText.Defect.tooLong(most: 100)) { try MessageText(subject: longest + "ж") }
    }

    @Test func `a code is said twice`() throws {
        _ = try MessageText("{code}. Again: {code}", for: .code, over: .voice)
        #expect(throws: MessageText.Defect.count(.code, needed: 2)) {
            try MessageText("{code}", for: .code, over: .voice)
        }
    }

    /// Persian joins words with U+200C, Arabic marks the direction of a Latin name; a Japanese sentence ends in 。
    @Test(arguments: ["می\u{200C}شود {code}", "رمز \u{200E}{brand}\u{200E}: {code}", "コードは{code}です。教えないでください。"])
    func `takes what scripts need`(text: String) throws {
        _ = try MessageText(text, for: .code, over: .sms)
    }
}
