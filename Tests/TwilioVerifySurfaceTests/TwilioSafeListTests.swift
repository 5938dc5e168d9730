import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Numbers that an API client allows, and those that it blocks.
@Suite(.timeLimit(.minutes(60))) struct TwilioSafeListTests {
    private static let number = PhoneNumber(e164: TwilioWorld.lorant)!
    private static let path = "/SafeList/Numbers/%2B12001004014"

    @Test func `lists a number, tells that it is listed, and takes it off`() async throws {
        let twilio = try await TwilioWorld()
        #expect(await twilio.call(.get, Self.path).code == 20404)
        let added = await twilio.call(.post, "/SafeList/Numbers", "PhoneNumber=%2B1+(200)+100-4014")
        #expect(added.status == 201 && added.sid.hasPrefix("GN") && added.sid.utf8.count == 34)
        #expect(added.json["phone_number"] == "+12001004014")
        #expect(await twilio.call(.post, "/SafeList/Numbers", "PhoneNumber=%2B12001004014").json == added.json)
        #expect(await twilio.call(.get, Self.path).json == added.json)
        #expect(await twilio.call(.get, Self.path, as: "sandbox-2").code == 20404)
        #expect(await twilio.call(.delete, Self.path, as: "sandbox-2").code == 20404)
        #expect(await twilio.call(.delete, Self.path).status == 204)
        #expect(await twilio.call(.delete, Self.path).code == 20404)
        #expect(await twilio.call(.get, Self.path).code == 20404)
    }

    @Test(arguments: [
        ("PhoneNumber=12001004014", "E.164"), ("PhoneNumber=+12001004014", "%2B"), ("PhoneNumber=abc", "PhoneNumber"),
        ("", "PhoneNumber"), ("PhoneNumber=%2B12065550123", "GET /sandbox/users"),
    ]) func `refuses what is no number here, and says why`(form: String, reason: String) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.call(.post, "/SafeList/Numbers", form)
        #expect(answer.status == 400 && answer.code == 60200 && answer.text.contains(reason), "\(answer.text)")
    }

    @Test func `sends nothing to a number that the client blocks, unless it is listed as well`() async throws {
        let twilio = try await TwilioWorld()
        let tenant = ClientID("sandbox")!
        #expect(await twilio.create().status == 201)
        _ = try await twilio.lists.add(Self.number, to: .blocked, of: tenant, at: twilio.world.clock.now())
        let blocked = await twilio.create()
        #expect(blocked.status == 403 && blocked.code == 60410, "also in a verification that has begun")
        #expect(await twilio.create(as: "sandbox-2").status == 201)
        #expect(await twilio.call(.post, "/SafeList/Numbers", "PhoneNumber=%2B12001004014").status == 201)
        #expect(await twilio.create().status == 201)
        #expect(await twilio.call(.delete, Self.path).status == 204)
        #expect(await twilio.create().code == 60410)
    }

    @Test func `lifts no limit of the server`() async throws {
        let twilio = try await TwilioWorld(World.limited { $0.sendsPerQuarterHour = 1 })
        let number = "+12015550123"
        #expect(await twilio.call(.post, "/SafeList/Numbers", "PhoneNumber=%2B12015550123").status == 201)
        #expect(await twilio.create(number).status == 201)
        #expect(await twilio.create(number).code == 20429)
    }
}
