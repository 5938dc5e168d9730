import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// `POST .../VerificationCheck`.
@Suite(.timeLimit(.minutes(60))) struct TwilioCheckTests {
    @Test func `approves a right code once`() async throws {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        _ = twilio.world.clock.advance(seconds: 5)
        let answer = await twilio.check(TwilioWorld.right)
        let expected: JSONObject = [
            "sid": .string(sid), "service_sid": .string(twilio.service()), "account_sid": .string(twilio.account()),
            "to": "+12001004014", "channel": "sms", "status": "approved", "valid": true, "amount": .null,
            "payee": .null, "date_created": "2026-01-01T10:00:00Z", "date_updated": "2026-01-01T10:00:05Z",
            "sna_attempts_error_codes": [],
        ]
        #expect(answer.status == 200 && answer.json == expected)
        let again = await twilio.check(TwilioWorld.right)
        #expect(again.status == 404 && again.code == 20404)
        #expect(await twilio.get("/Verifications/\(sid)").code == 20404)
        #expect(await twilio.update(sid, "canceled").code == 20404)
    }

    @Test func `answers a wrong code with pending, and takes five`() async throws {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        for _ in 0..<5 {
            let wrong = await twilio.check("999999")
            #expect(wrong.status == 200 && wrong.state == "pending" && wrong.json["valid"] == false)
            #expect(wrong.sid == sid)
        }
        _ = twilio.world.clock.advance(seconds: 100)
        for code in ["999999", TwilioWorld.right] {
            let sixth = await twilio.check(code)
            #expect(sixth.status == 429 && sixth.code == 60202 && sixth.header("Retry-After") == "500")
        }
        // Nothing is begun for the number until the verification would have expired.
        #expect(await twilio.create().code == 60202)
        #expect(await twilio.get("/Verifications/\(sid)").code == 20404)
        #expect(await twilio.update(sid, "canceled").code == 20404)
        _ = twilio.world.clock.advance(seconds: 499)
        #expect(await twilio.create().code == 60202)
        _ = twilio.world.clock.advance(seconds: 1)
        #expect(await twilio.check("999999").code == 20404)
        #expect(await twilio.create().status == 201)
    }

    @Test(arguments: [(599, 200), (600, 404)])
    func `takes a code for 600 seconds, the end not included`(age: Int64, status: Int) async throws {
        let twilio = try await TwilioWorld()
        _ = await twilio.create()
        _ = twilio.world.clock.advance(seconds: age)
        #expect(await twilio.check(TwilioWorld.right).status == status)
    }

    @Test func `a later message does not make the verification last longer`() async throws {
        let twilio = try await TwilioWorld()
        _ = await twilio.create()
        _ = twilio.world.clock.advance(seconds: 500)
        _ = await twilio.create()
        _ = twilio.world.clock.advance(seconds: 100)
        #expect(await twilio.check(TwilioWorld.right).code == 20404)
    }

    @Test func `lets one of sixteen right codes at once pass`() async throws {
        let twilio = try await TwilioWorld()
        _ = await twilio.create()
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<16 { group.addTask { await twilio.check(TwilioWorld.right) } }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.count { $0.state == "approved" } == 1)
        #expect(answers.count { $0.code == 20404 } == 15)
    }

    @Test func `counts each of many wrong codes at once`() async throws {
        let twilio = try await TwilioWorld()
        _ = await twilio.create()
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<12 { group.addTask { await twilio.check("999999") } }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.count { $0.state == "pending" } == 5)
        #expect(answers.count { $0.code == 60202 } == 7)
    }

    @Test func `finds the verification by its SID, and by both`() async throws {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        let path = "/VerificationCheck"
        let other = await twilio.post(path, "VerificationSid=\(sid)&To=%2B12001004015&Code=123456")
        #expect(other.code == 20404, "another number")
        let upper = "VE" + sid.dropFirst(2).uppercased()
        let wrong = await twilio.post(path, "VerificationSid=\(upper)&To=%2B12001004014&Code=999999")
        #expect(wrong.state == "pending")
        #expect(await twilio.post(path, "VerificationSid=\(sid)&Code=123456").state == "approved")
    }

    @Test(arguments: [
        ("Code=123456", 60221), ("To=%2B12001004014", 60200), ("To=%2B12001004014&Code=", 60200),
        ("To=%2B12001004014&Code=123", 60200), ("To=%2B12001004014&Code=12345678901", 60200),
        ("To=%2B12001004014&Code=12345a", 60200), ("To=%2B12001004014&Code=%D9%A1%D9%A2%D9%A3%D9%A4", 60200),
        ("To=abc&Code=123456", 60200), ("VerificationSid=VE12&Code=123456", 60200),
        ("VerificationSid=VA00000000000000000000000000000000&Code=123456", 60200),
        ("To=%2B12001004014&Code=123456&Code=123456", 60200), ("To=%2B12001004014&Code=123456&Amount=3", 60204),
        ("To=%2B12001004014&Code=123456&SnaClientToken=x", 60204),
    ]) func `refuses a call that is not as it must be, and counts no check`(form: String, code: Int64) async throws {
        let twilio = try await TwilioWorld()
        _ = await twilio.create()
        for _ in 0..<6 {
            let answer = await twilio.post("/VerificationCheck", form)
            #expect(answer.status == 400 && answer.code == code, "\(answer.text)")
        }
        #expect(await twilio.check(TwilioWorld.right).state == "approved")
    }

    @Test func `a number without a verification answers 404`() async throws {
        let twilio = try await TwilioWorld()
        #expect(await twilio.check(TwilioWorld.right).code == 20404)
        #expect(await twilio.check(TwilioWorld.right, "+12065550123").code == 20404, "a number that is not served")
        let unknown = "VE" + String(repeating: "0", count: 32)
        #expect(await twilio.post("/VerificationCheck", "VerificationSid=\(unknown)&Code=123456").code == 20404)
    }
}
