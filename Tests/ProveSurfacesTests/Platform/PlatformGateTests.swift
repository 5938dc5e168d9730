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

@Suite struct PlatformGateTests {
    private static let path = "/v3/unify"
    private static let body = #"{"possessionType":"mobile"}"#
    static let protected = [
        "/v3/unify", "/unify", "/v3/unify-status", "/unify-status", "/v3/unify-bind", "/unify-bind",
        "/v3/device/revoke",
    ]

    @Test(arguments: protected) func `asks for a token on every call`(path: String) async throws {
        let world = try await World()
        let answer = await world.client.send(World.request(.post, path, "{}"))
        #expect(answer.status == 401)
        #expect(answer.json["code"] == 8002)
        #expect(answer.header("www-authenticate") == "Bearer")
        let bad = await world.client.send(World.request(.post, path, "{}", [("Authorization", "Bearer nonsense")]))
        #expect(bad.status == 401)
        #expect(bad.header("www-authenticate") == #"Bearer error="invalid_token""#)
        #expect(SDKShape.defects(of: bad.body) == [])
    }

    private static let token = World.bearer().value.dropFirst(7)

    @Test(arguments: [
        (["Bearer \(token)"], 200), (["bearer \(token)"], 200), (["BEARER  \(token)"], 200),
        (["Bearer \(token)", "Bearer \(token)"], 401), (["Basic \(token)"], 401), (["Bearer"], 401), (["Bearer "], 401),
        (["Bearer \(token) x"], 401), (["Bearer,\(token)"], 401), (["DPoP \(token)"], 401), ([String(token)], 401),
        ([""], 401),
        (["Bearer \(token)x"], 401), (["Bearer \(token),x"], 401),
    ]) func `takes exactly one bearer token`(values: [String], status: Int) async throws {
        let world = try await World()
        let headers = values.map { (name: "Authorization", value: $0) }
        #expect(await world.client.send(World.request(.post, Self.path, Self.body, headers)).status == status)
    }

