import HTTPServer
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Callers that are let in, and the things that each of them reaches.
@Suite(.timeLimit(.minutes(60))) struct TwilioGateTests {
    private func services(_ twilio: TwilioWorld, _ headers: [(name: String, value: String)]) async -> Response {
        await twilio.client.send(World.request(.get, "/twilio-verify/v2/Services", "", headers, contentType: nil))
    }

    @Test func `takes the client id, the Account SID, and SK with its digits`() async throws {
        let twilio = try await TwilioWorld()
        let account = twilio.account()
        for name in ["sandbox", account, "SK" + account.dropFirst(2)] {
            let answer = await services(twilio, [TwilioWorld.basic(name, "sandbox-secret")])
            #expect(answer.status == 200, "\(name)")
            let service = answer.json["services"]?.array?.first?.object
            #expect(service?["sid"]?.string == twilio.service() && service?["account_sid"]?.string == account)
        }
    }

    @Test func `refuses everybody else with 20003`() async throws {
        let twilio = try await TwilioWorld()
        let right = TwilioWorld.basic("sandbox", "sandbox-secret")
        let refused: [[(name: String, value: String)]] = [
            [], [right, right], [World.bearer()], [("Authorization", "Basic")], [("Authorization", "Basic !")],
            [TwilioWorld.basic("sandbox", "")], [TwilioWorld.basic("sandbox", "wrong")],
            [TwilioWorld.basic("sandbox-2", "sandbox-secret")], [TwilioWorld.basic("", "sandbox-secret")],
            [TwilioWorld.basic("AC" + String(repeating: "0", count: 32), "sandbox-secret")],
            [TwilioWorld.basic(twilio.account("sandbox-2"), "sandbox-secret")],
        ]
        for headers in refused {
            let answer = await services(twilio, headers)
            #expect(answer.status == 401 && answer.code == 20003, "\(headers)")
            #expect(answer.header("WWW-Authenticate") == "Basic realm=\"Twilio API\"")
        }
        let head = World.request(
            .post, "/twilio-verify/v2/Services/\(twilio.service())/Verifications", "",
            contentType: "application/x-www-form-urlencoded")
        #expect(twilio.client.answerToHead(head)?.status == 401, "before the body has come")
    }

    @Test func `finds an API client that was added later, by its SID after a second`() async throws {
        let twilio = try await TwilioWorld()
        let id = ClientID("late")!
        func tries() async -> Int {
            await services(twilio, [TwilioWorld.basic(twilio.account("late"), "late-secret")]).status
        }
        #expect(await tries() == 401)
        try await twilio.world.store.add(
            Tenant(
                id: id, rules: TenantRules(),
                secretDigests: [twilio.world.engine.crypto.keyed.secret("late-secret", id)],
                createdAt: twilio.world.clock.now()))
        #expect(await tries() == 401, "all clients were read a moment ago")
        #expect(await services(twilio, [TwilioWorld.basic("late", "late-secret")]).status == 200)
        _ = twilio.world.clock.advance(seconds: 1)
        #expect(await tries() == 200)
        _ = try await twilio.world.store.revokeTenant(id, at: twilio.world.clock.now())
        #expect(await tries() == 401)
    }

    @Test func `a secret is taken as it is`() async throws {
        let twilio = try await TwilioWorld()
        let (id, secret) = (ClientID("odd")!, "a+b%2Fc:d e%")
        try await twilio.world.store.add(
            Tenant(
                id: id, rules: TenantRules(), secretDigests: [twilio.world.engine.crypto.keyed.secret(secret, id)],
                createdAt: twilio.world.clock.now()))
        #expect(await services(twilio, [TwilioWorld.basic("odd", secret)]).status == 200)
    }

    @Test func `an API client may have the Account SID that its code has as its id`() async throws {
        let twilio = try await TwilioWorld()
        let name = "ACa1b2c3d4e5f60718293a4b5c6d7e8f90"
        let id = ClientID(name)!
        try await twilio.world.store.add(
            Tenant(
                id: id, rules: TenantRules(), secretDigests: [twilio.world.engine.crypto.keyed.secret("s", id)],
                createdAt: twilio.world.clock.now()))
        let answer = await services(twilio, [TwilioWorld.basic(name, "s")])
        #expect(answer.json["services"]?.array?.first?.object?["account_sid"]?.string == name)
    }

    @Test func `another client's service and verifications are 404`() async throws {
        let twilio = try await TwilioWorld()
        let sid = await twilio.create().sid
        for path in ["/Verifications/\(sid)", "/Verifications/%2B12001004014"] {
            #expect(await twilio.get(path, as: "sandbox-2").code == 20404)
            #expect(await twilio.post(path, "Status=canceled", as: "sandbox-2").code == 20404)
        }
        let forms = ["To=%2B12001004014&Code=123456", "VerificationSid=\(sid)&Code=123456"]
        for form in forms {
            #expect(await twilio.post("/VerificationCheck", form, as: "sandbox-2").code == 20404)
        }
        // The other client's credentials on this client's service.
        for path in ["", "/Verifications/\(sid)"] {
            let answer = await twilio.client.send(
                World.request(
                    .get, "/twilio-verify/v2/Services/\(twilio.service())\(path)", "",
                    [TwilioWorld.basic(of: "sandbox-2")], contentType: nil))
            #expect(answer.status == 404 && answer.code == 20404)
        }
        #expect(await twilio.get("/Verifications/\(sid)").state == "pending")
        let own = await twilio.post("/Verifications", "To=%2B12001004014&Channel=sms", as: "sandbox-2")
        #expect(own.status == 201 && own.sid != sid, "each client has its own verification of a number")
    }

    @Test func `a session of another surface is none of this one`() async throws {
        let twilio = try await TwilioWorld()
        let started = await twilio.world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        let sid = "VE" + started.correlationID.filter { $0 != "-" }
        #expect(await twilio.get("/Verifications/\(sid)").code == 20404)
        #expect(await twilio.update(sid, "canceled").code == 20404)
        #expect(await twilio.world.status(started).json["success"] == "pending")
    }

    @Test func `failures and calls of an API client are limited`() async throws {
        var options = World.Options()
        options.platform.limitsFailedTokenCalls = true
        options.platform.requestsPerSecond = 2
        let twilio = try await TwilioWorld(options)
        for _ in 0..<2 { #expect(await twilio.create().status == 201) }
        let over = await twilio.create()
        #expect(over.status == 429 && over.code == 20429 && over.header("Retry-After") == "1")
        for _ in 0..<20 { _ = await services(twilio, [TwilioWorld.basic("sandbox-2", "wrong")]) }
        let guessed = await services(twilio, [TwilioWorld.basic("sandbox-2", "wrong")])
        #expect(guessed.status == 429 && guessed.code == 20429)
    }

    @Test(arguments: ["application/json", "text/plain", nil]) func `takes forms only`(type: String?) async throws {
        let twilio = try await TwilioWorld()
        let answer = await twilio.client.send(
            World.request(
                .post, "/twilio-verify/v2/Services/\(twilio.service())/Verifications",
                #"{"To":"+12001004014","Channel":"sms"}"#, [TwilioWorld.basic(of: "sandbox")], contentType: type))
        #expect(answer.status == 415 && answer.code == 60200)
    }

    @Test(arguments: [
        (Method.get, "/Forms/form-push"), (.get, "/Services/S/Webhooks"), (.post, "/Services/S/Entities"),
    ]) func `what this server has not answers 404 as the vendor does`(method: Method, path: String) async throws {
        let twilio = try await TwilioWorld()
        func call(_ headers: [(name: String, value: String)]) async -> Response {
            let path = path.replacing("/S/", with: "/\(twilio.service())/")
            return await twilio.client.send(
                World.request(method, "/twilio-verify/v2\(path)", "", headers, contentType: nil))
        }
        #expect(await call([TwilioWorld.basic(of: "sandbox")]).code == 20404)
        #expect(await call([]).code == 20003)
    }
}
