import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct MobileAuthChainTests {
    // MARK: a native client, end to end

    enum Ending: Sendable { case proven, mismatch, unavailable }

    @Test(arguments: [
        (World.mobile, OperatorAnswer.verified(true), Ending.proven),
        (World.mobile, .verified(false), .mismatch),
        (World.mobile, .number(World.lorant), .proven),
        (World.mobile, .number(World.laney), .mismatch),
        (World.mobileWithoutNumber, .number(World.laney), .proven),
    ]) func `tells the outcome at finish, whatever the operator answered`(
        body: String, said: OperatorAnswer, ending: Ending
    ) async throws {
        let world = try await World()
        world.carrier.answer(.success(said))
        let started = await world.start(body)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios","fallback":"otp"}"#)
        let walk = await app.beginMobileAuth()

        let out = await walk.go()
        #expect(out.status == 302 && out.body.isEmpty)
        let location = try #require(out.header("location"))
        #expect(location.hasPrefix("https://operator.example/authorize?state=\(walk.state)&"))
        let back = await walk.comeBack("code=code-1")
        #expect(back.status == 200 && back.header("content-type") == "application/json")
        #expect(back.json.names == ["vfp"], "agrees, differs and found look the same on the way")
        #expect(world.carrier.redeemed == ["code-1"])
        let fingerprint = try #require(back.json["vfp"]?.string)
        for text in [fingerprint, location.filter { $0 != "+" }] where ending != .proven {
            #expect(!text.contains("2001004015"))
        }

        let answer = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(answer.status == 200)
        let status = await world.status(started).json
        if ending == .proven {
            #expect(answer.json["outcome"] == "succeeded")
            #expect(answer.json["mobileAuth"] == ["attemptsLeft": 2])
            #expect(status["success"] == "true" && status["proveId"] != nil)
            #expect(status["phoneNumber"] == (body == World.mobile ? "2001004014" : "+12001004015"))
        } else {
            #expect(answer.json["step"] == "otpStart")
            #expect(
                answer.json["mobileAuth"] == ["attemptsLeft": 2, "error": "mobile_auth_mismatch", "code": 20304])
            #expect(allowed(by: answer) == ["otp.start", "cancel"])
            #expect(status["success"] == "pending")
            #expect(await app.post("/otp").status == 200)
            #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).json["outcome"] == "succeeded")
        }
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test(arguments: [
        OperatorFault.notOnNetwork, .timeout, .circuitOpen, .failed(reason: "token endpoint answered 500"),
    ]) func `says no more than unavailable when the operator has no answer`(fault: OperatorFault) async throws {
        let world = try await World()
        world.carrier.answer(.failure(fault))
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        #expect(await walk.go().status == 302)
        let back = await walk.comeBack("code=secret-code")
        #expect(back.status == 200)
        #expect(back.text == #"{"error":"mobile_auth_unavailable"}"#)
        try await fallsBack(app, walk)
    }

    @Test func `goes without an operator where none serves the address`() async throws {
        let world = try await World()
        world.carrier.serve(false)
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        let answer = await walk.go()
        #expect(answer.status == 200)
        #expect(answer.text == #"{"error":"mobile_auth_unavailable"}"#)
        #expect(await walk.go().status == 410, "the ticket is used up all the same")
        try await fallsBack(app, walk)
    }

    @Test(arguments: ["error=access_denied", "error=login_required&error_description=x", "error="])
    func `asks nobody when the operator says no`(outcome: String) async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        #expect(await walk.go().status == 302)
        let back = await walk.comeBack(outcome)
        #expect(back.status == 200)
        #expect(back.text == #"{"error":"mobile_auth_unavailable"}"#)
        #expect(world.carrier.redeemed == [])
        try await fallsBack(app, walk)
    }

    @Test func `believes an error beside a code`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let walk = await (await world.native()).beginMobileAuth()
        _ = await walk.go()
        #expect(await walk.comeBack("code=c&error=access_denied").json["vfp"] == nil)
        #expect(world.carrier.redeemed == [])
    }

    private func fallsBack(_ app: App, _ walk: MobileAuthWalk) async throws {
        let answer = await app.post("/mobile-auth/finish", walk.giveUpBody)
        #expect(answer.status == 200)
        #expect(answer.json["step"] == "otpStart")
        #expect(answer.json["mobileAuth"] == ["attemptsLeft": 2, "error": "mobile_auth_unavailable", "code": 20303])
        #expect(allowed(by: answer) == ["otp.start", "cancel"])
    }

    // MARK: other fallbacks, other sessions

    @Test(arguments: [("link", "linkStart"), ("otp", "otpStart")])
    func `goes on with the fallback the client declared`(fallback: String, step: String) async throws {
        let app = await (try World()).native(fallback: fallback)
        let walk = await app.beginMobileAuth()
        #expect(await app.post("/mobile-auth/finish", walk.giveUpBody).json["step"]?.string == step)
    }

    @Test(arguments: [false, true]) func `ends a session without fallback`(operatorDiffers: Bool) async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(!operatorDiffers)))
        let started = await world.start(World.mobile)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios"}"#)
        let walk = await app.beginMobileAuth()
        let body = operatorDiffers ? walk.finishBody(try #require(await walk.follow())) : walk.giveUpBody
        let answer = await app.post("/mobile-auth/finish", body)
        #expect(answer.status == 200)
        #expect(answer.json["outcome"] == "failed")
        #expect(
            answer.json["mobileAuth"]?.object?["error"]
                == (operatorDiffers ? "mobile_auth_mismatch" : "mobile_auth_unavailable"))
        #expect(await world.status(started).json["success"] == "false")
    }

    @Test func `runs in a session with a bearer token`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native(key: nil)
        let walk = await app.beginMobileAuth()
        let fingerprint = try #require(await walk.follow())
        let answer = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(answer.json["outcome"] == "succeeded")
    }

    @Test func `binds a new device key to the number it found`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.number(World.laney)))
        let started = await world.start(World.mobileWithoutNumber)
        let app = App(world, started)
        let state = await app.post("", #"{"platform":"ios","deviceKey":true}"#).json
        let challenge = state["device"]?.object?["challenge"]?.string ?? ""
        let proof = FakeKey(9).deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
        #expect(await app.post("/device", #"{"proof":"\#(proof)"}"#).json["step"] == "mobileAuth")
        let walk = await app.beginMobileAuth()
        let fingerprint = try #require(await walk.follow())
        _ = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        let status = await world.status(started).json
        #expect(status["success"] == "true" && status["phoneNumber"] == "+12001004015")
        #expect(status["deviceId"] != nil)
    }

    // MARK: what is told to whom

    @Test func `reports what was wrong with the operator, without number or code`() async throws {
        let world = try await World()
        world.carrier.answer(.failure(.failed(reason: "token endpoint answered 500")))
        let walk = await (await world.native()).beginMobileAuth()
        _ = await walk.go()
        let back = await walk.comeBack("code=secret-code")
        #expect(!back.text.contains("500"))
        let reports = world.reports.withLock { $0 }
        #expect(reports == ["operator fake: token endpoint answered 500"])
        for secret in ["2001004014", "secret-code", walk.attempt] {
            #expect(!reports.contains { $0.contains(secret) })
        }
    }

    @Test func `keeps code, ticket and number out of the timeline`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.number(World.laney)))
        let started = await world.start(World.mobileWithoutNumber)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios"}"#)
        let walk = await app.beginMobileAuth()
        _ = await walk.go()
        let fingerprint = try #require(await walk.comeBack("code=secret-code").json["vfp"]?.string)
        _ = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        let timeline = await world.get("/sandbox/sessions/\(started.correlationID)")
        let events = timeline.json["events"]?.array?.compactMap { event -> String? in
            let detail = event.object?["detail"]?.string
            return event.object?["event"]?.string.map { $0 + (detail.map { " \($0)" } ?? "") }
        }
        #expect(
            events == [
                "created mobile", "redeemed ios", "mobile_auth_begun", "mobile_auth_sent_to_operator fake",
                "mobile_auth_answered found", "mobile_auth_passed", "succeeded mobileAuth",
            ])
        #expect(!timeline.text.contains("secret-code") && !timeline.text.contains("2001004015"))
    }

    @Test(arguments: [
        ("2001004015", "+12001004015"), ("+12001004015", "+12001004015"), ("%2B12001004015", "+12001004015"),
    ])
    func `answers for the number in the query, in a sandbox session without one`(
        sent: String, simulated: String
    ) async throws {
        let world = try await World()
        let walk = await (await world.native(World.mobileWithoutNumber)).beginMobileAuth()
        let location = await walk.go(adding: "&phoneNumber=\(sent)").header("location")
        #expect(location?.hasSuffix("&hint=\(simulated)") == true)
    }

    @Test func `answers for the default user when nobody is named`() async throws {
        let world = try await World()
        let walk = await (await world.native(World.mobileWithoutNumber)).beginMobileAuth()
        #expect(await walk.go().header("location")?.hasSuffix("&hint=+12001004016") == true)
    }

    @Test(arguments: ["%2B12065550100", "nobody", ""])
    func `has no network for a number that nobody has`(sent: String) async throws {
        let walk = await (try World()).native(World.mobileWithoutNumber).beginMobileAuth()
        #expect(await walk.go(adding: "&phoneNumber=\(sent)").text == #"{"error":"mobile_auth_unavailable"}"#)
    }

    @Test func `answers for the session's own number, whatever stands in the query`() async throws {
        let world = try await World()
        let walk = await (await world.native()).beginMobileAuth()
        let location = await walk.go(adding: "&phoneNumber=2001004015").header("location")
        #expect(location?.hasSuffix("&hint=+12001004014") == true)
    }

    @Test func `tells a real network no number, neither ours nor the query's`() async throws {
        var options = World.Options()
        options.isSandbox = false
        options.users = nil
        options.rules.callingCodes = ["1"]
        let world = try await World(options)
        for body in [#"{"possessionType":"mobile","phoneNumber":"+12065550100"}"#, World.mobileWithoutNumber] {
            let walk = await (await world.native(body)).beginMobileAuth()
            let location = await walk.go(adding: "&phoneNumber=%2B12065550199").header("location")
            #expect(location?.hasSuffix("&hint=") == true)
        }
    }
}
