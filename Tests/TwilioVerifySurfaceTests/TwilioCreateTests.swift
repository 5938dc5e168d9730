import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import SurfaceKit
import TestSupport
import Testing

@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// `POST .../Verifications`.
@Suite(.timeLimit(.minutes(60))) struct TwilioCreateTests {
    @Test func `sends a code, and answers as the vendor does`() async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.create()
        #expect(answer.status == 201)
        let sid = answer.sid
        #expect(sid.hasPrefix("VE") && sid.utf8.count == 34)
        let expected: JSONObject = [
            "sid": .string(sid), "service_sid": .string(twilio.service()), "account_sid": .string(twilio.account()),
            "to": "+12001004014", "channel": "sms", "status": "pending", "valid": false, "amount": .null,
            "payee": .null, "date_created": "2026-01-01T10:00:00Z", "date_updated": "2026-01-01T10:00:00Z",
            "lookup": [:],
            "send_code_attempts": [
                [
                    "time": "2026-01-01T10:00:00Z", "channel": "SMS",
                    "attempt_sid": .string("VL" + sid.dropFirst(2).prefix(12) + "1" + sid.dropFirst(15)),
                ]
            ], "sna": .null,
            "url": .string("\(World.publicURL)/twilio-verify/v2/Services/\(twilio.service())/Verifications/\(sid)"),
        ]
        #expect(answer.json == expected)
        #expect(twilio.world.gateway.sent.map(\.code?.text) == ["123456"])
    }

    @Test func `sends another code of the same verification, each by its channel, and no sixth`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let number = "+12015550123"
        let first = await twilio.create(number)
        for channel in ["call", "whatsapp", "sms", "sms"] {
            let again = await twilio.create(number, by: channel)
            #expect(again.status == 201 && again.sid == first.sid && again.json["channel"]?.string == channel)
        }
        _ = twilio.world.clock.advance(seconds: 10)
        let sixth = await twilio.create(number)
        #expect(sixth.status == 429 && sixth.code == 60203)
        #expect(sixth.header("Retry-After") == "590")
        let sent = twilio.world.gateway.sent
        #expect(sent.map(\.channel) == [.sms, .voice, .whatsapp, .sms, .sms])
        let attempts = await twilio.get("/Verifications/\(first.sid)").json["send_code_attempts"]?.array ?? []
        #expect(attempts.map { $0.object?["channel"]?.string } == ["SMS", "CALL", "WHATSAPP", "SMS", "SMS"])
        #expect(Set(attempts.compactMap { $0.object?["attempt_sid"]?.string }).count == 5)
        // Each message has a code of its own, and the first one is still taken.
        #expect(await twilio.check(sent[0].code!.text, number).state == "approved")
    }

    @Test func `words each message in the language of its own call`() async throws {
        var options = World.Options()
        options.texts = World.texts
        let twilio = try await TwilioWorld(options)
        for (more, expected) in [("&Locale=de", "de "), ("&Locale=pt-BR", "pt-BR "), ("", "pt-BR ")] {
            #expect(await twilio.create(TwilioWorld.lorant, more).status == 201)
            #expect(twilio.world.gateway.sent.last?.text.hasPrefix(expected) == true, "\(more)")
        }
        #expect(twilio.world.gateway.sent.count == 3)
    }

    @Test func `begins another verification once one is over`() async throws {
        let twilio = try await TwilioWorld()
        let first = await twilio.create()
        _ = await twilio.check(TwilioWorld.right)
        let second = await twilio.create()
        #expect(second.status == 201 && second.sid != first.sid)
        _ = twilio.world.clock.advance(seconds: 600)
        let third = await twilio.create()
        #expect(third.status == 201 && third.sid != second.sid)
    }

    @Test func `begins one verification for many calls at once, and sends five codes`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<12 { group.addTask { await twilio.create("+12015550123") } }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        let created = answers.filter { $0.status == 201 }
        #expect(created.count == 5 && Set(created.map(\.sid)).count == 1)
        #expect(answers.count { $0.code == 60203 } == 7)
        #expect(twilio.world.gateway.sent.count == 5)
    }

    @Test func `takes numbers as people write them, and shows them in E 164`() async throws {
        let twilio = try await TwilioWorld()
        let first = await twilio.create("+1-200-100-4014")
        #expect(first.status == 201 && first.json["to"] == "+12001004014")
        #expect(await twilio.create("+1 (200) 100.4014").sid == first.sid)
    }

    @Test(arguments: [
        "To=%2B12001004014", "Channel=sms", "To=&Channel=sms", "To=%2B12001004014&Channel=", "To=abc&Channel=sms",
        "To=%2B1&Channel=sms", "To=%2B12001004014&Channel=pigeon", "To=%2B12001004014&Channel=SMS",
        "To=%2B12001004014&Channel=sms&Channel=sms", "To=%2B12001004014&Channel=sms&CustomCode=123",
        "To=%2B12001004014&Channel=sms&CustomCode=12345678901", "To=%2B12001004014&Channel=sms&CustomCode=12a4",
        "To=%2B12001004014&Channel=sms&RiskCheck=maybe", "To=%2B12001004014&Channel=sms&Tags=%5B%5D",
        "To=%2B12001004014&Channel=sms&RateLimits=%7B%22ip%22%3A+%221.2.3.4%22%7D",
        "To=%2B12001004014&Channel=sms&TemplateSid=HJ00000000000000000000000000000000",
        "To=%2B12001004014&Channel=sms&SendDigits=ww1", "To=%2B12001004014&Channel=sms&EnableSnaClientToken=1",
        "To=%2B12001004014%zz&Channel=sms", "To=%2B12065550123&Channel=sms",
    ]) func `refuses a parameter that is not as it must be`(form: String) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.post("/Verifications", form)
        #expect(answer.status == 400 && answer.code == 60200, "\(answer.text)")
        #expect(answer.json["more_info"] == "https://www.twilio.com/docs/errors/60200")
        #expect(answer.json["status"] == 400)
        #expect(twilio.world.gateway.sent.isEmpty)
    }

    @Test func `takes what has no effect`() async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.create(
            TwilioWorld.lorant,
            "&AppHash=AAAAAAAAAAA&RiskCheck=disable&EnableSnaClientToken=False"
                + "&ChannelConfiguration=%7B%22a%22%3A%22b%22%7D&Tags=%7B%22a%22%3A+%22b%22%7D&RateLimits=%7B%7D"
                + "&Locale=de&DeviceIp=unknown&Unheard=of")
        #expect(answer.status == 201)
        #expect(twilio.world.gateway.sent.count == 1)
    }

    @Test(arguments: ["email", "sna", "auto"]) func `refuses a channel that it has not`(channel: String) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.create(channel == "email" ? "a@shop.example" : TwilioWorld.lorant, by: channel)
        #expect(answer.status == 403 && answer.code == 60223)
    }

    @Test func `refuses a channel that no gateway carries`() async throws {
        let twilio = try await TwilioWorld(carries: { $0 == .sms })
        #expect(await twilio.create(by: "call").code == 60223)
        #expect(await twilio.create(by: "sms").status == 201)
    }

    @Test(arguments: ["CustomMessage=hello", "Amount=3", "Payee=Shop"])
    func `refuses what would bind or word the message in another way`(more: String) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.create(TwilioWorld.lorant, "&\(more)")
        #expect(answer.status == 400 && answer.code == 60204)
        #expect(twilio.world.gateway.sent.isEmpty)
    }

    @Test func `sends the code that the backend has made`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber()
        let number = "+12015550123"
        #expect(await twilio.create(number, "&CustomCode=20202020").status == 201)
        #expect(twilio.world.gateway.sent.map(\.code?.text) == ["20202020"])
        #expect(await twilio.check("20202021", number).state == "pending")
        #expect(await twilio.check("20202020", number).state == "approved")
    }

    @Test func `counts no send that the carrier refuses, and tells so`() async throws {
        let twilio = try await TwilioWorld()
        twilio.world.gateway.refuse(true)
        let refused = await twilio.create()
        #expect(refused.status == 503 && refused.code == 20503)
        #expect(await twilio.check(TwilioWorld.right).state == "pending", "no code has left")
        twilio.world.gateway.refuse(false)
        for _ in 0..<5 { #expect(await twilio.create().status == 201) }
        #expect(await twilio.create().code == 60203)
    }

    @Test func `sends nothing to a country that is closed`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber { $0.rules.callingCodes = ["44"] }
        let answer = await twilio.create("+12015550123")
        #expect(answer.status == 403 && answer.code == 60605)
        #expect(await twilio.create("+447400123456").status == 201)
    }

    /// Libraries read 60203 as final, and 20429 as a reason to try again after `Retry-After`.
    @Test func `answers each limit that time ends with 20429, and says when`() async throws {
        let number = "+12015550123"
        let twilio = try await TwilioWorld(World.limited { $0.sendsPerQuarterHour = 2 })
        for _ in 0..<2 { #expect(await twilio.create(number, "&DeviceIp=192.0.2.7").status == 201) }
        let third = await twilio.create(number, "&DeviceIp=192.0.2.7")
        #expect(third.status == 429 && third.code == 20429 && third.header("Retry-After") == "900")

        let other = try await TwilioWorld(World.limited { $0.sizes = BucketSizes(address: 2) })
        for end in 1...2 { #expect(await other.create("+1201555012\(end)", "&DeviceIp=192.0.2.7").status == 201) }
        let soon = Int(await other.create(number, "&DeviceIp=192.0.2.7").header("Retry-After") ?? "") ?? 0
        #expect((30...60).contains(soon), "answers are due")
        _ = other.world.clock.advance(seconds: 180)
        let many = await other.create(number, "&DeviceIp=192.0.2.7")
        #expect(many.status == 429 && many.code == 20429)
        #expect((129_420...129_421).contains(Int(many.header("Retry-After") ?? "") ?? 0), "when its next token returns")
        #expect(await other.create(number, "&DeviceIp=198.51.100.8").status == 201)
    }

    @Test func `a second message within the pause is too early, and no used-up verification`() async throws {
        let twilio = try await TwilioWorld(World.limited { $0.secondsBetweenSends = 30 })
        let number = "+12015550123"
        let sid = await twilio.create(number, "&DeviceIp=192.0.2.7").sid
        let early = await twilio.create(number, "&DeviceIp=192.0.2.7")
        #expect(early.status == 429 && early.code == 20429 && early.header("Retry-After") == "30", "\(early.text)")
        _ = twilio.world.clock.advance(seconds: 30)
        #expect(await twilio.create(number, "&DeviceIp=192.0.2.7").sid == sid)
    }

    @Test func `sends no text message to a landline, and calls it`() async throws {
        let twilio = try await TwilioWorld.ofAnyNumber { $0.kinds = ["+44207": .fixedLine, "+4930": .fixedLine] }
        for landline in ["+442079460123", "+493012345678"] {
            let refused = await twilio.create(landline)
            #expect(refused.status == 400 && refused.code == 60205, "\(refused.text)")
            #expect(await twilio.create(landline, by: "call").status == 201)
        }
        // The plan of North America does not tell them apart.
        #expect(await twilio.create("+12015550123").status == 201)
        #expect(twilio.world.gateway.sent.map(\.channel) == [.voice, .voice, .sms])
    }

    @Test func `a code of the backend counts for the address, and the backend's word pays for it`() async throws {
        let twilio = try await TwilioWorld(World.limited())
        func create(_ index: Int) async -> Response {
            await twilio.create("+1206\(550 + index)0100", "&DeviceIp=192.0.2.7&CustomCode=20202020")
        }
        let first = await create(0).sid
        for index in 1..<6 { #expect(await create(index).status == 201, "\(index)") }
        #expect(await create(6).code == 20429)
        #expect(await twilio.update(first, "approved").state == "approved")
        #expect(await create(6).status == 201, "approved")
        #expect(await twilio.check("20202020", "+12065510100").state == "approved")
        #expect(await create(7).status == 201, "the right code")
    }

    @Test func `calls without an address are one network, and hold no address`() async throws {
        let twilio = try await TwilioWorld(World.limited { $0.sizes = BucketSizes(address: 1, network: 6) })
        for index in 0..<11 {
            #expect(await twilio.create(World.number(index * 10_000)).status == (index < 10 ? 201 : 429))
        }
        #expect(twilio.world.hits.withLock { $0 } == [.sendsPerNetwork])
        #expect(await twilio.create(World.number(900_000), "&DeviceIp=192.0.2.8").status == 201)
    }

    @Test func `the description names every parameter of the vendor`() throws {
        let create = try #require(TwilioSurface.description.operations.first { $0.id == "CreateVerification" })
        let names = try #require(create.body?.schema.object["properties"]?.object?.names)
        let vendor = [
            "To", "Channel", "CustomFriendlyName", "CustomMessage", "SendDigits", "Locale", "CustomCode", "Amount",
            "Payee",
            "RateLimits", "ChannelConfiguration", "AppHash", "TemplateSid", "TemplateCustomSubstitutions", "DeviceIp",
            "EnableSnaClientToken", "RiskCheck", "Tags",
        ]
        #expect(Set(names) == Set(vendor))
    }
}
