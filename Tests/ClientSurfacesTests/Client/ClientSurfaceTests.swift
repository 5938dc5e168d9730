import Locks
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

@Suite struct ClientSurfaceTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014","allowOTPRetry":true}"#

    // MARK: the state

    @Test func `tells the state in full, without nulls`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        let redeemed = await app.redeem(deviceKey: true)
        #expect(redeemed.status == 200)
        #expect(
            redeemed.json.names == [
                "authId", "rev", "status", "flow", "step", "allowed", "expiresAt", "phone", "device", "otp",
            ])
        #expect(redeemed.json["rev"] == 1)
        #expect(redeemed.json["step"] == "device")
        #expect(redeemed.json["expiresAt"] == "2026-01-01T10:15:00Z")
        #expect(redeemed.json["phone"] == ["needed": false, "masked": "+1******4014"])
        #expect(allowed(by: redeemed) == ["device", "otp.start", "cancel"])
        #expect(redeemed.json["device"]?.object?["challenge"]?.string?.utf8.count == 43)
        #expect(redeemed.json["device"]?.object?["rotate"] == false)
        let sent = await app.post("/otp")
        #expect(
            sent.json["otp"] == [
                "codeLength": 4, "codeExpiresAt": "2026-01-01T10:02:00Z", "sendsLeft": 2, "attemptsLeft": 3,
                "phoneEntriesLeft": 2,
            ])
        #expect(sent.json["device"] == ["status": "absent", "rotate": false])
        let done = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(done.json["status"] == "done" && done.json["outcome"] == "succeeded")
        #expect(done.json["step"] == nil)
        #expect(done.json["allowed"] == [])
        for answer in [redeemed, sent, done] { #expect(SDKShape.defects(of: answer.body) == []) }
    }

    @Test func `needs a number where none is known, and masks it`() async throws {
        let world = try await World()
        let app = App(world, await world.start(#"{"possessionType":"mobile"}"#))
        #expect(await app.redeem().json["phone"] == ["needed": true])
        #expect(refusal(of: await app.post("/otp")) == "phone_number_required")
        #expect(
            await app.post("/otp", #"{"phoneNumber":"2001004014"}"#).json["phone"] == [
                "needed": false, "masked": "+1******4014",
            ])
    }

    // MARK: texts of people

    @Test(arguments: [
        "\u{202D}+12001004014\u{202C}", "+1\u{A0}200\u{2011}100\u{2011}4014", "٢٠٠١٠٠٤٠١٤", "(200)\t100\u{2212}4014",
        "011 1 200 100 4014",
    ])
    func `reads a number as a person means it`(number: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(#"{"possessionType":"mobile"}"#))
        _ = await app.redeem()
        #expect(await app.post("/otp", #"{"phoneNumber":"\#(number.replacing("\t", with: "\\t"))"}"#).status == 200)
        #expect(world.gateway.sent.last?.to.text == "+12001004014")
    }

    @Test(arguments: ["١٢٣٤", "۱۲۳۴", " 12 34 ", "12\u{2013}34", "\u{200E}1234", "１２３４"])
    func `reads a code as a person means it`(code: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        let answer = await app.post("/otp/verify", #"{"code":"\#(code)"}"#)
        #expect(answer.status == 200 && answer.json["outcome"] == "succeeded", "\(answer.text)")
    }

    @Test(arguments: ["12345", "12345678", "1234567890"])
    func `a code that cannot be one costs no try`(code: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        for _ in 0..<5 {
            let answer = await app.post("/otp/verify", #"{"code":"\#(code)"}"#)
            #expect(answer.status == 400 && refusal(of: answer) == "otp_mismatch")
            #expect(answer.json["message"] == "the code is wrong: it must have 4 digits")
            #expect(answer.json["state"]?.object?["otp"]?.object?["attemptsLeft"] == 3)
        }
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
    }

    // MARK: errors, with what is allowed next

    @Test func `follows the table of errors`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        let early = await app.post("/otp")
        #expect(early.status == 409 && refusal(of: early) == "invalid_state" && early.json["code"] == 20010)
        #expect(early.json["state"]?.object?["status"] == "created")
        #expect(early.json["message"] == "redeem the auth token first: POST /client/v1/session")
        _ = await app.redeem()
        let before = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(before.status == 409 && allowed(by: before) == ["otp.start", "cancel"])
        let given = await app.post("/otp", #"{"phoneNumber":"2001004015"}"#)
        #expect(given.status == 403 && refusal(of: given) == "phone_number_not_accepted" && given.json["code"] == 20106)
        #expect(await app.post("/otp").status == 200)
        let wrong = await app.post("/otp/verify", #"{"code":"1111"}"#)
        #expect(wrong.status == 400 && refusal(of: wrong) == "otp_mismatch" && wrong.json["code"] == 10001)
        #expect(wrong.json["state"]?.object?["otp"]?.object?["attemptsLeft"] == 2)
        #expect(allowed(by: wrong) == ["otp.verify", "otp.resend", "otp.phone", "cancel"])
        _ = world.clock.advance(seconds: 120)
        let late = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(late.status == 400 && refusal(of: late) == "otp_expired" && late.json["code"] == 20101)
        #expect(refusal(of: await app.post("/otp/phone", #"{"phoneNumber":"12"}"#)) == "phone_number_invalid")
        let stranger = await app.post("/otp/phone", #"{"phoneNumber":"+12065550100"}"#)
        #expect(
            stranger.status == 403 && refusal(of: stranger) == "phone_number_not_allowed"
                && !stranger.text.contains("2065550100"))
        #expect(await app.post("/otp/resend").status == 200)
        #expect(
            await app.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#).json["phone"]?.object?["masked"]
                == "+1******4015")
        let spent = await app.post("/otp/resend")
        #expect(spent.status == 403 && refusal(of: spent) == "sends_exhausted" && spent.json["code"] == 20102)
        #expect(allowed(by: spent) == ["otp.verify", "cancel"])
        for _ in 0..<2 { _ = await app.post("/otp/verify", #"{"code":"1111"}"#) }
        let done = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(done.status == 410 && refusal(of: done) == "session_done" && done.json["code"] == 20011)
        #expect(done.json["state"]?.object?["outcome"] == "failed")
        #expect(await app.post("/cancel").status == 200)
        #expect(await app.read().status == 200)
    }

    @Test func `tells a change that is not allowed, and one that is used up`() async throws {
        var options = World.Options()
        options.rules.allowPhoneChange = false
        let world = try await World(options)
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        #expect(allowed(by: await app.post("/otp")) == ["otp.verify", "otp.resend", "cancel"])
        let refused = await app.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#)
        #expect(refused.status == 403 && refusal(of: refused) == "phone_change_not_allowed")
        options = World.Options()
        options.limits.numberEntriesPerSession = 1
        let other = try await World(options)
        let second = App(other, await other.start(Self.lorant))
        _ = await second.redeem()
        _ = await second.post("/otp")
        #expect(
            refusal(of: await second.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#)) == "phone_entries_exhausted")
    }

    @Test func `takes a refused message back`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        world.gateway.refuse(true)
        let failed = await app.post("/otp")
        #expect(failed.status == 502 && refusal(of: failed) == "sms_failed" && failed.json["code"] == 20108)
        #expect(failed.json["state"]?.object?["otp"]?.object?["sendsLeft"] == 3)
        world.gateway.refuse(false)
        #expect(await app.post("/otp").status == 200)
    }

    @Test func `limits sends to a number, and tells when the next may go`() async throws {
        var options = World.Options()
        options.limits.overSessions = .init()
        options.limits.overSessions?.secondsBetweenSends = 0
        let world = try await World(options)
        for _ in 0..<5 {
            let app = App(world, await world.start(Self.lorant))
            _ = await app.redeem()
            #expect(await app.post("/otp").status == 200)
        }
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        _ = world.clock.advance(seconds: 300)
        let limited = await app.post("/otp")
        #expect(limited.status == 429 && refusal(of: limited) == "rate_limited" && limited.json["code"] == 20900)
        #expect(limited.header("retry-after") == "600")
    }

    @Test func `tells nobody about the history of a number the session refuses anyway`() async throws {
        var options = World.Options()
        options.limits.overSessions = .init()
        options.limits.overSessions?.secondsBetweenSends = 0
        options.limits.overSessions?.sendsPerQuarterHour = 1
        let world = try await World(options)
        let first = App(world, await world.start(Self.lorant))
        _ = await first.redeem()
        #expect(await first.post("/otp").status == 200)
        let app = App(world, await world.start(#"{"phoneNumber":"2001004015","possessionType":"mobile"}"#))
        _ = await app.redeem()
        #expect(refusal(of: await app.post("/otp", #"{"phoneNumber":"2001004014"}"#)) == "phone_number_not_accepted")
    }

    @Test func `shuts the clients of a revoked tenant out`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        _ = try await world.store.revokeTenant(ClientID("sandbox")!, at: world.clock.now())
        let refused = await app.post("/otp")
        #expect(refused.status == 401 && refusal(of: refused) == "invalid_token")
        #expect(refused.json["state"] == nil)
        #expect(world.gateway.sent.isEmpty)
    }

    @Test func `lets the same request id through once a limit has passed`() async throws {
        var options = World.Options()
        options.limits.overSessions = .init()
        options.limits.overSessions?.secondsBetweenSends = 0
        options.limits.overSessions?.sendsPerQuarterHour = 1
        let world = try await World(options)
        let first = App(world, await world.start(Self.lorant))
        _ = await first.redeem()
        #expect(await first.post("/otp").status == 200)
        _ = world.clock.advance(seconds: 300)
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        #expect(await app.post("/otp", #"{"requestId":"r-1"}"#).status == 429)
        _ = world.clock.advance(seconds: 600)
        #expect(await app.post("/otp", #"{"requestId":"r-1"}"#).status == 200)
    }

    @Test func `tells the retry of a refused message the same`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        world.gateway.refuse(true)
        let failed = await app.post("/otp", #"{"requestId":"r-1"}"#)
        world.gateway.refuse(false)
        let retried = await app.post("/otp", #"{"requestId":"r-1"}"#)
        #expect(retried.status == 502 && retried.body == failed.body)
        #expect(await app.post("/otp", #"{"requestId":"r-2"}"#).status == 200)
    }

    @Test func `shows a bad device proof the next challenge, then goes on without`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        var challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]
        for attempt in 1...3 {
            let answer = await app.post("/device", #"{"proof":"nonsense"}"#)
            #expect(
                answer.status == 400 && refusal(of: answer) == "device_proof_invalid" && answer.json["code"] == 20401)
            let next = answer.json["state"]?.object?["device"]?.object?["challenge"]
            #expect(attempt == 3 ? next == nil : next != challenge)
            challenge = next
        }
        #expect(allowed(by: await app.read()) == ["otp.start", "cancel"])
    }

    /// Each challenge is good once.
    @Test func `names the reason of a device proof that is signed and does not fit`() async throws {
        let world = try await World()
        let device = FakeKey(9)
        let started = await world.start(Self.lorant)
        let app = App(world, started)
        let first = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let other = await world.start(Self.lorant)
        let proofs: [(String, FakeKey?, String)] = [
            (other.authID, app.key, "sub does not name who it must"),
            (
                started.authID, device,
                "cnf must have jkt, the thumbprint of the key of the DPoP proof, and be absent without one"
            ),
            (started.authID, app.key, "nonce is not the one that is due: each is good once, for a time"),
        ]
        for (session, key, reason) in proofs {
            let proof = device.deviceProof(session: session, challenge: first, sessionKey: key)
            let answer = await app.post("/device", #"{"proof":"\#(proof)"}"#)
            #expect(answer.json["message"]?.string == "the device proof is not valid: \(reason)")
        }
    }

    @Test func `ends a session whose key belongs to another number`() async throws {
        let world = try await World()
        let device = FakeKey(9)
        func prove(_ number: String) async -> (Response, App, World.Started) {
            let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"\#(number)"}"#)
            let app = App(world, started)
            let challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
            let proof = device.deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
            return (await app.post("/device", #"{"proof":"\#(proof)"}"#), app, started)
        }
        let (_, app, _) = await prove("2001004014")
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        let (answer, _, other) = await prove("2001004015")
        #expect(answer.status == 403 && refusal(of: answer) == "device_number_mismatch" && answer.json["code"] == 20402)
        #expect(answer.json["state"]?.object?["outcome"] == "failed")
        let status = await world.status(other).json
        #expect(status["success"] == "false")
        #expect(
            status["evaluation"] == [
                "authentication": ["result": "fail", "failureReasons": ["9100": "possession incomplete"]]
            ])
    }

    // MARK: bodies

    @Test(arguments: [
        ("", #"{"platform":"palm"}"#, "field 'platform' must be one of web, android, ios"),
        ("", "{}", "field 'platform' is missing"), ("", #"{"platform":null}"#, "field 'platform' is missing"),
        ("", #"{"platform":"web","fallback":"fax"}"#, "field 'fallback' must be one of otp, link"),
        ("", #"{"platform":"web","deviceKey":"yes"}"#, "field 'deviceKey' must be true or false"),
        ("", #"{"platform":"web","cellular":true}"#, "field 'cellular' must be a string"),
        ("", #"{"platform":"web","appHash":"short"}"#, "field 'appHash' must have 11 characters"),
        ("", #"{"platform":"web","appHash":"AAAAAAAAAAAA"}"#, "field 'appHash' is longer than 11 characters"),
        ("", #"{"platform":"web","phoneNumber":"1"}"#, "field 'phoneNumber' is not known"),
        ("", #"{"platform":"web","x y":1}"#, "a member of the body is not known"),
        ("/device", "{}", "field 'proof' is missing"), ("/device", #"{"proof":{}}"#, "field 'proof' must be a string"),
        ("/otp", #"{"phoneNumber":1}"#, "field 'phoneNumber' must be a string"),
        ("/otp", #"{"requestId":7}"#, "field 'requestId' must be a string"),
        (
            "/otp", #"{"requestId":"1234567890123456789012345678901234567"}"#,
            "field 'requestId' is longer than 36 characters"
        ),
        ("/otp/resend", #"{"code":"1"}"#, "field 'code' is not known"),
        ("/otp/verify", "{}", "field 'code' is missing"),
        ("/otp/verify", #"{"code":1234}"#, "field 'code' must be a string"),
        ("/otp/verify", #"{"code":"123"}"#, "field 'code' must have 4 to 10 digits"),
        ("/otp/verify", #"{"code":"12a4"}"#, "field 'code' must have 4 to 10 digits"),
        ("/otp/verify", #"{"code":"12345678901"}"#, "field 'code' must have 4 to 10 digits"),
        ("/cancel", #"{"reason":1}"#, "field 'reason' must be a string"),
    ]) func `refuses what it does not know or cannot take`(call: String, body: String, message: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        let answer = await app.post(call, body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 1001, "error": "invalid_request", "message": .string(message)])
    }

    @Test func `takes JSON only, and no body where nothing is needed`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        let path = "/client/v1/session/otp"
        let form = World.request(.post, path, "{}", app.headers("POST", path), contentType: "text/plain")
        let answer = await world.client.send(form)
        #expect(answer.status == 415 && refusal(of: answer) == "invalid_request")
        let bare = World.request(.post, path, "", app.headers("POST", path), contentType: nil)
        #expect(await world.client.send(bare).status == 200)
        let resend = path + "/resend"
        let typed = World.request(.post, resend, "", app.headers("POST", resend))
        #expect(await world.client.send(typed).status == 200)
        let verify = path + "/verify"
        let empty = World.request(.post, verify, "", app.headers("POST", verify), contentType: nil)
        #expect(await world.client.send(empty).status == 400)
    }

    // MARK: retries

    @Test func `answers a retry with the very same bytes, and does nothing twice`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        let first = await app.post("/otp", #"{"requestId":"r-1"}"#)
        _ = await app.post("/otp/verify", #"{"code":"1111","requestId":"r-2"}"#)
        let again = await app.post("/otp", #"{"requestId":"r-1"}"#)
        #expect(first.status == again.status && first.body == again.body)
        #expect(world.gateway.sent.count == 1)
        let wrong = await app.post("/otp/verify", #"{"code":"1111","requestId":"r-2"}"#)
        #expect(wrong.status == 400 && wrong.json["state"]?.object?["otp"]?.object?["attemptsLeft"] == 2)
        #expect(await app.read().json["otp"]?.object?["attemptsLeft"] == 2)
    }

    @Test func `refuses another body under the same request id, on the same path`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        _ = await app.post("/otp", #"{"requestId":"r"}"#)
        let first = await app.post("/otp/verify", #"{"code":"1111","requestId":"r"}"#)
        #expect(refusal(of: first) == "otp_mismatch", "another path is another request")
        let reused = await app.post("/otp/verify", #"{"code":"1234","requestId":"r"}"#)
        #expect(reused.status == 422 && refusal(of: reused) == "request_id_reused" && reused.json["code"] == 20012)
        #expect(await app.read().json["status"] == "active")
    }

    // MARK: the rest

    @Test func `hides what went wrong inside`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        world.store.fail(with: .corrupt(what: "sessions.phase"))
        let answer = await app.redeem()
        #expect(answer.status == 500)
        #expect(answer.text == #"{"code":1000,"error":"internal","message":"internal error"}"#)
        #expect(world.reports.withLock { $0 }.contains { $0.contains("request q") })
        world.store.fail(with: .overloaded)
        let busy = await app.redeem()
        #expect(busy.status == 503 && busy.header("retry-after") == "1")
    }

    @Test func `puts only a registered app hash into a message`() async throws {
        let world = try await World()
        for (hash, line) in [("AAAAAAAAAAA", "\nAAAAAAAAAAA"), ("BBBBBBBBBBB", "")] {
            let app = App(world, await world.start(Self.lorant))
            _ = await app.post("", #"{"platform":"android","fallback":"otp","appHash":"\#(hash)"}"#)
            _ = await app.post("/otp")
            let text = world.gateway.sent.last?.text ?? ""
            #expect(text.contains("1234") && !text.contains("BBBBBBBBBBB"))
            #expect(text.hasSuffix(line))
        }
    }

    @Test func `echoes a sane correlator`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        let path = "/client/v1/session"
        for (sent, echoed) in [("c-1:a_b.c", "c-1:a_b.c"), ("a b", nil), ("", nil)] {
            let headers = app.headers("GET", path) + [(name: "x-correlator", value: sent)]
            let answer = await world.client.send(Request(method: .get, path: path, headers: Headers(headers), id: "q"))
            #expect(answer.header("x-correlator") == echoed)
        }
    }
}
