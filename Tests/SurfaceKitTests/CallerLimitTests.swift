@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing
import Text

/// The limit as callers of each surface meet it.
@Suite struct CallerLimitTests {
    private static let proxy = PeerAddress(ipv4: (192, 0, 2, 9))

    private static func options(_ perSecond: Int = 1) -> World.Options {
        var options = World.Options()
        options.platform.callsPerAddressPerSecond = perSecond
        options.platform.trustedProxies = try! AddressRanges(list: "192.0.2.9")
        return options
    }

    private func call(_ world: World, _ method: HTTPServer.Method, _ path: String, from address: String) async
        -> Response
    {
        var request = World.request(method, path, "{}", [("X-Forwarded-For", address)])
        request.peer = Self.proxy
        return await world.client.send(request)
    }

    static let paths: [(HTTPServer.Method, String)] = [
        (.post, "/initialize"), (.post, "/verify"), (.post, "/finish"), (.post, "/client/v1/session"),
        (.get, "/client/v1/session"), (.post, "/client/v1/session/otp/verify"), (.get, "/client/v1/session/events"),
        (.get, "/l/abc"), (.post, "/l/abc"), (.get, "/ma/v1/go/abc"), (.get, "/ma/v1/cb"),
    ]

    /// Each had no limit but `/initialize`.
    @Test(arguments: paths) func `every anonymous call counts under its address`(
        method: HTTPServer.Method, path: String
    ) async throws {
        let world = try await World(Self.options())
        for _ in 0..<4 { #expect(await call(world, method, path, from: "198.51.100.1").status != 429) }
        let limited = await call(world, method, path, from: "198.51.100.1")
        #expect(limited.status == 429 && limited.header("retry-after") == "1")
        #expect(limited.text.contains("limit: calls from this address"))
        #expect(world.hits.withLock { $0 } == [.callsPerAddress])
        #expect(await call(world, method, path, from: "198.51.100.2").status != 429)
        _ = world.clock.advance(seconds: 1)
        #expect(await call(world, method, path, from: "198.51.100.1").status != 429)
    }

    @Test func `the surfaces share one count, and operators and backends have none`() async throws {
        let world = try await World(Self.options())
        for (method, path) in Self.paths.prefix(4) { _ = await call(world, method, path, from: "198.51.100.1") }
        #expect(await call(world, .get, "/l/abc", from: "198.51.100.1").status == 429)
        for _ in 0..<20 {
            #expect(await call(world, .get, "/healthz", from: "198.51.100.1").status == 200)
            #expect(await call(world, .post, "/v3/unify", from: "198.51.100.1").status == 401)
        }
    }

    @Test func `an answer of the limit can be read by the page that called`() async throws {
        let world = try await World(Self.options())
        var request = World.request(.post, "/client/v1/session", "{}", [("Origin", "https://app.example")])
        request.peer = Self.proxy
        for _ in 0..<20 { _ = await world.client.send(request) }
        let limited = await world.client.send(request)
        #expect(limited.status == 429 && limited.header("access-control-allow-origin") == "https://app.example")
    }

    // MARK: the rate of the API client

    private func rated(_ perSecond: Int) async throws -> World {
        var options = World.Options()
        options.platform.requestsPerSecond = perSecond
        return try await World(options)
    }

    /// Only the app's calls and the backend's did.
    @Test func `client calls count in the rate of their session's API client`() async throws {
        let world = try await rated(7)
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        #expect(await app.redeem().status == 200)
        #expect(await app.post("/otp").status == 200)
        let limited = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(limited.status == 429 && limited.header("retry-after") == "1")
        #expect(world.hits.withLock { $0 } == [.tenantRate])
        #expect(await world.post("/v3/unify-status", "{}", as: "sandbox-2").status == 400, "others go on")
        _ = world.clock.advance(seconds: 1)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
    }

    @Test func `looks at a link count in the rate of their session's API client`() async throws {
        let world = try await rated(12)
        let app = await world.linked()
        #expect(await app.post("/link").status == 200)
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(await world.openLink().status) }
        #expect(statuses == [200, 200, 429, 429])
        #expect(await world.openLink("/l/unknown").status == 404, "nobody's")
    }

    @Test func `hops of Mobile Auth count in the rate of their session's API client`() async throws {
        let world = try await rated(12)
        let walk = await world.native().beginMobileAuth()
        #expect(await walk.go().status == 302)
        #expect(await walk.comeBack().status == 200)
        #expect(await walk.comeBack().status == 429)
        #expect(await walk.go().status == 429)
    }

    // MARK: the app surface

    private func initialize(_ world: World, from peer: PeerAddress = .loopback, forwarded: String? = nil) async
        -> Response
    {
        var request = World.request(
            .post, "/initialize", #"{"flowType":"mobile","phoneNumber":"2001001693","ipAddress":"203.0.113.7"}"#,
            forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
        request.peer = peer
        return await world.client.send(request)
    }

    /// ABU-01: of 400 all passed before.
    @Test func `counts app calls in the rate of their tenant`() async throws {
        var options = World.Options()
        options.platform.requestsPerSecond = 5
        let world = try await World(options)
        var passed = 0
        for _ in 0..<400 where await initialize(world).status == 200 { passed += 1 }
        #expect(passed == 2)
        let limited = await initialize(world)
        #expect(limited.status == 429 && limited.json["code"] == 8004 && limited.header("retry-after") == "1")
        for _ in 0..<3 { #expect(await world.post("/v3/unify-status", "{}").status == 400, "strangers leave it this") }
        #expect(await world.post("/v3/unify-status", "{}").status == 429, "one rate for both")
        #expect(await world.post("/v3/unify-status", "{}", as: "sandbox-2").status == 400, "others go on (ABU-11)")
        _ = world.clock.advance(seconds: 1)
        #expect(await initialize(world).status == 200)
    }

    @Test func `limits anonymous starts by the caller's own address`() async throws {
        let world = try await World(World.limited { $0.startsPerAddressPerTenMinutes = 3 })
        let proxy = PeerAddress(ipv4: (192, 0, 2, 9))
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(await initialize(world, from: proxy, forwarded: "198.51.100.1").status) }
        #expect(statuses == [200, 200, 200, 429])
        #expect(await initialize(world, from: proxy, forwarded: "198.51.100.2").status == 200)
        // A spoofed field, from a peer that is no proxy, changes nothing (ABU-09).
        let peer = PeerAddress(ipv4: (198, 51, 100, 1))
        #expect(await initialize(world, from: peer, forwarded: "198.51.100.3").status == 429)
        // Without a usable address all count together, and never without limit.
        var passed = 0
        for _ in 0..<20 where await initialize(world).status == 200 { passed += 1 }
        #expect(passed == 15)
    }

    @Test func `counts nothing in a sandbox that enforces no limits`() async throws {
        var options = World.limited()
        options.limits.overSessions = nil
        let world = try await World(options)
        for index in 0..<30 {
            #expect(await world.send(to: World.number(index), for: "192.0.2.1").status == 200)
            #expect(await initialize(world).status == 200)
        }
        #expect(world.hits.withLock { $0 } == [])
    }
}
