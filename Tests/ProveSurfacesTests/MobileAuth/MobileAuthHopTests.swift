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
import Text

@testable import SurfaceTestSupport

@Suite struct MobileAuthHopTests {
    private static let refused = #"{"error":"mobile_auth_unavailable"}"#
    private static let stranger = "AAAAAAAAAAAAAAAAAAAAAA"

    private func walk(_ world: World) async -> MobileAuthWalk {
        world.carrier.answer(.success(.verified(true)))
        return await (await world.native()).beginMobileAuth()
    }

    private func expectRefusal(
        _ answer: Response, _ status: Int, _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.text == Self.refused, sourceLocation: sourceLocation)
        #expect(answer.header("referrer-policy") == "no-referrer", sourceLocation: sourceLocation)
    }

    // MARK: the first hop

    @Test(arguments: [
        ("\(stranger)", "t=\(stranger)"), ("x", "t=x"), (String(repeating: "A", count: 4000), "t=x"),
        ("A.~-_", "t="), ("AAAAAAAAAAAAAAAAAAAAA=", "t=x"), (stranger, ""), (stranger, "ticket=x"),
    ]) func `knows no such attempt`(attempt: String, query: String) async throws {
        let world = try await World()
        _ = await walk(world)
        expectRefusal(await world.hop("/ma/v1/go/\(attempt)", query), 404)
    }

    @Test(arguments: ["t=", "t=\(stranger)", "", "t", "T=x", "t=%zz", "t=%FF"])
    func `opens with the ticket alone, and a wrong one spoils nothing`(query: String) async throws {
        let walk = await walk(try World())
        expectRefusal(await walk.world.hop(walk.path, query), 404)
        #expect(await walk.go().status == 302)
    }

    @Test func `opens once`() async throws {
        let walk = await walk(try World())
        #expect(await walk.go().status == 302)
        expectRefusal(await walk.go(), 410)
        #expect(await walk.comeBack().json["vfp"] != nil, "the second try spoiled nothing")
    }

    @Test(arguments: [(59, 302), (60, 410)]) func `opens for a minute`(age: Int64, status: Int) async throws {
        let walk = await walk(try World())
        _ = walk.world.clock.advance(seconds: age)
        #expect(await walk.go().status == status)
    }

    @Test func `closes when a newer attempt is begun`() async throws {
        let world = try await World()
        let app = await world.native()
        let older = await app.beginMobileAuth()
        let newer = await app.beginMobileAuth()
        let answer = await older.go()
        #expect([404, 410].contains(answer.status) && answer.text == Self.refused)
        #expect(await newer.go().status == 302)
    }

    @Test(arguments: ["/otp", "/cancel"]) func `closes when the session goes on without it`(call: String) async throws {
        let world = try await World()
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        #expect(await app.post(call).status == 200)
        expectRefusal(await walk.go(), 410)
    }

    // MARK: the return hop

    @Test(arguments: [
        "", "code=c", "state=", "state=x", "code=c&state=x", "code=c&state=", "code=c&state=state-\(stranger)",
        "code=c&state=state-x", "error=access_denied&state=x", "code=c&state=%FF",
    ]) func `knows no such state, or has none`(query: String) async throws {
        let world = try await World()
        let walk = await walk(world)
        _ = await walk.go()
        let answer = await world.hop("/ma/v1/cb", query)
        #expect([400, 404].contains(answer.status))
        #expect(answer.text == Self.refused)
        #expect(world.carrier.redeemed == [])
        #expect(await walk.comeBack().json["vfp"] != nil, "a stranger's hop spoils nothing")
    }

    @Test(arguments: [
        ("code=c&state=state-\(stranger)", 404), ("code=c", 400), ("", 400), ("error=access_denied", 400),
    ]) func `tells a hop that is incomplete from one that is unknown`(query: String, status: Int) async throws {
        expectRefusal(await (try World()).hop("/ma/v1/cb", query), status)
    }

    @Test(arguments: [(0, 400), (1, 200), (2048, 200), (2049, 400)])
    func `takes a code of any sane length`(length: Int, status: Int) async throws {
        let walk = await walk(try World())
        _ = await walk.go()
        #expect(await walk.comeBack("code=\(String(repeating: "c", count: length))").status == status)
    }

    @Test func `comes after the first hop, and once`() async throws {
        let walk = await walk(try World())
        expectRefusal(await walk.comeBack(), 410)
        _ = await walk.go()
        #expect(await walk.comeBack().json["vfp"] != nil)
        expectRefusal(await walk.comeBack("code=code-2"), 410)
        #expect(walk.world.carrier.redeemed == ["code-1"])
    }

    @Test func `comes from the address that left, and another one spoils nothing`() async throws {
        let walk = await walk(try World())
        _ = await walk.go()
        expectRefusal(await walk.comeBack(from: MobileAuthWalk.otherPhone), 403)
        #expect(walk.world.carrier.redeemed == [])
        #expect(await walk.comeBack().json["vfp"] != nil)
    }

    @Test func `does not believe a peer about its address`() async throws {
        let walk = await walk(try World())
        _ = await walk.go()
        let forged = await walk.world.hop(
            "/ma/v1/cb", "code=c&state=\(walk.state)", from: MobileAuthWalk.otherPhone,
            headers: [(name: "X-Forwarded-For", value: MobileAuthWalk.phone.text)])
        expectRefusal(forged, 403)
    }

    @Test func `believes a proxy the operator named about its address`() async throws {
        let world = try await World()
        let walk = await walk(world)
        let surface = MobileAuthSurface(engine: world.engine, trustedProxies: try AddressRanges(list: "127.0.0.1"))
        let client = try InProcessClient(surface.routes)
        func hop(_ path: String, _ query: String, for address: String) async -> Response {
            await client.send(
                Request(
                    method: .get, path: path, rawQuery: query,
                    headers: Headers([(name: "X-Forwarded-For", value: address)]), id: "q"))
        }
        let back = "code=c&state=\(walk.state)"
        #expect(await hop(walk.path, walk.query, for: "203.0.113.1, 198.51.100.7").status == 302)
        expectRefusal(await hop("/ma/v1/cb", back, for: "198.51.100.7, 198.51.100.8"), 403)
        #expect(await hop("/ma/v1/cb", back, for: "198.51.100.7").json["vfp"] != nil)
    }

    @Test(arguments: [(59, 200), (60, 410)]) func `comes within a minute`(age: Int64, status: Int) async throws {
        let walk = await walk(try World())
        _ = await walk.go()
        _ = walk.world.clock.advance(seconds: age)
        #expect(await walk.comeBack().status == status)
    }

    @Test func `comes in vain when the session went on`() async throws {
        let world = try await World()
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        _ = await walk.go()
        _ = await app.post("/otp")
        expectRefusal(await walk.comeBack(), 410)
        #expect(world.carrier.redeemed == [])
    }

    // MARK: both

    @Test(arguments: [false, true]) func `ends with a revoked tenant`(onTheWay: Bool) async throws {
        let walk = await walk(try World())
        if onTheWay { _ = await walk.go() }
        _ = try await walk.world.store.revokeTenant(ClientID("sandbox")!, at: walk.world.clock.now())
        expectRefusal(onTheWay ? await walk.comeBack() : await walk.go(), 410)
        #expect(walk.world.carrier.redeemed == [])
    }

    @Test func `hides what went wrong inside`() async throws {
        let world = try await World()
        let walk = await walk(world)
        world.store.fail(with: .corrupt(what: "sessions.phase"))
        expectRefusal(await walk.go(), 500)
        expectRefusal(await walk.comeBack(), 500)
        #expect(world.reports.withLock { $0 }.filter { $0.contains("request hop") }.count == 2)
        world.store.fail(with: .overloaded)
        for busy in [await walk.go(), await walk.comeBack()] {
            expectRefusal(busy, 503)
            #expect(busy.header("retry-after") == "1")
        }
        world.store.fail(with: nil)
        #expect(await walk.go().status == 302)
    }

    @Test func `gives no page leave to read it, on any hop`() async throws {
        let world = try await World()
        let walk = await walk(world)
        let origin = [(name: "Origin", value: "https://app.example")]
        let null = [(name: "Origin", value: "null")]
        let hops = [
            await world.hop(walk.path, "t=x", headers: origin), await world.hop(walk.path, walk.query, headers: origin),
            await world.hop(walk.path, walk.query, headers: null),
            await world.hop("/ma/v1/cb", "code=c&state=\(walk.state)", from: MobileAuthWalk.otherPhone, headers: null),
            await world.hop("/ma/v1/cb", "code=c&state=\(walk.state)", headers: null),
            await world.hop("/ma/v1/cb", "code=c&state=\(walk.state)", headers: origin),
            await world.hop("/ma/v1/cb", "", headers: origin),
        ]
        #expect(hops.map(\.status) == [404, 302, 410, 403, 200, 410, 400])
        for answer in hops {
            #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
            #expect(answer.header("referrer-policy") == "no-referrer")
            #expect(
                [nil, "no-store"].contains(answer.header("cache-control")), "the engine says no-store where it is nil")
            #expect(answer.header("set-cookie") == nil)
        }
        for path in [walk.path, "/ma/v1/cb"] {
            let preflight = await world.client.send(
                Request(
                    method: .options, path: path,
                    headers: Headers(origin + [(name: "Access-Control-Request-Method", value: "GET")]), id: "q"))
            #expect(!preflight.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
        }
    }

    @Test func `is not used up by one who asks for its head, or posts`() async throws {
        let world = try await World()
        let walk = await walk(world)
        for method in [Method.head, .post] {
            let answer = await world.client.send(
                Request(
                    method: method, path: walk.path, rawQuery: walk.query, peer: MobileAuthWalk.phone, id: "q"))
            #expect(answer.status == 405)
        }
        #expect(await walk.go().status == 302)
        let back = await world.client.send(
            Request(
                method: .head, path: "/ma/v1/cb", rawQuery: "code=c&state=\(walk.state)", peer: MobileAuthWalk.phone,
                id: "q"))
        #expect(back.status == 405)
        #expect(await walk.comeBack().json["vfp"] != nil)
    }
}
