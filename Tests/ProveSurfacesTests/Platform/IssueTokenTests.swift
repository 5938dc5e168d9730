@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
import Text

@Suite struct IssueTokenTests {
    private static let good = "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret"
    private static let form = "application/x-www-form-urlencoded"

    private func token(
        _ world: World, _ body: String, basic: String? = nil, contentType: String? = form
    ) async -> Response {
        let headers = basic.map { [(name: "Authorization", value: "Basic \($0)")] } ?? []
        return await world.client.send(World.request(.post, "/token", body, headers, contentType: contentType))
    }

    @Test func `hands out a bearer token for an hour, not to be stored`() async throws {
        let world = try await World()
        let answer = await token(world, Self.good)
        #expect(answer.status == 200)
        #expect(answer.json.names == ["access_token", "token_type", "expires_in"])
        #expect(answer.text.hasSuffix(#""token_type":"Bearer","expires_in":3600}"#))
        #expect(answer.header("cache-control") == "no-store")
        let use = World.request(
            .post, "/v3/unify", #"{"possessionType":"mobile"}"#,
            [("Authorization", "Bearer \(answer.json["access_token"]?.string ?? "")")])
        #expect(await world.client.send(use).status == 200)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        let status: Int
        let code: Int64
        let error: String
        let message: String
        var testDescription: String { body }
    }

    static let refused: [Row] = [
        Row(body: "", status: 400, code: 8001, error: "invalid_request", message: "field 'grant_type' is missing"),
        Row(
            body: "grant_type=", status: 400, code: 8001, error: "invalid_request",
            message: "field 'grant_type' is missing"),
        Row(
            body: "grant_type=password&client_id=sandbox", status: 400, code: 8001, error: "unsupported_grant_type",
            message: "field 'grant_type' must be client_credentials"),
        Row(
            body: "grant_type=client_credentials&client_secret=x", status: 400, code: 8001, error: "invalid_request",
            message: "field 'client_id' is missing"),
        Row(
            body: "grant_type=client_credentials&client_id=sandbox", status: 400, code: 8001, error: "invalid_request",
            message: "field 'client_secret' is missing"),
        Row(
            body: good + "&client_id=sandbox", status: 400, code: 8001, error: "invalid_request",
            message: "field 'client_id' is there twice"),
        Row(
            body: good + "&a=1&a=2", status: 400, code: 8001, error: "invalid_request",
            message: "the body is not acceptable: a field is there twice"),
        Row(
            body: good + "&x=%zz", status: 400, code: 8001, error: "invalid_request",
            message: "the body is not acceptable: it is not form-encoded UTF-8"),
        Row(
            body: good + "&x=%ff", status: 400, code: 8001, error: "invalid_request",
            message: "the body is not acceptable: it is not form-encoded UTF-8"),
        Row(
            body: "grant_type=client_credentials&client_id=sandbox&client_secret=wrong", status: 401, code: 8002,
            error: "invalid_client", message: "the client credentials are not valid"),
        Row(
            body: "grant_type=client_credentials&client_id=nobody&client_secret=x", status: 401, code: 8002,
            error: "invalid_client", message: "the client credentials are not valid"),
        Row(
            body: "grant_type=client_credentials&client_id=a%20b&client_secret=x", status: 401, code: 8002,
            error: "invalid_client", message: "the client credentials are not valid"),
        Row(
            body: "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-2-secret", status: 401,
            code: 8002,
            error: "invalid_client", message: "the client credentials are not valid"),
    ]

    @Test(arguments: refused) func `names what is wrong, in one order`(row: Row) async throws {
        let answer = await token(try World(), row.body)
        #expect(answer.status == row.status)
        #expect(
            answer.json == [
                "code": .integer(row.code), "message": .string(row.message), "error": .string(row.error),
                "error_description": .string(row.message),
            ])
        #expect((answer.header("www-authenticate") != nil) == (row.status == 401))
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test func `describes errors in the characters that OAuth allows`() async throws {
        #expect(TokenError.oauthText("it's \"x\\y\" \u{7F}\u{E9}\r\nz") == "it's xy z")
        let world = try await World()
        for body in ["grant_type=%22%5C%0A%C3%A9", "%22=1&%22=2", Self.good + "&client_id=%22", Self.good + "&x=%"] {
            let text = await token(world, body).json["error_description"]?.string ?? ""
            #expect(!text.isEmpty)
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
            #expect(!text.contains("sandbox-secret"))
        }
    }

