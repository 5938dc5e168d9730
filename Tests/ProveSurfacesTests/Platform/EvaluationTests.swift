import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import Sandbox
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

/// Reasons that `unify-status` tells, and what it tells of the person beside them.
@Suite struct EvaluationTests {
    /// The ways a number can be proven.
    enum Method: String, Sendable, CaseIterable { case otp, link, desktopLink, mobileAuth, deviceKey, customer }

    private static let passed: JSONValue = ["result": "pass"]
    private static let incomplete: JSONValue = [
        "result": "fail", "failureReasons": ["9100": "possession incomplete"],
    ]
    private static let bad = Reputation(failureReasons: [
        .init(code: "9133", text: "low SIM trust score"), .init(code: "9135", text: "recent SIM swap"),
    ])
    private static let badRisk: JSONValue = [
        "result": "fail", "failureReasons": ["9133": "low SIM trust score", "9135": "recent SIM swap"],
    ]

    private func world(standing: Reputation? = Reputation()) async throws -> World {
        var options = World.Options()
        options.reputation = standing.map { standing in ReputationCheck(ScriptedReputation { _ in standing }) }
        let world = try await World(options)
        world.carrier.answer(.success(.verified(true)))
        return world
    }

    private func order(_ method: Method, asks: Bool = true, number: String = "2001004014") -> String {
        let flow =
            switch method {
            case .desktopLink: #""desktop","finalTargetUrl":"https://app.example/done""#
            case .customer: #""none""#
            default: #""mobile""#
            }
        return #"{"possessionType":\#(flow),"phoneNumber":"\#(number)","clientRequestId":"u-1","clientHumanId":"h-1","#
            + #""checkReputation":\#(asks)}"#
    }

    /// Starts a session and proves its number; the device has a key of its own wherever the flow takes one.
    private func prove(_ world: World, _ method: Method, asks: Bool = true) async throws -> World.Started {
        if method == .deviceKey { _ = try await session(world, .otp, asks: false, key: 9) }
        return try await session(world, method, asks: asks, key: 9)
    }

