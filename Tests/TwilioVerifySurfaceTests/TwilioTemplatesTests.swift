import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Texts of the operator that a call names.
@Suite(.timeLimit(.minutes(60))) struct TwilioTemplatesTests {
    private static func world(_ ids: [String] = ["order", "plain"]) async throws -> TwilioWorld {
        var options = World.Options()
        let english = MessageCatalog.english
        let all: [ByteText: CallTemplates] = [
            "order": CallTemplates([
                .english: try CallTemplate("{code} confirms the order {order} at {brand}. {minutes} minutes."),
                LanguageTag("de")!: try CallTemplate("{code} bestätigt {order}."),
            ]),
            "plain": CallTemplates([.english: try CallTemplate("{brand}: {code}")]),
        ]
        options.texts = MessageTexts(
            catalog: try MessageCatalog(
                defaultLocale: english.defaultLocale, entries: english.entries,
                templates: all.filter { entry in ids.contains { ByteText($0) == entry.key } }), brand: "Nobody")
        return try await TwilioWorld(options)
    }

    private static func sid(_ name: String, _ twilio: TwilioWorld) async -> String {
        let listed = await twilio.call(.get, "/Templates?FriendlyName=\(name)").json["templates"]?.array ?? []
        return listed.first?.object?["sid"]?.string ?? ""
    }

    @Test func `lists the texts with their languages`() async throws {
        let twilio = try await Self.world()
        let listed = await twilio.call(.get, "/Templates").json["templates"]?.array?.compactMap(\.object) ?? []
        #expect(listed.map { $0["friendly_name"]?.string } == ["order", "plain"])
        let order = try #require(listed.first)
        #expect(order["sid"]?.string?.hasPrefix("HJ") == true && order["account_sid"]?.string == twilio.account())
        let translations = try #require(order["translations"]?.object)
        #expect(Set(translations.names) == ["de", "en"])
        #expect(translations["en"]?.object?["is_default_translation"] == true)
        #expect(translations["de"]?.object?["text"] == "{code} bestätigt {order}.")
        #expect(await Self.sid("nothing", twilio) == "")
    }

    @Test func `sends the text with its values, in the language of the call`() async throws {
        let twilio = try await Self.world()
        let sid = await Self.sid("order", twilio)
        let values = TwilioWorld.encoded(#"{"order": "A-7"}"#)
        let form = "&TemplateSid=\(sid)&TemplateCustomSubstitutions=\(values)"
        #expect(await twilio.create(TwilioWorld.lorant, form).status == 201)
        #expect(twilio.world.gateway.sent.last?.text == "123456 confirms the order A-7 at Nobody. 10 minutes.")
        #expect(await twilio.create(TwilioWorld.lorant, form + "&Locale=de", as: "sandbox-2").status == 201)
        #expect(twilio.world.gateway.sent.last?.text == "123456 bestätigt A-7.")
    }

    @Test func `a service may have a text of its own`() async throws {
        let twilio = try await Self.world()
        let (plain, order) = (await Self.sid("plain", twilio), await Self.sid("order", twilio))
        let path = await twilio.addService("FriendlyName=Shop&CodeLength=4&DefaultTemplateSid=\(plain)")
        #expect(await twilio.call(.get, path).json["default_template_sid"]?.string == plain)
        let form = "To=%2B12001004014&Channel=sms"
        #expect(await twilio.call(.post, "\(path)/Verifications", form).status == 201)
        #expect(twilio.world.gateway.sent.last?.text == "Shop: 1234")
        #expect(await twilio.call(.post, path, "DefaultTemplateSid=\(order)").status == 200)
        let missing = await twilio.call(.post, "\(path)/Verifications", form)
        #expect(missing.code == 60200 && missing.text.contains("'order' is missing"))
    }

    @Test(arguments: [
        "&TemplateSid=HJ00000000000000000000000000000000", "&TemplateSid=order",
        "&TemplateCustomSubstitutions=%7B%22a%22%3A%22b%22%7D", "&TemplateCustomSubstitutions=a",
    ]) func `refuses a text that is none, and values without a text`(more: String) async throws {
        let twilio = try await Self.world()
        let answer = await twilio.create(TwilioWorld.lorant, more)
        #expect(answer.status == 400 && answer.code == 60200)
        #expect(twilio.world.gateway.sent.isEmpty)
    }

    @Test(arguments: [#"{"order": "evil.example/a"}"#, #"{"order": ""}"#, #"{}"#])
    func `refuses values that do not fit`(values: String) async throws {
        let twilio = try await Self.world()
        let sid = await Self.sid("order", twilio)
        let answer = await twilio.create(
            TwilioWorld.lorant, "&TemplateSid=\(sid)&TemplateCustomSubstitutions=\(TwilioWorld.encoded(values))")
        #expect(answer.status == 400 && answer.code == 60200 && answer.text.contains("TemplateCustomSubstitutions"))
    }
}
