import ClientSurfaces
import HTTPServer
import Possession
import ProveSurfaces
import StrictJSON
import SurfaceKit
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport

/// In which language a person gets a message, by what the calls of each surface say.
@Suite struct MessageLanguageTests {
    private func world(_ change: (inout World.Options) -> Void = { _ in }) async throws -> World {
        var options = World.Options()
        options.texts = World.texts
        change(&options)
        return try await World(options)
    }

    /// A call of a client, with header fields of its own.
    private func call(_ app: App, _ call: String, _ body: String = "{}", languages: String? = nil) async -> Response {
        let path = "/client/v1/session\(call)"
        let field = languages.map { [(name: "Accept-Language", value: $0)] } ?? []
        return await app.world.client.send(World.request(.post, path, body, app.headers("POST", path) + field))
    }

    private func unify(_ world: World, _ more: String = "") async -> App {
        App(world, await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004014"\#(more)}"#))
    }

    private func redeem(_ app: App, _ more: String = "", languages: String? = nil, fallback: String = "otp") async {
        let answer = await call(
            app, "", #"{"platform":"web","sdk":"t","fallback":"\#(fallback)"\#(more)}"#, languages: languages)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func text(_ world: World) -> String { world.gateway.sent.last?.text ?? "" }

    @Test(arguments: [
        ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr,de;q=0.5", "de"), ("en;q=0.3, de;q=0.7", "de"), ("fr", "en"),
        ("pt-br", "pt-BR"), ("*", "en"), ("de;q=0", "en"), ("", "en"), ("de;q=2,pt-BR", "pt-BR"), ("de;x=1", "en"),
        (";;;,,,=", "en"), ("x, de;q=0.001", "de"), ("de;q=1.000", "de"), ("de;q=1.001", "en"), ("de;q=0.1234", "en"),
    ])
    func `takes the languages of a client that redeems its token`(field: String, language: String) async throws {
        let world = try await world()
        let app = await unify(world)
        await redeem(app, languages: field)
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world) == "\(language) 1234 Example")
        #expect(world.gateway.sent.last?.forms[0].locale?.text == language)
    }

    @Test func `reads only the first bytes and entries of a long field`() async throws {
        let world = try await world()
        let app = await unify(world)
        await redeem(app, languages: String(repeating: "fr,", count: 16) + "de")
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world).hasPrefix("en "))
        let other = await unify(world)
        await redeem(other, languages: "de," + String(repeating: "x", count: 20_000))
        #expect(await call(other, "/otp").status == 200)
        #expect(text(world).hasPrefix("de "))
    }

    @Test func `takes the language of the call that sends`() async throws {
        let world = try await world()
        let app = await unify(world)
        await redeem(app)
        #expect(await call(app, "/otp", languages: "de").status == 200)
        #expect(text(world).hasPrefix("de "))
        #expect(await call(app, "/otp/resend", languages: "pt-BR").status == 200)
        #expect(text(world).hasPrefix("pt-BR "))
        #expect(await call(app, "/otp/phone", #"{"phoneNumber":"2001004015"}"#).status == 200)
        #expect(text(world).hasPrefix("pt-BR "), "a call that says none leaves it as it was")
    }

    @Test func `a client's own locale comes before its browser's`() async throws {
        let world = try await world()
        let app = await unify(world)
        await redeem(app, #","locale":"de_CH""#, languages: "pt-BR")
        for path in ["/otp", "/otp/resend"] {
            #expect(await call(app, path, languages: "en").status == 200)
            #expect(text(world).hasPrefix("de "))
        }
    }

    @Test func `a backend's locale comes before the client's`() async throws {
        let world = try await world()
        let app = await unify(world, #","locale":"pt-BR""#)
        await redeem(app, #","locale":"de""#, languages: "en")
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world).hasPrefix("pt-BR "))
    }

    @Test func `words links likewise`() async throws {
        let world = try await world()
        let app = await unify(world, #","finalTargetUrl":"https://app.example/x""#)
        await redeem(app, fallback: "link")
        #expect(await call(app, "/link", languages: "de").status == 200)
        #expect(text(world).hasPrefix("de \(World.publicURL)/l/"))
        #expect(await call(app, "/link/resend", languages: "pt-BR").status == 200)
        #expect(text(world).hasPrefix("pt-BR \(World.publicURL)/l/"))
    }

    @Test func `takes the locale of a prefill run, and the languages of a browser that starts one`() async throws {
        let world = try await world()
        let started = await world.startPrefill(World.marcia, #","locale":"de""#)
        #expect(!started.token.isEmpty)
        #expect(text(world).hasPrefix("de "))
        for (body, field, language) in [("", "pt-BR,en", "pt-BR"), (#","locale":"de""#, "pt-BR", "de")] {
            let answer = await world.client.send(
                World.request(
                    .post, "/initialize", #"{"flowType":"mobile","phoneNumber":"\#(World.marcia)"\#(body)}"#,
                    [("Accept-Language", field)]))
            let run = World.Started(correlationID: "", token: answer.json["authToken"]?.string ?? "")
            await world.prove(run)
            #expect(text(world).hasPrefix("\(language) "))
        }
    }

    @Test func `falls back to the API client's language and names its brand`() async throws {
        let world = try await world {
            $0.rules.locale = LanguageTag("de")
            $0.rules.displayName = "Zoë & Co"
        }
        let app = await unify(world)
        await redeem(app, languages: "fr")
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world) == "de 1234 Zoë & Co")
    }

    @Test func `leaves a call's own text as it is`() async throws {
        let world = try await world()
        let app = await unify(world, #","smsMessage":"mine #### too","locale":"de""#)
        await redeem(app)
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world) == "mine 1234 too")
        #expect(world.gateway.sent.last?.forms[0].locale == nil)
    }

    @Test(arguments: ["x", "de-", "english language", "12", String(repeating: "de-", count: 12), "C", "C.UTF-8"])
    func `passes over a locale that is none`(locale: String) async throws {
        let world = try await world()
        let app = await unify(world, #","locale":"\#(locale)""#)
        await redeem(app, #","locale":"\#(locale)""#, languages: "pt-BR")
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world).hasPrefix("pt-BR "))
    }

    @Test(arguments: ["de_AT.UTF-8", "de-DE@posix"])
    func `understands the locales of operating systems`(locale: String) async throws {
        let world = try await world()
        let app = await unify(world)
        await redeem(app, #","locale":"\#(locale)""#)
        #expect(await call(app, "/otp").status == 200)
        #expect(text(world).hasPrefix("de "))
    }

    @Test func `words a message for a country in its registered text`() async throws {
        let registered = MessageCatalog.Entry(
            purpose: .code, channel: .sms, locales: [.english], country: "IN",
            text: try MessageText("registered {code}", for: .code, over: .sms), templateID: "t-1")
        let catalog = try MessageCatalog(
            defaultLocale: .english, entries: World.texts.catalog.entries + [registered],
            countries: ["IN": .init(sender: "HLDFST", entityID: "e-1")])
        let texts = MessageTexts(catalog: catalog, brand: "Example")
        let world = try await world {
            $0.texts = texts
            $0.users = nil
            $0.regions = ["+91": "IN"]
            $0.rules.callingCodes = ["91"]
            $0.isSandbox = false
        }
        let app = App(
            world, await world.start(#"{"possessionType":"mobile","phoneNumber":"+919876543210"}"#))
        await redeem(app, languages: "de")
        #expect(await call(app, "/otp").status == 200)
        let message = try #require(world.gateway.sent.last)
        #expect(message.text.hasPrefix("registered "))
        #expect(message.forms[0].sender == MessageSender(sender: "HLDFST", entityID: "e-1", templateID: "t-1"))
        #expect(message.forms[0].parts == 1)
    }
}
