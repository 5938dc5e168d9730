import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import CamaraSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// One Time Password SMS 1.1.
@Suite(.timeLimit(.minutes(60))) struct CamaraCodeTests {
    @Test func `sends a code in the caller's words, and takes it once`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let sent = await camara.send(token)
        #expect(sent.status == 200 && sent.json.names == ["authenticationId"])
        #expect(camara.world.gateway.sent.map(\.text).last?.hasPrefix("123456 is your code for Example") == true)
        let wrong = await camara.validate("999999", sent.authenticationID, token)
        #expect(wrong.status == 400 && wrong.json["code"] == "ONE_TIME_PASSWORD_SMS.INVALID_OTP")
        #expect(wrong.json["message"] == "the code is wrong; 2 tries are left")
        let right = await camara.validate(CamaraWorld.right, sent.authenticationID, token)
        #expect(right.status == 204 && right.body.isEmpty)
        let again = await camara.validate(CamaraWorld.right, sent.authenticationID, token)
        #expect(again.status == 400 && again.camaraCode == "VERIFICATION_EXPIRED")
    }

    @Test(arguments: [
        (HTTPServer.Method.post, "/camara/sim-swap/v9/check", 404, "NOT_FOUND"),
        (.put, "/camara/one-time-password-sms/v1/send-code", 405, "METHOD_NOT_ALLOWED"),
    ])
    func `answers a path or method that is not there, with the caller's correlator`(
        method: HTTPServer.Method, path: String, status: Int, code: String
    ) async throws {
        let camara = try await CamaraWorld()
        let answer = await camara.client.send(World.request(method, path, "{}", [("x-correlator", "c-1")]))
        #expect(answer.status == status && answer.camaraCode == code && answer.header("x-correlator") == "c-1")
        #expect(answer.json["status"] == .integer(Int64(status)))
    }

    @Test func `the third wrong code ends it, and so it stays`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let id = await camara.send(token).authenticationID
        for expected in ["INVALID_OTP", "INVALID_OTP", "VERIFICATION_FAILED", "VERIFICATION_FAILED"] {
            #expect(await camara.validate("999999", id, token).camaraCode == expected)
        }
        #expect(await camara.validate(CamaraWorld.right, id, token).camaraCode == "VERIFICATION_FAILED")
    }

    @Test func `what can be no code costs no try`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let id = await camara.send(token).authenticationID
        for _ in 0..<5 { #expect(await camara.validate("abc", id, token).camaraCode == "INVALID_OTP") }
        #expect(await camara.validate(CamaraWorld.right, id, token).status == 204)
    }

    @Test func `a newer code ends those before it, and time ends all`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let older = await camara.send(token)
        _ = camara.world.clock.advance(seconds: 1)
        let newer = await camara.send(token)
        #expect(
            await camara.validate(CamaraWorld.right, older.authenticationID, token).camaraCode == "VERIFICATION_EXPIRED"
        )
        _ = camara.world.clock.advance(seconds: 299)
        let last = await camara.send(token)
        #expect(
            await camara.validate(CamaraWorld.right, newer.authenticationID, token).camaraCode == "VERIFICATION_EXPIRED"
        )
        _ = camara.world.clock.advance(seconds: 300)
        #expect(
            await camara.validate(CamaraWorld.right, last.authenticationID, token).camaraCode == "VERIFICATION_EXPIRED")
    }

    @Test(arguments: [
        (#"{}"#, "field 'phoneNumber' is missing"), (#"{"phoneNumber":"+12001004014"}"#, "field 'message' is missing"),
        (#"{"phoneNumber":"3301","message":"{{code}}"}"#, "field 'phoneNumber' must be + and 5 to 15 digits"),
        (#"{"phoneNumber":"+02001004014","message":"{{code}}"}"#, "field 'phoneNumber' must be +"),
        (#"{"phoneNumber":"+1 200 1004014","message":"{{code}}"}"#, "field 'phoneNumber' must be +"),
        (#"{"phoneNumber":7,"message":"{{code}}"}"#, "field 'phoneNumber' must be a string"),
        (#"{"phoneNumber":"+12001004014","message":"no code"}"#, "must contain {{code}}"),
        (#"{"phoneNumber":"+12001004014","message":"{{code}} {{code}}"}"#, "must contain {{code}} once"),
        (##"{"phoneNumber":"+12001004014","message":"#1: {{code}}"}"##, "must not contain #"),
        (#"{"phoneNumber":"+12001004014","message":"{{code}} https://a.example"}"#, "must not contain a link"),
        (#"{"phoneNumber":"+12001004014","message":"{{code}}\u202e"}"#, "that is not visible"),
        (#"{"phoneNumber":"+12001004014","message":"{{code}}","channel":"sms"}"#, "field 'channel' is not known"),
    ]) func `refuses what is not as it must be, and sends nothing`(body: String, reason: String) async throws {
        let camara = try await CamaraWorld()
        let refused = await camara.post("send-code", body, await camara.token())
        #expect(refused.status == 400 && refused.camaraCode == "INVALID_ARGUMENT")
        #expect(refused.json["message"]?.string?.contains(reason) == true, "\(refused.text)")
        #expect(camara.world.gateway.sent.isEmpty)
    }

    @Test func `a message has at most 160 characters`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let longest = "{{code}}" + String(repeating: "é", count: 152)
        #expect(await camara.send(token, message: longest).status == 200)
        let refused = await camara.send(token, message: longest + "e")
        #expect(refused.camaraCode == "INVALID_ARGUMENT")
    }

    @Test func `without a body it says so`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        for call in ["send-code", "validate-code"] {
            let request = World.request(
                .post, "/camara/one-time-password-sms/v1/\(call)", "", [("authorization", "Bearer \(token)")],
                contentType: nil)
            let refused = await camara.client.send(request)
            #expect(refused.status == 400 && refused.camaraCode == "INVALID_ARGUMENT", "\(refused.text)")
        }
    }

    @Test func `an id is of its client and its surface`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let id = await camara.send(token).authenticationID
        let started = await camara.world.start(
            #"{"phoneNumber":"+12001004014","possessionType":"mobile","clientRequestId":"a"}"#)
        for unknown in [started.correlationID, "019b7907-8d58-7500-8000-000000000001", "nothing"] {
            let refused = await camara.validate(CamaraWorld.right, unknown, token)
            #expect(refused.status == 404 && refused.camaraCode == "NOT_FOUND", "\(unknown)")
        }
        let other = await camara.token("o", of: "sandbox-2")
        #expect(await camara.validate(CamaraWorld.right, id, other).status == 404)
        #expect(await camara.validate(CamaraWorld.right, id, token).status == 204)
    }

    @Test func `a message that does not leave ends no code before it`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let id = await camara.send(token).authenticationID
        _ = camara.world.clock.advance(seconds: 1)
        camara.world.gateway.refuse(as: GatewayFault("down", kind: .busy))
        #expect(await camara.send(token).status == 503)
        #expect(await camara.validate(CamaraWorld.right, id, token).status == 204)
    }

    @Test func `says why a number gets no message`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        #expect(await camara.send(token, to: "+12065550123").camaraCode == "NOT_FOUND")
        camara.world.gateway.refuse(as: GatewayFault("barred", kind: .number))
        #expect(await camara.send(token).camaraCode == "PHONE_NUMBER_BLOCKED")
        camara.world.gateway.refuse(as: GatewayFault("down", kind: .busy))
        let down = await camara.send(token)
        #expect(down.status == 503 && down.header("retry-after") == "1")
    }

    @Test(arguments: ["a-b_c:d;e.f/g<h>i{j}", String(repeating: "a", count: 256)])
    func `the correlator comes back with every answer`(correlator: String) async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let field = [(name: "x-correlator", value: correlator)]
        let body = #"{"phoneNumber":"+12001004014","message":"{{code}}"}"#
        for (token, body) in [(token, body), (token, "{}"), (token, "["), ("no", body), (nil, body)]
            as [(String?, String)]
        {
            let answer = await camara.post("send-code", body, token, field)
            #expect(answer.header("x-correlator") == correlator, "\(answer.status)")
        }
        #expect(await camara.send(token).header("x-correlator") == nil)
    }

    @Test(arguments: ["a b", "é", "a+b", String(repeating: "a", count: 257)])
    func `a correlator of another form is refused`(correlator: String) async throws {
        let camara = try await CamaraWorld()
        let body = #"{"phoneNumber":"+12001004014","message":"{{code}}"}"#
        let refused = await camara.post("send-code", body, await camara.token(), [("x-correlator", correlator)])
        #expect(refused.status == 400 && refused.camaraCode == "INVALID_ARGUMENT")
        #expect(refused.header("x-correlator") == nil && camara.world.gateway.sent.isEmpty)
    }
}
