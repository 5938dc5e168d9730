import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// `POST .../Verifications/{Sid}` and `GET .../Verifications/{Sid}`.
@Suite(.timeLimit(.minutes(60))) struct TwilioUpdateTests {
    @Test func `cancels a verification, and lets another begin at once`() async throws {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        let answer = await twilio.update(sid, "canceled")
        #expect(answer.status == 200 && answer.state == "canceled" && answer.json["valid"] == false)
        #expect(await twilio.check(TwilioWorld.right).code == 20404)
        #expect(await twilio.update(sid, "canceled").code == 20404)
        let next = await twilio.create()
        #expect(next.status == 201 && next.sid != sid)
    }

    @Test func `takes the backend's word for its own code only`() async throws {
        let twilio = try await TwilioWorld()
        let drawn = await twilio.create().sid
        let refused = await twilio.update(drawn, "approved")
        #expect(refused.status == 400 && refused.code == 60204)
        #expect(await twilio.get("/Verifications/\(drawn)").state == "pending")
        _ = await twilio.update(drawn, "canceled")

        let own = await twilio.create(TwilioWorld.lorant, "&CustomCode=123456").sid
        let approved = await twilio.update(own, "approved")
        #expect(approved.status == 200 && approved.state == "approved" && approved.json["valid"] == true)
        #expect(await twilio.update(own, "approved").code == 20404)
    }

    @Test func `takes no word before its code has left`() async throws {
        let twilio = try await TwilioWorld()
        twilio.world.gateway.refuse(true)
        _ = await twilio.create(TwilioWorld.lorant, "&CustomCode=123456")
        #expect(await twilio.update("%2B12001004014", "approved").code == 20404)
    }

    @Test(arguments: ["Status=pending", "Status=", "", "Status=Canceled", "Status=canceled&Status=approved"])
    func `refuses another status`(form: String) async throws {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        let answer = await twilio.post("/Verifications/\(sid)", form)
        #expect(answer.status == 400 && answer.code == 60200)
        #expect(await twilio.get("/Verifications/\(sid)").state == "pending")
    }

    @Test func `reads a verification by its SID and by its number`() async throws {
        let twilio = try await TwilioWorld()
        let created = await twilio.create()
        for name in [created.sid, "%2B12001004014", "+12001004014", "+1-200-100-4014"] {
            let read = await twilio.get("/Verifications/\(name)")
            #expect(read.status == 200 && read.json == created.json, "\(name)")
        }
    }

    @Test(arguments: [
        "VE00000000000000000000000000000000", "VE0", "VA00000000000000000000000000000000", "abc", "%2B1",
        "%2B12001004015",
        "%00",
        "%2B12065550123", "2001004014", "12001004014", "%2012001004014", "VE0000000000000000000000000000000g",
    ]) func `answers 404 for what is no open verification`(name: String) async throws {
        let twilio = try await TwilioWorld()
        _ = await twilio.create()
        for answer in [await twilio.get("/Verifications/\(name)"), await twilio.update(name, "canceled")] {
            #expect(answer.status == 404, "\(answer.text)")
        }
    }

    @Test func `looks count, where limits hold`() async throws {
        let twilio = try await TwilioWorld(World.limited())
        let sid = await twilio.create("+12015550123", "&DeviceIp=192.0.2.7").sid
        for _ in 0..<60 { #expect(await twilio.get("/Verifications/\(sid)").status == 200) }
        let refused = await twilio.get("/Verifications/\(sid)")
        #expect(refused.status == 429 && refused.code == 20429 && refused.header("Retry-After") == "60")
    }
}
