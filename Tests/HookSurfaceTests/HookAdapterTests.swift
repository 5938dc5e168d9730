import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Bodies and credentials of the servers that have a way of their own.
@Suite(.timeLimit(.minutes(60))) struct HookAdapterTests {
    private static func post(
        _ hooks: HookWorld, _ path: String, _ body: String, _ credential: (name: String, value: String)? = nil,
        contentType: String = "application/json"
    ) async -> Response {
        await hooks.client.send(
            World.request(.post, path, body, [credential ?? hooks.basic()], contentType: contentType))
    }

    @Test(arguments: ["12065550123", "+12065550123"])
    func `Logto's digits are a number with country code, and its address counts`(number: String) async throws {
        let hooks = try await HookWorld()
        let body = #"{"to":"\#(number)","type":"SignIn","payload":{"code":"123456"},"ip":"192.0.2.7"}"#
        let answer = await Self.post(hooks, "/hooks/logto", body)
        #expect(answer.status == 200 && answer.json == JSONObject())
        #expect(hooks.world.gateway.sent.map(\.to.text) == ["+12065550123"] && hooks.codes == ["123456"])
    }

    @Test(arguments: [
        (#"{"to":"6582345678","type":"SignIn","payload":{}}"#, "payload.code"),
        (#"{"to":"12065550123","type":"Generic"}"#, "payload"),
        (#"{"to":"","payload":{"code":"123456"}}"#, "to"), (#"{"to":"1","payload":{"code":"123456"}}"#, "to"),
        (#"{"to":"12065550123","payload":{"code":"A1B2C3"}}"#, "payload.code"),
    ])
    func `a member of Logto that is not as it must be is named`(body: String, member: String) async throws {
        let hooks = try await HookWorld()
        let answer = await Self.post(hooks, "/hooks/logto", body)
        #expect(answer.status == 400 && answer.hookMessage.contains("'\(member)'") && hooks.codes.isEmpty)
    }

    /// Else a number of Singapore would be one of North America.
    @Test func `no digit is put before Logto's number`() async throws {
        let hooks = try await HookWorld()
        _ = await Self.post(hooks, "/hooks/logto", #"{"to":"6582345678","payload":{"code":"123456"}}"#)
        #expect(hooks.world.gateway.sent.map(\.to.text) == ["+6582345678"])
    }

    @Test func `Authgear reads in a word what came of it`() async throws {
        let hooks = try await HookWorld()
        func ask(_ members: String, _ credential: (name: String, value: String)? = nil) async -> Response {
            await Self.post(hooks, "/hooks/authgear", "{\(members)}", credential)
        }
        let whole = #""to":"+12065550123","body":"x","app_id":"a","template_variables":{"code":"123456","phone":"+1"}"#
        let sent = await ask(whole)
        #expect(sent.status == 200 && sent.json == ["code": "ok"] && hooks.codes == ["123456"])
        let refused = [
            (await ask(#""to":"2065550123","template_variables":{"code":"123456"}"#), 400, "invalid_phone_number"),
            (await ask(#""to":"+1","template_variables":{"code":"123456"}"#), 400, "invalid_phone_number"),
            (await ask(#""to":"+12065550123","template_variables":{}"#), 400, "delivery_rejected"),
            (await ask(#""to":"+12065550123","body":"no code""#), 400, "delivery_rejected"),
            (await ask(whole, hooks.basic("sandbox", shown: "wrong")), 401, "authentication_failed"),
        ]
        for (answer, status, code) in refused {
            #expect(answer.status == status && answer.json["code"] == .string(code), "\(answer.hookMessage)")
        }
        #expect(hooks.codes == ["123456"])
    }

    @Test func `Authgear is told of limits and closed countries`() async throws {
        let limited = try await HookWorld { $0.limits.overSessions = .init() }
        let body = #"{"to":"+12065550123","template_variables":{"code":"123456"}}"#
        let next = #"{"to":"+12065550123","template_variables":{"code":"654321"}}"#
        #expect(await Self.post(limited, "/hooks/authgear", body).status == 200)
        let refused = await Self.post(limited, "/hooks/authgear", next)
        #expect(refused.status == 429 && refused.json["code"] == "rate_limited")
        let closed = try await HookWorld { $0.rules.callingCodes = ["49"] }
        let answer = await Self.post(closed, "/hooks/authgear", body)
        #expect(answer.status == 403 && answer.json["code"] == "delivery_rejected")
    }

    @Test func `FusionAuth and Casdoor call the number phoneNumber`() async throws {
        let hooks = try await HookWorld()
        let fusion =
            #"{"code":"123456","phoneNumber":"+12065550123","textMessage":"Your code is 123456","type":"SMS","userId":"u"}"#
        #expect(await Self.post(hooks, "/hooks/kratos", fusion).status == 200)
        let form = "code=654321&phoneNumber=%2B12065550199"
        #expect(
            await Self.post(hooks, "/hooks/kratos", form, contentType: "application/x-www-form-urlencoded").status
                == 200)
        #expect(hooks.codes == ["123456", "654321"])
        let bare = await Self.post(hooks, "/hooks/kratos", #"{"phoneNumber":"2065550123","code":"123456"}"#)
        #expect(bare.status == 400 && bare.hookMessage.contains("'phoneNumber'"))
    }

    /// In a form a plus that is not encoded is a blank.
    @Test(arguments: [
        ("to=%2B12065550123&code=123456&from=Shop", 200), ("to=+12065550123&code=123456", 400),
        ("code=123456", 400), ("to=%2B12065550123&code=123456&code=654321", 400), ("to=%2B12065550123", 400),
    ])
    func `the plain call takes a form`(form: String, status: Int) async throws {
        let hooks = try await HookWorld()
        let answer = await Self.post(
            hooks, "/hooks/kratos", form, contentType: "application/x-www-form-urlencoded; charset=UTF-8")
        #expect(answer.status == status && hooks.codes == (status == 200 ? ["123456"] : []))
    }

    @Test func `a bearer is the id, a full stop and the hook secret`() async throws {
        let hooks = try await HookWorld()
        let secret = HookSecret(hooks.secret()).text
        func ask(_ word: String, _ path: String = "/hooks/kratos") async -> Int {
            await Self.post(
                hooks, path, #"{"to":"+12065550123","code":"123456","payload":{"code":"123456"}}"#,
                ("Authorization", "Bearer " + word)
            ).status
        }
        #expect(await ask("sandbox." + secret) == 200)
        #expect(await ask("sandbox." + secret, "/hooks/logto") == 200)
        for wrong in [
            secret, "." + secret, "sandbox.", "sandbox", "sandbox-2." + secret, "sandbox:" + secret,
            "sandbox.\(secret).x", "sandbox.sandbox-secret",
        ] {
            #expect(await ask(wrong) == 401, "\(wrong.count)")
        }
    }
}