    @Test(arguments: [true, false]) func `says in a sandbox what is wrong with a token, and in live nothing`(
        tells: Bool
    ) async throws {
        var options = World.Options()
        options.platform.tellsTokens = tells
        let world = try await World(options)
        let started = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004014"}"#)
        func message(_ value: String) async -> String? {
            let answer = await world.client.send(
                World.request(.post, Self.path, Self.body, [("Authorization", value)]))
            #expect(answer.status == 401 && answer.json["code"] == 8002)
            #expect(answer.header("www-authenticate") == #"Bearer error="invalid_token""#)
            return answer.json["message"]?.string
        }
        let hints = [
            (
                await message("Bearer \(started.token)"),
                "this is the auth token of a session, which is for the app: send an access token of /token"
            ),
            (
                await message(World.bearer(life: -1).value),
                "the access token has expired: get a new one at /token"
            ),
            (
                await message("Bearer nonsense"),
                "this is no access token of this server: it was changed, or is of another server or database"
            ),
            (await message(World.bearer("nobody").value), "the API client of this access token is gone"),
            (
                await message("Basic c2FuZGJveDp4"),
                "the header must be Authorization: Bearer and the access token"
            ),
        ]
        for (message, hint) in hints { #expect(message == (tells ? hint : "the access token is not valid")) }
    }

    @Test func `ignores a token in the address`() async throws {
        let world = try await World()
        var request = World.request(.post, Self.path, Self.body)
        request.rawQuery = "access_token=\(Self.token)"
        #expect(await world.client.send(request).status == 401)
    }

    @Test func `refuses the token of a revoked tenant`() async throws {
        let world = try await World()
        _ = try await world.store.revokeTenant(ClientID("sandbox")!, at: FixedClock.start)
        let answer = await world.post(Self.path, Self.body)
        #expect(answer.status == 401)
        #expect(await world.post(Self.path, Self.body, as: "sandbox-2").status == 200)
    }

    @Test(arguments: [
        ("application/json", 200), ("application/json; charset=utf-8", 200), ("application/json;charset=UTF-8", 200),
        ("Application/JSON", 200), ("application/json; charset=utf8", 200),
        (#"application/json; charset="utf-8""#, 200),
        ("application/json; charset=latin1", 415), ("application/json;", 200), ("application/json ; ", 200),
        ("application/json; charset=us-ascii", 200), (#"application/json; Charset="US-ASCII";"#, 200),
        ("application/json; charset=ISO-8859-1", 200), ("application/json; profile=x; charset=utf-8", 200),
        (#"application/json; profile="a;b\"c""#, 200), (#"application/json; charset="utf-\8""#, 200),
        ("application/json; charset=utf-8; charset=utf-16", 415), ("application/json; charset=", 415),
        ("application/json; charset", 415), (#"application/json; charset="utf-8"#, 415),
        (#"application/json; charset="utf-8"x"#, 415), ("application/json; ; a=b", 200), ("application/json a", 415),
        ("application/json; profile=" + HostileText.ascii(240), 415), ("application/jsonx", 415),
        ("application/json; v=1", 200), ("text/json", 415), ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/problem+json", 415), ("", 415), (nil, 415), ("application/json, text/plain", 415),
    ]) func `takes JSON only`(contentType: String?, status: Int) async throws {
        let world = try await World()
        let request = World.request(.post, Self.path, Self.body, [World.bearer()], contentType: contentType)
        let answer = await world.client.send(request)
        #expect(answer.status == status)
        #expect(status == 200 || answer.json["code"] == 8001)
        #expect(world.client.answerToHead(request)?.status == (status == 200 ? nil : 415))
    }

    @Test(arguments: [
        "", "[]", "7", #""x""#, "null", "{", #"{"a":1,}"#, #"{"a":1}{}"#, #"{"a":1,"a":2}"#, "{'a':1}", "\u{FEFF}",
        #"{"a":"\ud800"}"#,
        "nonsense",
    ]) func `takes exactly one JSON object`(body: String) async throws {
        let answer = await (try World()).post(Self.path, body)
        #expect(answer.status == 400)
        #expect(answer.json["code"] == 8001)
        #expect(answer.json["message"]?.string?.hasPrefix("the body is not acceptable: ") == true)
    }

    @Test func `tells an empty body by its name`() async throws {
        let world = try await World()
        let answer = await world.client.send(World.request(.post, Self.path, "", [World.bearer()], contentType: nil))
        #expect(answer.text == #"{"code":8001,"message":"the body is empty; a JSON object is due"}"#)
    }

    @Test func `a body of 4096 characters passes, one more does not`() async throws {
        let world = try await World()
        let fill = String(repeating: " ", count: 4096 - Self.body.utf8.count)
        #expect(await world.post(Self.path, Self.body + fill).status == 200)
        let answer = await world.post(Self.path, Self.body + fill + " ")
        #expect(answer.status == 400)
        #expect(answer.text == #"{"code":8001,"message":"the body is larger than 4096 characters"}"#)
        var head = World.request(.post, Self.path, "", [World.bearer(), ("Content-Length", "16385")])
        #expect(world.client.answerToHead(head)?.status == 400)
        head = World.request(.post, Self.path, "", [World.bearer(), ("Content-Length", "16384")])
        #expect(world.client.answerToHead(head) == nil)
    }

    @Test func `answers a bad token from the head alone`() async throws {
        let world = try await World()
        #expect(world.client.answerToHead(World.request(.post, Self.path, ""))?.status == 401)
        #expect(world.client.answerToHead(World.request(.post, Self.path, "", [World.bearer()])) == nil)
    }

    @Test func `passes 250 to 275 of 1000 calls in ten seconds at a rate of 25, and the next after Retry-After`()
        async throws
    {
        var options = World.Options()
        options.platform.requestsPerSecond = 25
        let world = try await World(options)
        var statuses: [Int: Int] = [:]
        var last: Response?
        for call in 0..<1000 {
            // 100 calls a second; the fixed clock knows whole seconds, the exact counts are TenantRatesTests'.
            if call % 100 == 0, call > 0 { _ = world.clock.advance(seconds: 1) }
            let answer = await world.post(Self.path, "{}")
            statuses[answer.status, default: 0] += 1
            last = answer
        }
        #expect(statuses == [400: 250, 429: 750])
        #expect(last?.json["code"] == 8004)
        #expect(last?.header("retry-after") == "1")
        #expect(await world.post(Self.path, "{}", as: "sandbox-2").status == 400, "another tenant is not held up")
        _ = world.clock.advance(seconds: 1)
        #expect(await world.post(Self.path, "{}").status == 400)
    }

    @Test func `gives unknown paths and methods the platform's shape`() async throws {
        let world = try await World()
        let unknown = await world.post("/v3/nothing", "{}")
        #expect(unknown.status == 404)
        #expect(unknown.json["code"] == 8001)
        let method = await world.get("/v3/unify")
        #expect(method.status == 405)
        #expect(method.json["code"] == 8001)
        #expect(SDKShape.defects(of: method.body) == [])
    }
}
