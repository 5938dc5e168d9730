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

@Suite struct CrossOriginTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#

    private func preflight(_ world: World, _ origin: String?, path: String = "/client/v1/session") async -> Response {
        let headers =
            origin.map { [(name: "Origin", value: $0), (name: "Access-Control-Request-Method", value: "POST")] } ?? []
        return await world.client.send(Request(method: .options, path: path, headers: Headers(headers), id: "q"))
    }

    private func live() async throws -> World {
        var options = World.Options()
        options.isSandbox = false
        return try await World(options)
    }

    @Test func `answers a preflight of a listed origin`() async throws {
        let answer = await preflight(try live(), "https://app.example")
        #expect(answer.status == 204)
        #expect(answer.header("access-control-allow-origin") == "https://app.example")
        #expect(answer.header("access-control-allow-methods") == "GET, POST")
        #expect(
            answer.header("access-control-allow-headers")
                == "Authorization, DPoP, Content-Type, x-correlator, Last-Event-ID")
        #expect(answer.header("access-control-max-age") == "600")
        #expect(answer.header("access-control-allow-credentials") == nil)
        #expect(answer.header("vary") == "Origin")
    }

    @Test(arguments: [
        "https://evil.example", "null", "https://app.example.evil.example", "http://app.example",
        "https://app.example:444",
        "https://app.example/", "HTTPS://APP.EXAMPLE", "*", "", "http://localhost:3000",
    ]) func `refuses every other origin`(origin: String) async throws {
        let world = try await live()
        let answer = await preflight(world, origin)
        #expect(answer.status == 403)
        #expect(answer.json["error"] == "origin_not_allowed" && answer.json["code"] == 20004)
        #expect(answer.header("access-control-allow-origin") == nil)
        let app = App(world, await world.start(Self.lorant))
        let path = "/client/v1/session"
        let headers = app.headers("POST", path) + [(name: "Origin", value: origin)]
        let call = await world.client.send(World.request(.post, path, #"{"platform":"web"}"#, headers))
        #expect(call.status == 403 && call.header("access-control-allow-origin") == nil)
        #expect(await app.redeem().json["rev"] == 1, "the refused call changed nothing")
    }

    @Test(arguments: [
        ("http://localhost:3000", 204), ("http://127.0.0.1", 204), ("https://localhost", 204),
        ("http://[::1]:8080", 204),
        ("http://localhost.evil.example", 403), ("http://127.0.0.1.evil.example", 403),
        ("http://localhost@evil.example", 403),
        ("null", 403), ("ftp://localhost", 403),
    ]) func `lets pages of this machine call in sandbox`(origin: String, status: Int) async throws {
        #expect(await preflight(try World(), origin).status == status)
    }

    /// Under overload the server answers before the route does.
    @Test(arguments: [
        ("https://app.example", ["/client/v1/session", "/client/v1/session/events"], true),
        ("https://shop.example", ["/initialize"], true),
        ("https://evil.example", ["/client/v1/session", "/client/v1/session/events", "/initialize"], false),
    ])
    func `lets a listed page read what is said in a route's place`(
        origin: String, paths: [String], mayRead: Bool
    ) async throws {
        let world = try await live()
        for path in paths {
            let route = try #require(
                world.client.routes.first {
                    $0.pattern == path && $0.method == (path.hasSuffix("events") ? .get : .post)
                })
            let permit = try #require(route.permit)
            let answer = permit(Response(status: 503), Headers([(name: "Origin", value: origin)]))
            #expect((answer.header("access-control-allow-origin") == origin) == mayRead)
            #expect((answer.header("access-control-expose-headers")?.contains("Retry-After") == true) == mayRead)
            #expect(answer.header("vary") == "Origin")
        }
    }

    @Test func `lets a page read answers and errors alike`() async throws {
        let world = try await live()
        let app = App(world, await world.start(Self.lorant))
        let path = "/client/v1/session"
        for (headers, status) in [(app.headers("POST", path), 200), ([], 401)] {
            let request = World.request(
                .post, path, #"{"platform":"web"}"#, headers + [(name: "Origin", value: "https://app.example")])
            let answer = await world.client.send(request)
            #expect(answer.status == status)
            #expect(answer.header("access-control-allow-origin") == "https://app.example")
            #expect(answer.header("vary") == "Origin")
        }
    }

    @Test func `asks the session's own tenant again`() async throws {
        let world = try await live()
        let app = App(world, await world.start(Self.lorant))
        let path = "/client/v1/session"
        let headers = app.headers("POST", path) + [(name: "Origin", value: "https://other.example")]
        let answer = await world.client.send(World.request(.post, path, #"{"platform":"web"}"#, headers))
        #expect(answer.status == 403 && answer.json["error"] == "origin_not_allowed")
        #expect(answer.header("access-control-allow-origin") == nil)
    }

    @Test(arguments: ["/device", "/otp", "/otp/resend", "/otp/phone", "/otp/verify", "/cancel"])
    func `answers OPTIONS on every call`(call: String) async throws {
        let world = try await World()
        let answer = await preflight(world, "https://app.example", path: "/client/v1/session\(call)")
        #expect(answer.status == 204 && answer.header("access-control-allow-methods") == "POST")
        let plain = await preflight(world, nil, path: "/client/v1/session\(call)")
        #expect(plain.status == 204 && plain.header("allow") == "POST, OPTIONS")
    }
}