    @Test(arguments: [
        (form, 200), ("application/x-www-form-urlencoded; charset=utf-8", 200),
        ("Application/X-WWW-Form-Urlencoded", 200),
        ("application/json", 415), ("text/plain", 415), ("", 415), (nil, 415),
        ("application/x-www-form-urlencoded; charset=latin1", 415), ("multipart/form-data", 415),
    ]) func `takes a form only`(contentType: String?, status: Int) async throws {
        let answer = await token(try World(), Self.good, contentType: contentType)
        #expect(answer.status == status)
        #expect(status == 200 || answer.json["code"] == 8001)
    }

    /// sandbox:sandbox-secret, with and without padding; the same form-encoded; a wrong secret; no colon; no base64.
    @Test(arguments: [
        ("c2FuZGJveDpzYW5kYm94LXNlY3JldA==", 200), ("c2FuZGJveDpzYW5kYm94LXNlY3JldA", 200),
        ("c2FuZGJveDpzYW5kYm94JTJEc2VjcmV0", 200), ("c2FuZGJveDp3cm9uZw==", 401), ("c2FuZGJveA==", 401), ("%%%%", 401),
        ("c2FuZGJveDpzYW5kYm94LXNlY3JldA===", 401),
    ]) func `takes Basic as well`(basic: String, status: Int) async throws {
        let answer = await token(try World(), "grant_type=client_credentials", basic: basic)
        #expect(answer.status == status)
        #expect(status == 200 || answer.header("www-authenticate")?.hasPrefix("Basic ") == true)
    }

    @Test func `takes one way of authentication at a time`() async throws {
        let world = try await World()
        let basic = "c2FuZGJveDpzYW5kYm94LXNlY3JldA=="
        #expect(await token(world, Self.good, basic: basic).status == 400)
        #expect(await token(world, "grant_type=client_credentials&client_id=sandbox", basic: basic).status == 200)
        #expect(await token(world, "grant_type=client_credentials&client_id=sandbox-2", basic: basic).status == 400)
        let twice = [
            (name: "Authorization", value: "Basic \(basic)"), (name: "Authorization", value: "Basic \(basic)"),
        ]
        let request = World.request(.post, "/token", "grant_type=client_credentials", twice, contentType: Self.form)
        #expect(await world.client.send(request).status == 401)
    }

    @Test func `decodes percent and plus`() async throws {
        let world = try await World()
        let body = "grant_type=client%5Fcredentials&client_id=sandbox&client_secret=%73andbox%2Dsecret&scope=a+b"
        #expect(await token(world, body).status == 200)
        #expect(await token(world, Self.good.replacing("sandbox-secret", with: "sandbox+secret")).status == 401)
    }

    @Test func `refuses a revoked client`() async throws {
        let world = try await World()
        _ = try await world.store.revokeTenant(ClientID("sandbox")!, at: FixedClock.start)
        #expect(await token(world, Self.good).status == 401)
    }

    @Test func `takes the older of two secrets`() async throws {
        let world = try await World()
        var tenant = try #require(try await world.store.tenant(ClientID("sandbox")!))
        tenant.secretDigests.insert(world.engine.crypto.keyed.secret("new", tenant.id), at: 0)
        try await world.store.save(tenant)
        #expect(await token(world, Self.good).status == 200)
        #expect(await token(world, Self.good.replacing("sandbox-secret", with: "new")).status == 200)
    }

