import HTTPServer
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Services that an API client adds.
@Suite(.timeLimit(.minutes(60))) struct TwilioServicesTests {
    @Test func `adds, reads, changes, lists and removes a service`() async throws {
        let twilio = try await TwilioWorld()
        let added = await twilio.call(
            .post, "/Services",
            "FriendlyName=Shop&CodeLength=8&LookupEnabled=true&SkipSmsToLandlines=True&DtmfInputRequired=false"
                + "&Psd2Enabled=false&TtsName=alice&Push.IncludeDate=false&Totp.Issuer=Shop")
        #expect(added.status == 201)
        let sid = added.sid
        #expect(sid.hasPrefix("VA") && sid.utf8.count == 34 && sid != twilio.service())
        #expect(added.json["friendly_name"] == "Shop" && added.json["code_length"] == 8)
        #expect(added.json["lookup_enabled"] == true && added.json["skip_sms_to_landlines"] == true)
        #expect(added.json["do_not_share_warning_enabled"] == false && added.json["custom_code_enabled"] == false)
        #expect(await twilio.call(.get, "/Services/\(sid)").json == added.json)

        _ = twilio.world.clock.advance(seconds: 1)
        let changed = await twilio.call(
            .post, "/Services/\(sid)", "FriendlyName=Shop+2&LookupEnabled=false&CustomCodeEnabled=true")
        #expect(changed.status == 200 && changed.sid == sid)
        #expect(changed.json["friendly_name"] == "Shop 2" && changed.json["code_length"] == 8)
        #expect(changed.json["lookup_enabled"] == false && changed.json["skip_sms_to_landlines"] == true)
        #expect(changed.json["custom_code_enabled"] == true)
        #expect(changed.json["date_created"] == "2026-01-01T10:00:00Z")
        #expect(changed.json["date_updated"] == "2026-01-01T10:00:01Z")

        let listed = await twilio.call(.get, "/Services?PageSize=20").json["services"]?.array ?? []
        #expect(listed.compactMap { $0.object?["sid"]?.string } == [twilio.service(), sid])
        let removed = await twilio.call(.delete, "/Services/\(sid)")
        #expect(removed.status == 204 && removed.body.isEmpty)
        #expect(await twilio.call(.get, "/Services/\(sid)").code == 20404)
        #expect(await twilio.call(.delete, "/Services/\(sid)").code == 20404)
    }

    @Test(arguments: [
        ("", 60200), ("FriendlyName=", 60200), ("FriendlyName=\(String(repeating: "a", count: 33))", 60200),
        ("FriendlyName=https%3A%2F%2Fevil.example", 60200), ("FriendlyName=a&CodeLength=3", 60200),
        ("FriendlyName=a&CodeLength=11", 60200), ("FriendlyName=a&CodeLength=six", 60200),
        ("FriendlyName=a&LookupEnabled=1", 60200), ("FriendlyName=a&DtmfInputRequired=true", 60204),
        ("FriendlyName=a&Psd2Enabled=true", 60204),
        ("FriendlyName=a&DefaultTemplateSid=HJ00000000000000000000000000000000", 60200),
    ]) func `refuses a member that is not as it must be, or that it has not`(form: String, code: Int) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.call(.post, "/Services", form)
        #expect(answer.status == 400 && answer.code == Int64(code), "\(answer.text)")
        #expect(await twilio.call(.get, "/Services").json["services"]?.array?.count == 1)
    }

    @Test func `takes no service beyond 100, and no shorter codes than the operator's`() async throws {
        let twilio = try await TwilioWorld()
        for _ in 0..<100 { #expect(await twilio.call(.post, "/Services", "FriendlyName=a").status == 201) }
        #expect(await twilio.call(.post, "/Services", "FriendlyName=a").code == 60217)
        #expect(await twilio.call(.post, "/Services", "FriendlyName=a", as: "sandbox-2").status == 201)

        var options = World.Options()
        options.limits.leastCodeDigits = 6
        let live = try await TwilioWorld(options)
        let short = await live.call(.post, "/Services", "FriendlyName=a&CodeLength=5")
        #expect(short.code == 60200 && short.text.contains("CodeLength") && short.text.contains("6"))
        #expect(await live.call(.post, "/Services", "FriendlyName=a&CodeLength=6").status == 201)
    }

    @Test func `the first service can be changed, and not removed`() async throws {
        let twilio = try await TwilioWorld()
        let path = "/Services/\(twilio.service())"
        #expect(await twilio.call(.post, path, "CodeLength=8").json["friendly_name"] == "sandbox")
        #expect(await twilio.call(.get, path).json["code_length"] == 8)
        #expect(await twilio.call(.delete, path).code == 60204)
        #expect(await twilio.create().status == 201)
        #expect(twilio.world.gateway.sent.last?.code?.text.utf8.count == 8)
    }

    @Test func `codes have the service's length, and messages its name`() async throws {
        var options = World.Options()
        options.unknownNumbers = .simulate
        options.texts = MessageTexts(
            catalog: try MessageCatalog(
                defaultLocale: .english,
                entries: [
                    .init(
                        purpose: .code, channel: .sms, locales: [.english],
                        text: try MessageText("{brand}: {code}", for: .code, over: .sms)),
                    .init(
                        purpose: .link, channel: .sms, locales: [.english],
                        text: try MessageText("{link}", for: .link, over: .sms)),
                ]), brand: "Nobody")
        let twilio = try await TwilioWorld(options)
        let path = await twilio.addService("FriendlyName=Ada's+Shop&CodeLength=10")
        let number = "+12015550123"
        func send(_ more: String = "", on path: String = path, to number: String = number) async -> Response {
            await twilio.call(
                .post, "\(path)/Verifications", "To=\(TwilioWorld.encoded(number))&Channel=sms\(more)")
        }
        let sent = await send()
        #expect(sent.status == 201 && "/Services/\(sent.json["service_sid"]?.string ?? "")" == path)
        let message = try #require(twilio.world.gateway.sent.last)
        #expect(message.code?.text.utf8.count == 10 && message.text == "Ada's Shop: \(message.code!.text)")
        #expect(await send("&CustomFriendlyName=Other", to: "+12015550124").status == 201)
        #expect(twilio.world.gateway.sent.last?.text.hasPrefix("Other: ") == true)
        #expect(await send("&CustomFriendlyName=evil.example%2Fa", to: "+12015550125").code == 60200)
        #expect(await send("&CustomCode=123456", to: "+12015550125").code == 60204, "not enabled")
        #expect(await twilio.create(number).status == 201)
        #expect(twilio.world.gateway.sent.last?.text.hasPrefix("Nobody: ") == true, "the first service has no name")
    }

    @Test func `verifications of one service are not found in another`() async throws {
        let twilio = try await TwilioWorld()
        let (one, other) = (await twilio.addService(), await twilio.addService())
        let form = "To=%2B12001004014&Channel=sms"
        let sid = await twilio.call(.post, "\(one)/Verifications", form).sid
        #expect(await twilio.call(.post, "\(one)/Verifications", form).sid == sid, "another message of the same one")
        for path in [other, "/Services/\(twilio.service())"] {
            for name in [sid, "%2B12001004014"] {
                #expect(await twilio.call(.get, "\(path)/Verifications/\(name)").code == 20404)
                #expect(await twilio.call(.post, "\(path)/Verifications/\(name)", "Status=canceled").code == 20404)
            }
            for check in ["To=%2B12001004014", "VerificationSid=\(sid)"] {
                #expect(await twilio.call(.post, "\(path)/VerificationCheck", "\(check)&Code=123456").code == 20404)
            }
        }
        let own = await twilio.create()
        #expect(own.status == 201 && own.sid != sid, "each service has its own verification of a number")
        let second = await twilio.call(.post, "\(other)/Verifications", form).sid
        #expect(second != sid && second != own.sid)
        let right = await twilio.call(.post, "\(one)/VerificationCheck", "To=%2B12001004014&Code=123456")
        #expect(right.state == "approved" && right.sid == sid)
        #expect(await twilio.get("/Verifications/\(own.sid)").state == "pending")
        #expect(await twilio.call(.get, "\(other)/Verifications/%2B12001004014").sid == second)
    }

    @Test func `attempts tell their service, and are listed by it`() async throws {
        let twilio = try await TwilioWorld()
        let path = await twilio.addService()
        _ = await twilio.call(.post, "\(path)/Verifications", "To=%2B12001004014&Channel=sms")
        _ = twilio.world.clock.advance(seconds: 1)
        _ = await twilio.create()
        func services(_ query: String) async -> [String] {
            (await twilio.call(.get, "/Attempts\(query)").json["attempts"]?.array ?? [])
                .compactMap { $0.object?["service_sid"]?.string }
        }
        let added = String(path.dropFirst("/Services/".utf8.count))
        #expect(await services("") == [twilio.service(), added])
        #expect(await services("?VerifyServiceSid=\(added)") == [added])
        #expect(
            await services("?ChannelData.To=%2B12001004014&VerifyServiceSid=\(twilio.service())") == [twilio.service()])
    }

    @Test func `another client's service is 404`() async throws {
        let twilio = try await TwilioWorld()
        let path = await twilio.addService()
        #expect(await twilio.call(.get, path, as: "sandbox-2").code == 20404)
        #expect(await twilio.call(.post, path, "CodeLength=4", as: "sandbox-2").code == 20404)
        #expect(await twilio.call(.delete, path, as: "sandbox-2").code == 20404)
        #expect(
            await twilio.call(.post, "\(path)/Verifications", "To=%2B12001004014&Channel=sms", as: "sandbox-2").code
                == 20404)
        #expect(await twilio.call(.get, path).status == 200)
    }
}
