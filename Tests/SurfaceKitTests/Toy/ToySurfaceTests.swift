import HTTPServer
import Possession
import StrictJSON
import SurfaceKit
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport

/// That a wire format needs no more than a folder of its own, and one change of the store for each call.
@Suite(.timeLimit(.minutes(60))) struct ToySurfaceTests {
    private let world: World
    private let client: InProcessClient

    init() async throws {
        world = try await World()
        let clock = world.clock
        let logins = ClientLogin(
            engine: world.engine, limitsFailures: false, rates: nil,
            addresses: ClientAddress(trustedProxies: AddressRanges()), certificates: .none, systemNow: { clock.now() })
        client = try InProcessClient(
            ToySurface(engine: world.engine, logins: logins).routes, manualClock: ManualClock(), check: { _, _ in })
    }

    private func post(_ path: String, _ body: String, key: String? = "hf_test_sandbox") async -> Response {
        let headers = key.map { [(name: "X-Toy-Key", value: $0)] } ?? []
        return await client.send(World.request(.post, path, body, headers))
    }

    private func send(key: String? = "hf_test_sandbox") async -> Response {
        await post("/toy/codes", #"{"phone":"+12001004014"}"#, key: key)
    }

    private func check(_ code: String, key: String? = "hf_test_sandbox") async -> Response {
        await post("/toy/checks", #"{"phone":"+12001004014","code":"\#(code)"}"#, key: key)
    }

    @Test func `one change of the store is enough for each call`() async throws {
        let before = world.store.changes
        let first = await send()
        #expect(first.status == 200 && world.store.changes == before + 1)
        #expect(await check("9999").json["passed"] == .bool(false))
        #expect(world.store.changes == before + 2)
        #expect(await send().json["id"] == first.json["id"], "the session goes on")
        #expect(world.store.changes == before + 3)
        let code = try #require(world.gateway.sent.last?.code)
        #expect(await check(code.text).json["passed"] == .bool(true))
        #expect(world.store.changes == before + 4)
        #expect(await check(code.text).status == 404, "once")
        #expect(world.gateway.sent.count == 2)
    }

    @Test func `lets in by the key, and reads as the shapes say`() async throws {
        #expect(await send(key: nil).status == 401)
        #expect(await send(key: "hf_test_nobody").status == 401)
        #expect(await post("/toy/codes", #"{"phone":7}"#).status == 400)
        #expect(await post("/toy/codes", "no").status == 400)
        #expect(await check("1234").status == 404)
        #expect(world.gateway.sent.isEmpty)
    }

    @Test func `no session of another surface or API client is one here`() async throws {
        #expect(await send(key: "hf_test_sandbox-2").status == 200)
        #expect(await check("1234").status == 404)
        _ = await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        #expect(await check("1234").status == 404)
        #expect(await check("1234", key: "hf_test_sandbox-2").json["passed"] == .bool(true))
    }
}