    private func session(_ world: World, _ method: Method, asks: Bool, key: UInt8) async throws -> World.Started {
        let started = await world.start(order(method, asks: asks))
        let app = App(world, started)
        let fallback = [.link, .desktopLink].contains(method) ? "link" : "otp"
        let state = await app.post("", #"{"platform":"ios","fallback":"\#(fallback)","deviceKey":true}"#).json
        if let challenge = state["device"]?.object?["challenge"]?.string {
            let proof = FakeKey(key).deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
            _ = await app.post("/device", #"{"proof":"\#(proof)"}"#)
        }
        switch method {
        case .otp:
            _ = await app.post("/otp")
            _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        case .link, .desktopLink:
            _ = await app.post("/link")
            _ = await world.decide("decision=approve")
        case .mobileAuth:
            let walk = await app.beginMobileAuth()
            _ = await app.post("/mobile-auth/finish", walk.finishBody(try #require(await walk.follow())))
        case .deviceKey: break
        case .customer:
            _ = await world.post(
                "/v3/unify-bind", #"{"correlationId":"\#(started.correlationID)","phoneNumber":"2001004014"}"#)
        }
        return started
    }

    // MARK: the number's standing

    @Test(arguments: Method.allCases) func `a good standing passes beside the check`(method: Method) async throws {
        let world = try await world()
        let answer = await world.status(try await prove(world, method))
        #expect(answer.json["success"] == "true")
        #expect(answer.json["evaluation"] == ["authentication": Self.passed, "risk": Self.passed])
        #expect(answer.json["phoneNumber"] == "2001004014")
        #expect(answer.json["proveId"] != nil && answer.json["clientHumanId"] == "h-1")
        #expect((answer.json["deviceId"] != nil) == (method != .desktopLink))
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test(arguments: Method.allCases) func `a bad one makes a failure of any check`(method: Method) async throws {
        let world = try await world(standing: Self.bad)
        let started = try await prove(world, method)
        let answer = await world.status(started)
        #expect(answer.json.names == ["success", "phoneNumber", "clientRequestId", "evaluation"])
        #expect(answer.json["success"] == "false")
        #expect(answer.json["phoneNumber"] == "2001004014")
        #expect(answer.json["evaluation"] == ["authentication": Self.passed, "risk": Self.badRisk])
        #expect(SDKShape.defects(of: answer.body) == [])
        #expect(await world.status(started).text == answer.text, "again and again")
    }

    @Test(arguments: Method.allCases) func `nobody who did not ask is told`(method: Method) async throws {
        let world = try await world(standing: Self.bad)
        let answer = await world.status(try await prove(world, method, asks: false))
        #expect(answer.json["success"] == "true")
        #expect(answer.json["evaluation"] == nil)
    }

    @Test func `a bad one tells the bind itself`() async throws {
        let world = try await world(standing: Self.bad)
        let started = await world.start(order(.customer))
        _ = await App(world, started).post("", #"{"platform":"ios"}"#)
        #expect(await world.status(started).json["success"] == "possession_required")
        #expect(await world.status(started).json["evaluation"] == nil)
        let answer = await world.post(
            "/v3/unify-bind", #"{"correlationId":"\#(started.correlationID)","phoneNumber":"2001004014"}"#)
        #expect(answer.status == 200 && answer.json["success"] == "false")
        #expect(answer.json["evaluation"] == ["authentication": Self.passed, "risk": Self.badRisk])
        #expect(answer.json["proveId"] == nil && answer.json["deviceId"] == nil)
    }

    @Test func `a bad one binds no key, and does not tell a number that was found`() async throws {
        let world = try await world(standing: Self.bad)
        world.carrier.answer(.success(.number(World.laney)))
        let started = await world.start(#"{"possessionType":"mobile","checkReputation":true}"#)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios"}"#)
        let walk = await app.beginMobileAuth()
        let finish = await app.post("/mobile-auth/finish", walk.finishBody(try #require(await walk.follow())))
        #expect(finish.json["outcome"] == "failed")
        for part in ["9133", "SIM", "risk", "reputation"] {
            #expect(!finish.text.contains(part), "the client is not told why")
        }
        let status = await world.status(started)
        #expect(status.json.names == ["success", "evaluation"])
        #expect(!status.text.contains("2001004015"))
    }

    // MARK: checks that did not pass

    @Test func `a wrong code is possession that is incomplete`() async throws {
        let world = try await world(standing: Self.bad)
        let started = await world.start(order(.otp))
        let app = App(world, started)
        _ = await app.redeem()
        #expect(await world.status(started).json["evaluation"] == nil, "nothing is decided")
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1111"}"#)
        let answer = await world.status(started)
        #expect(answer.json.names == ["success", "phoneNumber", "clientRequestId", "evaluation"])
        #expect(answer.json["success"] == "false")
        #expect(answer.json["evaluation"] == ["authentication": Self.incomplete], "nobody asked about the number")
    }

    enum End: String, Sendable, CaseIterable { case deny, cancel, expiry, mobileAuth }

    @Test(arguments: End.allCases, [true, false])
    func `so is every other end without a proof, where a reason was asked for`(end: End, asks: Bool) async throws {
        let world = try await world(standing: Self.bad)
        let started = await world.start(order(.link, asks: asks))
        let app = App(world, started)
        switch end {
        case .deny:
            _ = await app.redeem(fallback: "link")
            _ = await app.post("/link")
            _ = await world.decide("decision=deny")
        case .cancel:
            _ = await app.redeem(fallback: "link")
            _ = await app.post("/cancel")
        case .expiry: _ = world.clock.advance(seconds: 900)
        case .mobileAuth:
            world.carrier.answer(.success(.verified(false)))
            _ = await app.post("", #"{"platform":"ios"}"#)
            let walk = await app.beginMobileAuth()
            _ = await app.post("/mobile-auth/finish", walk.finishBody(try #require(await walk.follow())))
        }
        let answer = await world.status(started).json
        #expect(answer["success"] == "false")
        #expect(answer["evaluation"] == (asks ? ["authentication": Self.incomplete] : nil))
        #expect(answer["proveId"] == nil && answer["deviceId"] == nil && answer["phoneNumber"] == "2001004014")
    }

    @Test(arguments: [true, false]) func `a key of another number is told in any case`(asks: Bool) async throws {
        let world = try await world(standing: Self.bad)
        _ = try await session(world, .otp, asks: false, key: 9)
        let started = await world.start(order(.otp, asks: asks, number: "2001004015"))
        let app = App(world, started)
        let challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let proof = FakeKey(9).deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
        #expect(refusal(of: await app.post("/device", #"{"proof":"\#(proof)"}"#)) == "device_number_mismatch")
        let answer = await world.status(started)
        #expect(answer.json.names == ["success", "phoneNumber", "clientRequestId", "evaluation"])
        #expect(answer.json["success"] == "false" && answer.json["phoneNumber"] == "2001004015")
        #expect(answer.json["evaluation"] == ["authentication": Self.incomplete])
        #expect(!answer.text.contains("2001004014"))
    }

    @Test func `a wrong number at bind has no reason of its own`() async throws {
        let world = try await world()
        let started = await world.start(order(.customer))
        _ = await App(world, started).post("", #"{"platform":"ios"}"#)
        let answer = await world.post(
            "/v3/unify-bind", #"{"correlationId":"\#(started.correlationID)","phoneNumber":"2001004015"}"#)
        #expect(answer.json["success"] == "false" && answer.json["evaluation"] == nil)
    }

    // MARK: a server without a source

    @Test func `a server that can ask nobody refuses the wish`() async throws {
        let world = try await world(standing: nil)
        let refused = await world.post("/v3/unify", order(.otp))
        #expect(refused.status == 400)
        #expect(
            refused.json == [
                "code": 8001,
                "message": "field 'checkReputation' asks for a check that this server has no source for",
            ])
        #expect(await world.get("/sandbox/sessions").json["sessions"] == [])
        for body in [
            order(.otp, asks: false), #"{"possessionType":"mobile","phoneNumber":"2001004014","checkReputation":null}"#,
        ] {
            #expect(await world.post("/v3/unify", body).status == 200)
        }
    }

    @Test func `a field that is wrong is named before that`() async throws {
        let world = try await world(standing: nil)
        let body = #"{"possessionType":"mobile","phoneNumber":"2001004014","checkReputation":"yes"}"#
        #expect(await world.post("/v3/unify", body).json["message"] == "field 'checkReputation' must be true or false")
    }
}