    @Test func `takes the older secret until it ends, the end not included`() async throws {
        let world = try await World()
        let (id, keyed) = (try #require(ClientID("sandbox")), world.engine.crypto.keyed)
        let end = world.clock.now().adding(.seconds(3600))
        _ = try await world.store.updateTenant(id) {
            $0.replaceSecret(with: keyed.secret("new", id), keepingOldUntil: end)
        }
        let new = Self.good.replacing("sandbox-secret", with: "new")
        #expect(world.clock.advance(seconds: 3599))
        #expect(await token(world, Self.good).status == 200)
        #expect(world.clock.advance(seconds: 1))
        #expect(await token(world, Self.good).status == 401)
        #expect(await token(world, new).status == 200)
    }

    @Test func `a body of 4096 bytes passes, one more does not`() async throws {
        let world = try await World()
        let start = Self.good + "&x="
        let fill = String(repeating: "a", count: 4096 - start.utf8.count)
        #expect(await token(world, start + fill).status == 200)
        #expect(await token(world, start + fill + "a").status == 413)
    }

    /// Calls from an address. A proxy there may name the address that it speaks for.
    private func call(
        _ world: World, _ body: String, from peer: PeerAddress, forwardedFor: String? = nil
    ) async -> Response {
        var request = World.request(
            .post, "/token", body, forwardedFor.map { [(name: "X-Forwarded-For", value: $0)] } ?? [],
            contentType: Self.form)
        request.peer = peer
        return await world.client.send(request)
    }

    private static let wrong = good.replacing("sandbox-secret", with: "wrong")
    private static let away = PeerAddress(ipv4: (192, 0, 2, 7))

    private static func limited(trusting proxies: String? = nil) async throws -> World {
        var options = World.Options()
        options.platform.limitsFailedTokenCalls = true
        options.platform.trustedProxies = try proxies.map { try AddressRanges(list: $0) } ?? AddressRanges()
        return try await World(options)
    }

    @Test func `limits failed calls where told to, and only the one who fails`() async throws {
        let world = try await Self.limited()
        for _ in 0..<5 { #expect(await call(world, Self.wrong, from: Self.away).status == 401) }
        let limited = await call(world, Self.good, from: Self.away)
        #expect(limited.status == 429)
        #expect(limited.json["code"] == 8004)
        #expect(limited.header("retry-after") == "1")
        #expect(await call(world, Self.good, from: PeerAddress(ipv4: (192, 0, 2, 1))).status == 200)
        _ = world.clock.advance(seconds: 1)
        #expect(await call(world, Self.good, from: Self.away).status == 200)
    }

    @Test func `tells callers behind a trusted proxy apart by what it says`() async throws {
        let world = try await Self.limited(trusting: "127.0.0.1, 192.0.2.9")
        // Only what stands right of the last untrusted address was written by a proxy.
        for _ in 0..<5 {
            let spoofed = "198.51.100.\(Int.random(in: 1...250)), 203.0.113.5, 192.0.2.9"
            #expect(await call(world, Self.wrong, from: .loopback, forwardedFor: spoofed).status == 401)
        }
        #expect(await call(world, Self.good, from: .loopback, forwardedFor: "203.0.113.5").status == 429)
        #expect(await call(world, Self.good, from: .loopback, forwardedFor: "203.0.113.6").status == 200)
    }

    @Test func `believes no other peer, and holds nobody up behind a proxy it was not told of`() async throws {
        let world = try await Self.limited()
        for last in 1...5 {
            let answer = await call(world, Self.wrong, from: Self.away, forwardedFor: "203.0.113.\(last)")
            #expect(answer.status == 401)
        }
        #expect(await call(world, Self.good, from: Self.away, forwardedFor: "203.0.113.9").status == 429)
        for _ in 0..<6 { #expect(await call(world, Self.wrong, from: .loopback).status == 401) }
        #expect(await call(world, Self.good, from: .loopback).status == 200)
    }

    @Test(arguments: ["203.0.113.9", "::ffff:203.0.113.9", "203.0.113.9:4711", "[::ffff:203.0.113.9]:80"])
    func `knows an address by whatever a trusted proxy calls it`(spelling: String) async throws {
        let world = try await Self.limited(trusting: "127.0.0.0/8")
        for port in 1...5 {
            let answer = await call(world, Self.wrong, from: .loopback, forwardedFor: "203.0.113.9:\(port)")
            #expect(answer.status == 401)
        }
        #expect(await call(world, Self.good, from: .loopback, forwardedFor: spelling).status == 429)
        #expect(await call(world, Self.good, from: .loopback, forwardedFor: "::ffff:203.0.113.8").status == 200)
    }

    @Test(arguments: [nil, "unknown", "203.0.113.9, nonsense", "127.0.0.1", "", "fe80::1%eth0"])
    func `counts by the client id where a trusted proxy names no address`(field: String?) async throws {
        let world = try await Self.limited(trusting: "127.0.0.1")
        for _ in 0..<20 {
            #expect(await call(world, Self.wrong, from: .loopback, forwardedFor: field).status == 401)
        }
        let limited = await call(world, Self.good, from: .loopback, forwardedFor: field)
        #expect(limited.status == 429 && limited.header("retry-after") == "600")
        let other = Self.good.replacing("sandbox", with: "sandbox-2")
        #expect(await call(world, other, from: .loopback, forwardedFor: field).status == 200)
    }

    @Test func `refuses a form of more fields than anybody needs`() async throws {
        let world = try await World()
        let fields = (1...29).map { "&f\($0)=x" }.joined()
        #expect(await token(world, Self.good + fields).status == 200)
        #expect(await token(world, Self.good + fields + "&one=more").status == 400)
    }
}
