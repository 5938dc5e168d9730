import HTTPServer
import Possession
import PreludeSurface
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

@Suite(.timeLimit(.minutes(60))) struct PreludeCreateTests {
    @Test func `sends a code, and another one in the same window under the same id`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld()
        let first = await prelude.create(
            PreludeWorld.stranger, #","metadata":{"correlation_id":"order-7"}"#
        ).json
        #expect(first["status"]?.string == "success" && first["method"]?.string == "message")
        #expect(first["channels"] == .array([.string("sms")]))
        #expect(first["metadata"]?.object?["correlation_id"]?.string == "order-7")
        let id = try #require(first["id"]?.string)
        #expect(id.utf8.count == 30 && id.hasPrefix("vrf_"))
        let again = await prelude.create(PreludeWorld.stranger).json
        #expect(again["status"]?.string == "retry" && again["id"]?.string == id)
        #expect(prelude.codes.count == 2)
        #expect(prelude.codes.allSatisfy { $0.utf8.count == 6 })
        let firstCode = try #require(prelude.codes.first)
        #expect(await prelude.checked(firstCode, PreludeWorld.stranger) == "success", "any code of the window passes")
    }

    @Test(arguments: [
        ("shop.example", "https://shop.example", true), ("SHOP.example", "https://shop.example:8443", true),
        ("https://shop.example", "https://shop.example", true), ("evil.example", "https://shop.example", false),
        ("shop.example.evil.example", "https://shop.example", false), ("example", "https://shop.example", false),
        ("shop.example:8443", "https://shop.example:8443", false), ("localhost", "http://localhost", false),
    ]) func `a page that the client has registered reads the code`(value: String, origin: String, reads: Bool)
        async throws
    {
        let prelude = try await PreludeWorld.ofTheWorld { $0.rules.allowedOrigins = [origin] }
        let answer = await prelude.create(
            PreludeWorld.stranger, #","options":{"app_realm":{"platform":"web","value":"\#(value)"}}"#)
        guard reads else {
            #expect(answer.status == 400 && prelude.codes.isEmpty, "\(answer.text)")
            return
        }
        let code = try #require(prelude.codes.first)
        let line = prelude.world.gateway.sent.first?.text.split(separator: "\n").last
        #expect(line?.lowercased() == "@shop.example #\(code)")
    }

    @Test func `hosts of messages and of links are registered as well`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld {
            $0.rules.messageHost = "codes.shop.example"
            $0.rules.finalTargetHosts = ["*.pay.example"]
        }
        for (host, status) in [("codes.shop.example", 200), ("a.pay.example", 200), ("pay.example", 400)] {
            let answer = await prelude.create(
                PreludeWorld.stranger, #","options":{"app_realm":{"platform":"web","value":"\#(host)"}}"#)
            #expect(answer.status == status, "\(host)")
        }
    }

    @Test func `words each message in the language of its own call`() async throws {
        var options = World.Options()
        options.texts = World.texts
        let prelude = try await PreludeWorld(options)
        for (more, expected) in [
            (#","options":{"locale":"de-DE"}"#, "de "), (#","options":{"locale":"pt-BR"}"#, "pt-BR "), ("", "pt-BR "),
        ] {
            #expect(await prelude.create(PreludeWorld.lorant, more).status == 200)
            #expect(prelude.world.gateway.sent.last?.text.hasPrefix(expected) == true, "\(more)")
        }
        #expect(prelude.world.gateway.sent.count == 3)
    }

    @Test func `begins another window once the first is over`() async throws {
        let prelude = try await PreludeWorld()
        let first = await prelude.create().json["id"]?.string
        _ = prelude.world.clock.advance(seconds: 599)
        #expect(await prelude.create().json["id"]?.string == first)
        _ = prelude.world.clock.advance(seconds: 1)
        #expect(await prelude.checked("123456") == "expired_or_not_found")
        let other = await prelude.create().json
        #expect(other["status"]?.string == "success" && other["id"]?.string != first)
    }

    @Test func `refuses the sixth message of a window, and an SDK does not repeat it`() async throws {
        let prelude = try await PreludeWorld()
        for _ in 0..<5 { #expect(await prelude.create().status == 200) }
        let sixth = await prelude.create()
        #expect(sixth.status == 429 && code(of: sixth) == "too_many_attempts")
        #expect(sixth.header("x-should-retry") == "false" && sixth.json["request_id"]?.string == "q")
        #expect(sixth.header("retry-after") == "600")
        #expect(prelude.codes.count == 5)
        #expect(await prelude.checked("123456") == "success", "the window takes a code all the same")
    }

    @Test func `of many calls at the same time one begins the window`() async throws {
        let prelude = try await PreludeWorld()
        let answers = await withTaskGroup(of: JSONObject.self) { group in
            for _ in 0..<5 { group.addTask { await prelude.create().json } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.compactMap { $0["id"]?.string }).count == 1)
        #expect(answers.count { $0["status"]?.string == "success" } == 1)
        #expect(prelude.codes.count == 5)
    }

    @Test func `sends the backend's own code, in its own length`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld()
        _ = await prelude.create(PreludeWorld.stranger, #","options":{"custom_code":"20204"}"#)
        _ = await prelude.create("+12015550124", #","options":{"code_size":8}"#)
        #expect(prelude.codes.first == "20204" && prelude.codes.last?.utf8.count == 8)
        #expect(await prelude.checked("20204", PreludeWorld.stranger) == "success")
    }

    @Test func `the backend's own code passes for a sandbox user in place of the fixed one`() async throws {
        let prelude = try await PreludeWorld()
        _ = await prelude.create(PreludeWorld.lorant, #","options":{"custom_code":"202045"}"#)
        #expect(prelude.codes == ["202045"])
        #expect(await prelude.checked("123456") == "failure")
        #expect(await prelude.checked("202045") == "success")
    }

    @Test func `goes by the channels that the server has`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld { $0.limits.channels = [.sms, .whatsapp, .viber, .voice] }
        let call = await prelude.create("+12015550125", #","options":{"method":"voice"}"#).json
        #expect(call["method"]?.string == "voice" && call["channels"] == .array([.string("voice")]))
        let both = await prelude.create("+12015550126", #","options":{"channels":["whatsapp","sms"]}"#).json
        #expect(both["channels"] == .array([.string("whatsapp"), .string("sms")]))
        _ = await prelude.create("+12015550127", #","options":{"preferred_channel":"telegram"}"#)
        let viber = await prelude.create("+12015550129", #","options":{"preferred_channel":"viber"}"#).json
        #expect(viber["channels"] == .array([.string("viber")]))
        #expect(prelude.world.gateway.sent.map(\.channel) == [.voice, .whatsapp, .sms, .viber])
        let none = await prelude.create("+12015550128", #","options":{"channels":["rcs"]}"#)
        #expect(none.status == 403 && code(of: none) == "channel_not_enabled_in_region")
    }

    @Test func `answers blocked with 200, an id and a reason, and sends nothing`() async throws {
        let prelude = try await PreludeWorld.ofTheWorld()
        let blocked = PhoneNumber(e164: PreludeWorld.stranger)!
        _ = try await prelude.lists.add(
            blocked, to: .blocked, of: ClientID("sandbox")!, at: prelude.world.clock.now())
        let answer = await prelude.create(PreludeWorld.stranger)
        #expect(answer.status == 200 && answer.json["status"]?.string == "blocked")
        #expect(
            answer.json["reason"]?.string == "in_block_list" && answer.json["id"]?.string?.hasPrefix("vrf_") == true)
        #expect(await prelude.create(PreludeWorld.stranger, as: "sandbox-2").json["status"]?.string == "success")
        #expect(prelude.codes.count == 1)
    }

    @Test func `blocks a number that has had too many messages, and opens no window`() async throws {
        var options = World.limited { $0.sendsPerQuarterHour = 1 }
        options.users = nil
        options.rules.callingCodes = ["1"]
        let prelude = try await PreludeWorld(options)
        #expect(await prelude.create(PreludeWorld.stranger).json["status"]?.string == "success")
        #expect(await prelude.create(PreludeWorld.stranger).json["reason"]?.string == "repeated_attempts")
        _ = prelude.world.clock.advance(seconds: 600)
        let other = await prelude.create(PreludeWorld.stranger).json
        #expect(other["status"]?.string == "blocked" && other["risk_factors"] != nil)
        #expect(await prelude.checked("123456", PreludeWorld.stranger) == "expired_or_not_found")
    }

    @Test func `names the field and Prelude's own code of it`() async throws {
        let prelude = try await PreludeWorld()
        let cases: [(more: String, code: String, param: String?)] = [
            (#","options":{"code_size":3}"#, "invalid_code_size", "options.code_size"),
            (#","options":{"code_size":9}"#, "invalid_code_size", "options.code_size"),
            (#","options":{"custom_code":"123"}"#, "invalid_custom_code", "options.custom_code"),
            (#","options":{"custom_code":"123456789"}"#, "invalid_custom_code", "options.custom_code"),
            (#","options":{"custom_code":"12a456"}"#, "invalid_custom_code", "options.custom_code"),
            (#","options":{"custom_code":"123456","code_size":6}"#, "custom_size_conflict", "options.custom_code"),
            (#","options":{"locale":"!"}"#, "invalid_locale", "options.locale"),
            (#","options":{"template_id":"prelude:other"}"#, "invalid_template_id", "options.template_id"),
            (
                #","options":{"app_realm":{"platform":"web","value":"example.com"}}"#, "invalid_app_realm_value",
                "options.app_realm.value"
            ),
            (
                #","options":{"app_realm":{"platform":"android","value":"FA+9qCX9VSu"}}"#, "invalid_app_realm_value",
                "options.app_realm.value"
            ),
            (#","options":{"variables":{"a":1}}"#, "invalid_template_variables", "options.variables"),
            (#","options":{"callback_url":"callback_url"}"#, "invalid_callback_url", "options.callback_url"),
            (
                #","options":{"app_realm":{"platform":"android","value":"short"}}"#, "invalid_app_realm_value",
                "options.app_realm.value"
            ),
            (
                #","options":{"app_realm":{"platform":"tv","value":"x"}}"#, "invalid_app_realm_platform",
                "options.app_realm.platform"
            ),
            (#","options":{"app_realm":7}"#, "invalid_app_realm", "options.app_realm"),
            (#","options":{"channels":["sms"],"preferred_channel":"sms"}"#, "invalid_request", "options.channels"),
            (#","options":{"channels":["sms","sms"]}"#, "invalid_request", "options.channels"),
            (#","options":{"force_challenge":true}"#, "invalid_request", "options.force_challenge"),
            (
                #","metadata":{"correlation_id":"\#(String(repeating: "x", count: 81))"}"#, "invalid_correlation_id",
                "metadata.correlation_id"
            ),
            (#","signals":{"device_id":7}"#, "invalid_device_id", "signals.device_id"),
            (#","signals":{"os_version":7}"#, "invalid_os_version", "signals.os_version"),
            (#","dispatch_id":"x""#, "invalid_request", "dispatch_id"),
        ]
        for (more, expected, param) in cases {
            let answer = await prelude.create(PreludeWorld.lorant, more)
            #expect(answer.status == 400 && code(of: answer) == expected, "\(more)")
            #expect(answer.json["param"]?.string == param, "\(more)")
        }
        let accepted = await prelude.create(
            PreludeWorld.lorant,
            #","options":{"sender_id":"Shop","max_auto_fallbacks":0,"force_challenge":false,"unknown":1},"later":[1]"#)
        #expect(accepted.status == 200)
        #expect(prelude.codes.count == 1)
    }

    @Test(arguments: ["12001004014", "+12", "+1200100401x", "+1234567890123456"])
    func `a text that is no number is blocked, without a window`(number: String) async throws {
        let prelude = try await PreludeWorld()
        let answer = await prelude.create(number, #","metadata":{"correlation_id":"c"}"#)
        #expect(answer.status == 200 && answer.json["status"]?.string == "blocked")
        #expect(answer.json["reason"]?.string == "invalid_phone_number")
        #expect(answer.json["metadata"]?.object?["correlation_id"]?.string == "c")
        #expect(try await prelude.world.store.recentSessions(limit: 1).isEmpty)
    }

    @Test func `no text at all is an error`() async throws {
        let answer = try await PreludeWorld().create("")
        #expect(answer.status == 400 && code(of: answer) == "invalid_phone_number")
        #expect(answer.json["param"]?.string == "target.value")
    }

    @Test func `verifies no e-mail address without a way for e-mail, and says so`() async throws {
        let prelude = try await PreludeWorld()
        let answer = await prelude.call(
            .post, "/v2/verification", #"{"target":{"type":"email_address","value":"a@example.com"}}"#)
        #expect(answer.status == 403 && code(of: answer) == "email_verification_not_allowed")
    }

    @Test func `gives a send back that the carrier refuses`() async throws {
        let prelude = try await PreludeWorld()
        prelude.world.gateway.refuse(true)
        #expect(await prelude.create().status == 502)
        prelude.world.gateway.refuse(false)
        for _ in 0..<5 { #expect(await prelude.create().status == 200) }
        #expect(await prelude.create().status == 429)
    }

    @Test func `lets in by the API key only`() async throws {
        let prelude = try await PreludeWorld()
        let body = #"{"target":{"type":"phone_number","value":"+12001004014"}}"#
        for (value, expected) in [
            (nil, "missing_api_key"), ("Bearer My API Token", "invalid_api_key"), ("Bearer sandbox", "invalid_api_key"),
            ("Bearer hf_test_sandbo", "invalid_api_key"), ("Bearer sdk_sandbox", "invalid_api_key"),
            ("Bearer sandbox:sandbox-secret", "invalid_api_key"),
            ("Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA==", "invalid_api_key"), ("Bearer :", "invalid_api_key"),
        ] as [(String?, String)] {
            let headers = value.map { [(name: "Authorization", value: $0)] } ?? []
            let answer = await prelude.client.send(World.request(.post, "/prelude/v2/verification", body, headers))
            #expect(answer.status == 401 && code(of: answer) == expected, "\(value ?? "none")")
        }
        #expect(prelude.codes.isEmpty)
    }

    @Test func `an open window of another product or tenant is no window here`() async throws {
        let prelude = try await PreludeWorld()
        let mine = await prelude.create().json["id"]?.string
        let other = await prelude.create(as: "sandbox-2").json
        #expect(other["status"]?.string == "success" && other["id"]?.string != mine)
        #expect(await prelude.world.post("/v3/unify", World.mobile).status == 200)
        #expect(await prelude.create().json["id"]?.string == mine)
    }
}
