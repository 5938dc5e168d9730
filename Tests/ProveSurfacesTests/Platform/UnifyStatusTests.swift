import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct UnifyStatusTests {
    private static let lorant =
        #"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"u-1","clientHumanId":"h-1"}"#

    private func names(_ response: Response) -> [String] { response.json.names }

    @Test func `is pending until the client has finished`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let answer = await world.status(started)
        #expect(answer.text == #"{"success":"pending","phoneNumber":"2001004014","clientRequestId":"u-1"}"#)
        _ = await App(world, started).redeem()
        #expect(await world.status(started).json["success"] == "pending")
    }

    @Test func `tells a success with everything it has, again and again`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        let answer = await world.status(started)
        #expect(names(answer) == ["success", "phoneNumber", "proveId", "clientHumanId", "clientRequestId"])
        #expect(answer.json["success"] == "true")
        #expect(answer.json["phoneNumber"] == "2001004014")
        #expect(answer.json["clientHumanId"] == "h-1")
        #expect(SDKShape.defects(of: answer.body) == [])
        #expect(await world.status(started).text == answer.text)
    }

    @Test func `states a success for the audience that was named`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        func statement() async -> String? {
            await world.status(started, more: #","statementAudience":"https://partner.example""#).json["statement"]?
                .string
        }
        #expect(await statement() == nil)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        #expect(await statement() == nil)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        let parts = try #require(await statement()).split(separator: "|").map(String.init)
        #expect(parts[1...5] == ["https://partner.example", "sandbox", started.correlationID, "+12001004014", "otp"])
        #expect(await world.status(started).json["statement"] == nil)
    }

    @Test func `states nothing that no check has proven`() async throws {
        let world = try await World()
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004018"}"#)
        let answer = await world.status(started, more: #","statementAudience":"p""#)
        #expect(answer.json["success"] == "true" && answer.json["statement"] == nil)
        for bad in [#""a\u0007""#, "1", "\"\(String(repeating: "a", count: 257))\""] {
            let refused = await world.status(started, more: #","statementAudience":\#(bad)"#)
            #expect(refused.status == 400 && refused.text.contains("statementAudience"), "\(bad)")
        }
    }

    // MARK: Whom a statement may be for

    private func audience(_ audience: String, _ change: (inout World.Options) -> Void) async throws -> Response {
        var options = World.Options()
        options.reservedAudiences = [World.publicURL, "https://idp.operator.example/oauth/token"]
        change(&options)
        let world = try await World(options)
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004018"}"#)
        return await world.status(started, more: #","statementAudience":"\#(audience)""#)
    }

    @Test(arguments: [
        World.publicURL, World.publicURL + "/v3", World.publicURL + "/client/v1", World.publicURL + "/token",
        "HTTP://127.0.0.1:8080/v3", World.publicURL + "?x", "https://idp.operator.example",
        "https://idp.operator.example/oauth/token", "https://IDP.operator.example/other",
    ]) func `makes no statement for this server or an operator`(audience: String) async throws {
        let refused = try await self.audience(audience) { $0.rules.statementAudiences = [audience] }
        #expect(
            refused.status == 400
                && refused.text
                    == #"{"code":8001,"message":"field 'statementAudience' names this server or a mobile operator, and not a third party"}"#
        )
    }

    @Test(arguments: ["*", "https://*.example", "https://partner.example/*"])
    func `makes no statement for everybody`(audience: String) async throws {
        let refused = try await self.audience(audience) { _ in }
        #expect(refused.status == 400 && refused.text.contains("'statementAudience' must name one third party"))
    }

    @Test(arguments: [
        ("https://partner.example", 200), ("p-2", 200), ("https://partner.example/", 400),
        ("https://Partner.example", 400),
        ("https://other.example", 400),
    ]) func `with a list, makes statements for its members only`(audience: String, status: Int) async throws {
        let answer = try await self.audience(audience) {
            $0.rules.statementAudiences = ["https://partner.example", "p-2"]
        }
        #expect(answer.status == status)
        #expect(status == 200 || answer.text.contains("'statementAudience' is not registered for this client"))
        // Without one, anybody else may be told.
        #expect(try await self.audience(audience) { _ in }.status == 200)
    }

    @Test(arguments: [
        "http://127.0.0.1:80800", "http://127.0.0.1", "urn:127.0.0.1:8080", "https://a.idp.operator.example",
    ])
    func `an audience that only looks alike is somebody else`(audience: String) async throws {
        #expect(try await self.audience(audience) { _ in }.status == 200)
    }

    @Test func `has a device id once a key was bound, and a known device needs no code`() async throws {
        let world = try await World()
        let device = FakeKey(9)
        let first = await world.start(Self.lorant)
        let app = App(world, first)
        let challenge = await app.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let proof = device.deviceProof(session: first.authID, challenge: challenge, sessionKey: app.key)
        #expect(await app.post("/device", #"{"proof":"\#(proof)"}"#).json["device"]?.object?["status"] == "pending")
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        let bound = await world.status(first).json
        #expect(bound["deviceId"]?.string?.utf8.count == 36)

        let second = await world.start(Self.lorant)
        let again = App(world, second, key: FakeKey(2))
        let next = await again.redeem(deviceKey: true).json["device"]?.object?["challenge"]?.string ?? ""
        let answer = await again.post(
            "/device",
            #"{"proof":"\#(device.deviceProof(session: second.authID, challenge: next, sessionKey: again.key))"}"#)
        #expect(answer.json["outcome"] == "succeeded")
        let known = await world.status(second).json
        #expect(known["deviceId"] == bound["deviceId"])
        #expect(known["proveId"] == bound["proveId"])
    }

    @Test func `tells a failure by number and reference alone`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        #expect(await app.post("/otp/verify", #"{"code":"1111"}"#).status == 400)
        #expect(
            await world.status(started).text
                == #"{"success":"false","phoneNumber":"2001004014","clientRequestId":"u-1"}"#)
    }

    @Test func `is true at once for a user that needs no client`() async throws {
        let world = try await World()
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004018"}"#)
        let answer = await world.status(started)
        #expect(names(answer) == ["success", "phoneNumber", "proveId"])
        #expect(answer.json["success"] == "true")
    }

    @Test func `is false after a quarter of an hour, and over a quarter later`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        _ = world.clock.advance(seconds: 899)
        #expect(await world.status(started).json["success"] == "pending")
        _ = world.clock.advance(seconds: 1)
        #expect(await world.status(started).json["success"] == "false")
        _ = world.clock.advance(seconds: 899)
        #expect(await world.status(started).json["success"] == "false")
        _ = world.clock.advance(seconds: 1)
        let gone = await world.status(started)
        #expect(gone.status == 400)
        #expect(
            gone.text == #"{"code":8008,"message":"field 'correlationId' names a session that is over for good"}"#)
        // Nobody else learns that there was a session, or whose it is.
        let body = #"{"correlationId":"\#(started.correlationID)"}"#
        let others = await world.post("/v3/unify-status", body, as: "sandbox-2")
        #expect(
            others.text == #"{"code":8008,"message":"field 'correlationId' is not a known correlation ID"}"#)
    }

    @Test func `prefers the reference of this request`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        for (sent, echoed) in [(#""s-1""#, "s-1"), (#""""#, "u-1"), ("null", "u-1")] {
            let body = #"{"correlationId":"\#(started.correlationID)","clientRequestId":\#(sent)}"#
            #expect(await world.post("/unify-status", body).json["clientRequestId"]?.string == echoed)
        }
        let bare = await world.start(#"{"possessionType":"mobile"}"#)
        #expect(await world.status(bare).text == #"{"success":"pending"}"#)
    }

    @Test(arguments: [
        ("{}", 8001, "field 'correlationId' is missing"),
        (#"{"correlationId":null}"#, 8001, "field 'correlationId' is missing"),
        (#"{"correlationId":""}"#, 8001, "field 'correlationId' is missing"),
        (#"{"correlationId":7}"#, 8001, "field 'correlationId' must be a string"),
        (#"{"correlationId":"x","clientRequestId":7}"#, 8001, "field 'clientRequestId' must be a string"),
        (#"{"correlationId":"x"}"#, 8008, "field 'correlationId' is not a known correlation ID"),
        (
            #"{"correlationId":"0193a0b0-0000-7000-8000-000000000001"}"#, 8008,
            "field 'correlationId' is not a known correlation ID"
        ),
        (
            #"{"correlationId":"0193A0B0-0000-7000-8000-000000000001"}"#, 8008,
            "field 'correlationId' is not a known correlation ID"
        ),
    ]) func `tells a missing id from an unknown one`(body: String, code: Int64, message: String) async throws {
        let answer = await (try World()).post("/v3/unify-status", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": .integer(code), "message": .string(message)])
    }

    @Test func `gives another tenant's id the answer of an unknown one`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let foreign = await world.status(started, as: "sandbox-2")
        let unknown = await world.post(
            "/v3/unify-status", #"{"correlationId":"0193a0b0-0000-7000-8000-000000000001"}"#, as: "sandbox-2")
        #expect(foreign.status == unknown.status && foreign.text == unknown.text)
    }
}

@Suite struct BindUnifyTests {
    private static let none = #"{"possessionType":"none","phoneNumber":"2001004014","clientRequestId":"u-1"}"#

    /// A session that waits for bind, with a key of its own.
    private func waiting(_ world: World, _ body: String = none) async -> World.Started {
        let started = await world.start(body)
        let app = App(world, started)
        let state = await app.post("", #"{"platform":"ios","deviceKey":true}"#).json
        let challenge = state["device"]?.object?["challenge"]?.string ?? ""
        let proof = FakeKey(9).deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
        _ = await app.post("/device", #"{"proof":"\#(proof)"}"#)
        return started
    }

    private func bind(_ world: World, _ started: World.Started, _ number: String) async -> Response {
        await world.post("/v3/unify-bind", #"{"correlationId":"\#(started.correlationID)","phoneNumber":"\#(number)"}"#)
    }

    @Test func `binds the waiting key to the number the tenant vouches for`() async throws {
        let world = try await World()
        let started = await waiting(world)
        #expect(await world.status(started).json["success"] == "possession_required")
        let answer = await bind(world, started, "+12001004014")
        #expect(answer.status == 200)
        #expect(answer.json.names == ["success", "phoneNumber", "proveId", "deviceId", "clientRequestId"])
        #expect(answer.json["success"] == "true")
        #expect(answer.json["phoneNumber"] == "+12001004014")
        #expect(SDKShape.defects(of: answer.body) == [])
        let second = await bind(world, started, "2001004014")
        #expect(second.status == 403)
        #expect(second.text == #"{"code":8003,"message":"step not allowed"}"#)
    }

    @Test func `takes a wrong number three times`() async throws {
        let world = try await World()
        let started = await waiting(world)
        for _ in 0..<3 {
            let answer = await bind(world, started, "2001004015")
            #expect(answer.status == 200)
            #expect(answer.text == #"{"success":"false","phoneNumber":"2001004015","clientRequestId":"u-1"}"#)
        }
        #expect(await bind(world, started, "2001004014").status == 403)
        #expect(await world.status(started).json["success"] == "false")
    }

    @Test(arguments: [(899, 200), (900, 400)])
    func `lets a key wait for its number as long as the session lives`(age: Int64, status: Int) async throws {
        let world = try await World()
        let started = await waiting(world)
        _ = world.clock.advance(seconds: age)
        #expect(await bind(world, started, "2001004014").status == status)
    }

    @Test func `still binds after a wrong number`() async throws {
        let world = try await World()
        let started = await waiting(world)
        #expect(await bind(world, started, "+12065550100").json["success"] == "false")
        #expect(await bind(world, started, "2001004014").json["success"] == "true")
    }

    @Test func `refuses a session that waits for no bind`() async throws {
        let world = try await World()
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004014"}"#)
        let answer = await bind(world, started, "2001004014")
        #expect(answer.status == 403)
        #expect(answer.json["code"] == 8003)
    }

    @Test(arguments: [
        ("{}", 8001, "field 'correlationId' is missing"),
        (#"{"correlationId":"x"}"#, 8001, "field 'phoneNumber' is missing"),
        (#"{"correlationId":"x","phoneNumber":""}"#, 8001, "field 'phoneNumber' is missing"),
        (#"{"correlationId":"x","phoneNumber":1}"#, 8001, "field 'phoneNumber' must be a string"),
        (
            #"{"correlationId":"x","phoneNumber":"1_2"}"#, 8001,
            "field 'phoneNumber' may have only letters, digits, blanks and + - . ( )"
        ),
        (
            #"{"correlationId":"x","phoneNumber":"2001004014"}"#, 8008,
            "field 'correlationId' is not a known correlation ID"
        ),
    ]) func `checks fields before the id`(body: String, code: Int64, message: String) async throws {
        let answer = await (try World()).post("/v3/unify-bind", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": .integer(code), "message": .string(message)])
    }

    @Test func `knows no session of another tenant, and none that expired`() async throws {
        let world = try await World()
        let started = await waiting(world)
        let body = #"{"correlationId":"\#(started.correlationID)","phoneNumber":"2001004014"}"#
        #expect(await world.post("/unify-bind", body, as: "sandbox-2").json["code"] == 8008)
        let unredeemed = await world.start(Self.none)
        _ = world.clock.advance(seconds: 900)
        let over = await bind(world, unredeemed, "2001004014")
        #expect(over.json["code"] == 8008)
        #expect(over.json["message"] == "field 'correlationId' names a session that is over for good")
    }
}

@Suite struct RevokeDeviceTests {
    @Test func `revokes its own key, twice as well, and no other`() async throws {
        let world = try await World()
        let id = DeviceID("0193a0b0-0000-7000-8000-000000000001")!
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004014"}"#)
        let app = App(world, started)
        let state = await app.redeem(deviceKey: true).json
        let challenge = state["device"]?.object?["challenge"]?.string ?? ""
        let proof = FakeKey(9).deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
        _ = await app.post("/device", #"{"proof":"\#(proof)"}"#)
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        let bound = await world.status(started).json["deviceId"]?.string ?? ""
        let body = #"{"deviceId":"\#(bound)","clientRequestId":"r"}"#
        #expect(await world.post("/v3/device/revoke", body, as: "sandbox-2").status == 404)
        for _ in 0..<2 {
            let answer = await world.post("/v3/device/revoke", body)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"success":true}"#)
            #expect(SDKShape.defects(of: answer.body, successIsText: false) == [])
        }
        let unknown = await world.post("/v3/device/revoke", #"{"deviceId":"\#(id.text)"}"#)
        #expect(unknown.status == 404)
        #expect(unknown.text == #"{"code":8010,"message":"no such device"}"#)
    }

    @Test(arguments: [
        ("{}", "is missing"), (#"{"deviceId":""}"#, "is missing"), (#"{"deviceId":null}"#, "is missing"),
        (#"{"deviceId":7}"#, "must be a string"), (#"{"deviceId":"x"}"#, "must be a UUID"),
    ]) func `names what is wrong with the id`(body: String, reason: String) async throws {
        let answer = await (try World()).post("/v3/device/revoke", body)
        #expect(answer.status == 400)
        #expect(answer.text == #"{"code":8001,"message":"field 'deviceId' \#(reason)"}"#)
    }
}
