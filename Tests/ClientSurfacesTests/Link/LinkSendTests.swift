import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// `link`, `link/resend` and `link/phone`.
@Suite struct LinkSendTests {
    private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    private static let withoutNumber =
        #"{"possessionType":"desktop","finalTargetUrl":"https://app.example/done"}"#

    // MARK: steps

    @Test(arguments: ["/link", "/link/resend", "/link/phone"])
    func `is refused before the token is redeemed, and once all is done`(call: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(World.desktop))
        let body = call == "/link/phone" ? #"{"phoneNumber":"2001004015"}"# : "{}"
        let early = await app.post(call, body)
        #expect(early.status == 409 && refusal(of: early) == "invalid_state" && early.json["code"] == 20010)
        #expect(early.json["state"]?.object?["status"] == "created" && link(in: early) == nil)
        _ = await app.redeem(fallback: "link")
        _ = await app.post("/cancel")
        let late = await app.post(call, body)
        #expect(late.status == 410 && refusal(of: late) == "session_done")
        #expect(world.gateway.sent.isEmpty)
    }

    @Test(arguments: [
        ("link", "/link/resend", 409), ("link", "/link/phone", 409), ("link", "/otp", 409),
        ("link", "/otp/resend", 409),
        ("otp", "/link", 409), ("otp", "/link/resend", 409),
    ]) func `is refused in a step that is not its own`(fallback: String, call: String, status: Int) async throws {
        let world = try await World()
        let app = App(world, await world.start(World.mobile))
        _ = await app.redeem(fallback: fallback)
        let body = call.hasSuffix("phone") ? #"{"phoneNumber":"2001004015"}"# : "{}"
        let answer = await app.post(call, body)
        #expect(answer.status == status && refusal(of: answer) == "invalid_state")
        #expect(allowed(by: answer) == ["\(fallback).start", "cancel"])
        #expect(world.gateway.sent.isEmpty)
    }

    @Test func `is sent first only once`() async throws {
        let app = await (try World()).linked()
        #expect(await app.post("/link").status == 200)
        let again = await app.post("/link")
        #expect(again.status == 409 && allowed(by: again) == ["link.resend", "link.phone", "cancel"])
    }

    // MARK: numbers and limits

    @Test func `goes to the number of the session, and to none that the client names`() async throws {
        let world = try await World()
        let app = await world.linked()
        let given = await app.post("/link", #"{"phoneNumber":"2001004015"}"#)
        #expect(given.status == 403 && refusal(of: given) == "phone_number_not_accepted" && given.json["code"] == 20106)
        #expect(await app.post("/link").status == 200)
        #expect(world.gateway.sent.map(\.to.text) == ["+12001004014"])
        let text = try #require(world.gateway.sent.first?.text)
        #expect(text.contains("http://127.0.0.1:8080/l/") && world.gateway.sent.first?.code == nil)
    }

    @Test func `goes to the number the client names, where there is none`() async throws {
        let world = try await World()
        let app = await world.linked(Self.withoutNumber)
        #expect(await app.read().json["phone"] == ["needed": true])
        let none = await app.post("/link")
        #expect(none.status == 400 && refusal(of: none) == "phone_number_required" && none.json["code"] == 20103)
        let bad = await app.post("/link", #"{"phoneNumber":"12"}"#)
        #expect(bad.status == 400 && refusal(of: bad) == "phone_number_invalid" && bad.json["code"] == 20104)
        let stranger = await app.post("/link", #"{"phoneNumber":"+12065550100"}"#)
        #expect(stranger.status == 403 && refusal(of: stranger) == "phone_number_not_allowed")
        #expect(link(in: stranger) == ["sendsLeft": 3, "phoneEntriesLeft": 3], "none of these cost anything")
        let sent = await app.post("/link", #"{"phoneNumber":"2001004015"}"#)
        #expect(sent.json["phone"] == ["needed": false, "masked": "+1******4015"])
        #expect(world.gateway.sent.map(\.to.text) == ["+12001004015"])
    }

    @Test func `changes the number, and the older link is void`() async throws {
        let world = try await World()
        let app = await world.linked()
        _ = await app.post("/link")
        let older = world.newestLink
        let changed = await app.post("/link/phone", #"{"phoneNumber":"2001004015"}"#)
        #expect(changed.status == 200)
        #expect(changed.json["phone"]?.object?["masked"] == "+1******4015")
        #expect(link(in: changed)?["sendsLeft"] == 1 && link(in: changed)?["phoneEntriesLeft"] == 1)
        let stale = await world.decide("decision=approve", on: older)
        #expect(stale.status == 410 && stale.header("location") == nil)
        #expect(await world.openLink(older).status == 410)
        #expect(await app.read().json["status"] == "active")
        _ = await world.decide("decision=approve")
        #expect(await app.read().json["outcome"] == "succeeded")
    }

    @Test(arguments: [
        (#"{}"#, 400, "phone_number_required", 20103), (#"{"phoneNumber":""}"#, 400, "phone_number_required", 20103),
        (#"{"phoneNumber":null}"#, 400, "phone_number_required", 20103),
        (#"{"phoneNumber":"1-2"}"#, 400, "phone_number_invalid", 20104),
        (#"{"phoneNumber":"+12065550100"}"#, 403, "phone_number_not_allowed", 20105),
        (#"{"phoneNumber":7}"#, 400, "invalid_request", 1001),
        (#"{"phoneNumber":"2001004015","code":"1"}"#, 400, "invalid_request", 1001),
    ]) func `names what is wrong with another number`(body: String, status: Int, name: String, code: Int64) async throws
    {
        let world = try await World()
        let app = await world.linked()
        _ = await app.post("/link")
        let answer = await app.post("/link/phone", body)
        #expect(answer.status == status && refusal(of: answer) == name && answer.json["code"] == .integer(code))
        #expect(link(in: await app.read())?["sendsLeft"] == 2)
        #expect(!answer.text.contains("2065550100"))
    }

    @Test func `changes it only where the tenant allows that, and as often`() async throws {
        var options = World.Options()
        options.rules.allowPhoneChange = false
        let fixed = await (try World(options)).linked()
        #expect(link(in: await fixed.read())?["phoneEntriesLeft"] == 1)
        #expect(allowed(by: await fixed.post("/link")) == ["link.resend", "cancel"])
        let refused = await fixed.post("/link/phone", #"{"phoneNumber":"2001004015"}"#)
        #expect(refused.status == 403 && refusal(of: refused) == "phone_change_not_allowed")
        #expect(refused.json["code"] == 20106)

        options = World.Options()
        options.limits.numberEntriesPerSession = 1
        let app = await (try World(options)).linked()
        #expect(allowed(by: await app.post("/link")) == ["link.resend", "cancel"])
        let spent = await app.post("/link/phone", #"{"phoneNumber":"2001004015"}"#)
        #expect(spent.status == 403 && refusal(of: spent) == "phone_entries_exhausted" && spent.json["code"] == 20107)
    }

    @Test func `goes out three times, and the last link still counts`() async throws {
        let world = try await World()
        let app = await world.linked()
        for (call, left) in [("/link", 2), ("/link/resend", 1), ("/link/resend", 0)] {
            #expect(link(in: await app.post(call))?["sendsLeft"] == .integer(Int64(left)))
        }
        for (call, body) in [("/link/resend", "{}"), ("/link/phone", #"{"phoneNumber":"2001004015"}"#)] {
            let spent = await app.post(call, body)
            #expect(spent.status == 403 && refusal(of: spent) == "sends_exhausted" && spent.json["code"] == 20102)
            #expect(allowed(by: spent) == ["cancel"])
        }
        #expect(world.gateway.sent.count == 3)
        #expect(Set(world.gateway.sent.map(\.link)).count == 3)
        _ = await world.decide("decision=approve")
        #expect(await app.read().json["outcome"] == "succeeded")
    }

    @Test func `shares the limit of its number with codes`() async throws {
        var options = World.Options()
        options.limits.overSessions = .init()
        options.limits.overSessions?.secondsBetweenSends = 0
        options.limits.overSessions?.sendsPerQuarterHour = 1
        let world = try await World(options)
        let first = App(world, await world.start(World.mobile))
        _ = await first.redeem()
        #expect(await first.post("/otp").status == 200)
        let app = await world.linked()
        let limited = await app.post("/link")
        #expect(limited.status == 429 && refusal(of: limited) == "rate_limited" && limited.json["code"] == 20900)
        #expect(limited.header("retry-after") == "900")
        #expect(link(in: limited)?["sendsLeft"] == 3)
        _ = world.clock.advance(seconds: 899)
        #expect(await app.post("/link").status == 429)
    }

    // MARK: a carrier that refuses

    @Test func `takes a refused first link back`() async throws {
        let world = try await World()
        let app = await world.linked()
        world.gateway.refuse(true)
        let failed = await app.post("/link", #"{"requestId":"r-1"}"#)
        #expect(failed.status == 502 && refusal(of: failed) == "sms_failed" && failed.json["code"] == 20108)
        #expect(failed.json["state"]?.object?["step"] == "linkStart")
        #expect(link(in: failed) == ["sendsLeft": 3, "phoneEntriesLeft": 3])
        world.gateway.refuse(false)
        #expect(await app.post("/link", #"{"requestId":"r-1"}"#).body == failed.body, "a retry is told the same")
        #expect(await app.post("/link", #"{"requestId":"r-2"}"#).status == 200)
    }

    @Test func `asks for the number again when the first link to it was refused`() async throws {
        let world = try await World()
        let app = await world.linked(Self.withoutNumber)
        world.gateway.refuse(true)
        let failed = await app.post("/link", #"{"phoneNumber":"2001004015"}"#)
        #expect(failed.status == 502)
        #expect(failed.json["state"]?.object?["phone"] == ["needed": true])
        #expect(link(in: failed) == ["sendsLeft": 3, "phoneEntriesLeft": 3])
        world.gateway.refuse(false)
        let sent = await app.post("/link", #"{"phoneNumber":"2001004014"}"#)
        #expect(sent.json["phone"]?.object?["masked"] == "+1******4014")
    }

    @Test(arguments: ["otp", "link"])
    func `leaves Mobile Auth open when the message that would have closed it was refused`(
        fallback: String
    ) async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native(fallback: fallback)
        let walk = await app.beginMobileAuth()
        world.gateway.refuse(true)
        let failed = await app.post("/\(fallback)")
        #expect(failed.status == 502)
        #expect(allowed(by: failed) == ["mobileAuth", "mobileAuth.finish", "\(fallback).start", "cancel"])
        let fingerprint = try #require(await walk.follow())
        let answer = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(answer.json["outcome"] == "succeeded")
    }

    @Test(arguments: [("/link/resend", "{}"), ("/link/phone", #"{"phoneNumber":"2001004015"}"#)])
    func `leaves the older link as it was when a further one is refused`(call: String, body: String) async throws {
        var options = World.Options()
        options.rules.linkMatchCode = true
        let world = try await World(options)
        let app = await world.linked()
        let sent = await app.post("/link")
        _ = world.clock.advance(seconds: 30)
        world.gateway.refuse(true)
        let failed = await app.post(call, body)
        #expect(failed.status == 502)
        #expect(link(in: failed) == link(in: sent), "with its time and its match code")
        #expect(failed.json["state"]?.object?["phone"]?.object?["masked"] == "+1******4014")
        let code = link(in: sent)?["matchCode"]?.string ?? ""
        _ = await world.decide("decision=approve&matchCode=\(code)")
        #expect(await app.read().json["outcome"] == "succeeded")
    }

    // MARK: retries

    @Test func `sends once for a retry, and answers with the same bytes`() async throws {
        let world = try await World()
        let app = await world.linked()
        let calls = [
            ("/link", #"{"requestId":"r-1"}"#), ("/link/resend", #"{"requestId":"r-1"}"#),
            ("/link/phone", #"{"requestId":"r-1","phoneNumber":"2001004015"}"#),
        ]
        for (index, (call, body)) in calls.enumerated() {
            let first = await app.post(call, body)
            let again = await app.post(call, body)
            #expect(first.status == 200 && again.body == first.body)
            #expect(world.gateway.sent.count == index + 1)
        }
        let reused = await app.post("/link/phone", #"{"requestId":"r-1","phoneNumber":"2001004014"}"#)
        #expect(reused.status == 422 && refusal(of: reused) == "request_id_reused")
        #expect(await world.decide("decision=approve").status == 303, "the newest link is the one that was sent")
    }

    // MARK: what the phone is told

    private func page(
        _ userAgent: String?, displayName: String? = nil, texts: MessageTexts = .english, locale: LanguageTag? = nil,
        order: String = World.desktop
    ) async throws -> String {
        var options = World.Options()
        options.rules.displayName = displayName
        options.rules.locale = locale
        options.texts = texts
        let world = try await World(options)
        let app = await world.linked(order)
        let path = "/client/v1/session/link"
        let agent = userAgent.map { [(name: "User-Agent", value: $0)] } ?? []
        let sent = await world.client.send(World.request(.post, path, "{}", app.headers("POST", path) + agent))
        #expect(sent.status == 200)
        if let userAgent, !userAgent.isEmpty { #expect(!sent.text.contains(userAgent)) }
        let answer = await world.openLink()
        #expect(answer.status == 200)
        return answer.text
    }

    @Test func `names the browser that waits`() async throws {
        let page = try await page(Self.firefox)
        #expect(page.contains("<bdi>Firefox</bdi> on <bdi>Linux</bdi>"))
        #expect(!page.contains("Gecko"))
    }

    @Test(arguments: [
        nil, "", "curl/8.5.0", "<script>alert(1)</script>", "Your bank: call +1 900 555 0100", "\u{202E}evil",
    ]) func `repeats nothing of a browser it does not know`(userAgent: String?) async throws {
        let page = try await page(userAgent)
        for part in ["curl", "alert", "900 555", "\u{202E}", "evil"] { #expect(!page.contains(part)) }
    }

    @Test func `repeats nothing of a browser it does know`() async throws {
        let page = try await page("<b>Evil</b> \(Self.firefox) \"><script>")
        #expect(page.contains("<bdi>Firefox</bdi> on <bdi>Linux</bdi>"))
        #expect(!page.contains("Evil") && !page.contains("\"><script>"))
    }

    @Test(arguments: [("Northwind Bank", "Northwind Bank"), (nil, "Example"), ("A & <b>", "A &amp; &lt;b")])
    func `names who asks as messages do`(displayName: String?, shown: String) async throws {
        let page = try await page(Self.firefox, displayName: displayName, texts: World.texts)
        #expect(page.contains("<bdi>\(shown)"))
    }

    @Test func `names an app where messages name nobody`() async throws {
        #expect(try await page(Self.firefox).contains("<bdi>An app</bdi>"))
    }

    @Test func `speaks the language of the message`() async throws {
        let order = World.desktop.dropLast() + #","locale":"de-AT"}"#
        let german = try await page(Self.firefox, texts: World.texts, order: String(order))
        #expect(german.contains("<html lang=\"de\">") && german.contains("bittet Sie"))
        let brazilian = LanguageTag("pt-BR")
        #expect(
            try await page(Self.firefox, texts: World.texts, locale: brazilian)
                .contains("<html lang=\"pt\">"))
    }

    @Test func `names nothing of the person`() async throws {
        let page = try await page(Self.firefox)
        for part in ["2001004014", "4014", "Lorant"] { #expect(!page.contains(part)) }
    }
}
