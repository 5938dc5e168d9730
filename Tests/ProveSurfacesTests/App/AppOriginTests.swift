import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// The guides' pages, which send no credentials to another origin and name no final target (contract section 9).
@Suite struct AppOriginTests {
    private static let page = "https://shop.example"
    private static let start = #"{"flowType":"mobile","phoneNumber":"2001001695","ssn":"6227"}"#
    private static let desktop = #"{"flowType":"desktop","phoneNumber":"2001001695"}"#

    private func world(
        flowByOrigin: Bool = true, target: String? = nil, acceptsAuthID: Bool = true
    ) async throws -> World {
        var options = World.Options()
        options.app = World.appSettings(acceptsAuthID: acceptsAuthID)
        options.app?.flowByOrigin = flowByOrigin
        options.app?.finalTargetURL = try target.map { try FinalTargetURL($0) }
        return try await World(options)
    }

    private func post(
        _ world: World, _ path: String, _ body: String = "{}", origin: String? = page
    ) async -> Response {
        var headers: [(name: String, value: String)] = []
        if let origin { headers.append(("Origin", origin)) }
        return await world.client.send(World.request(.post, path, body, headers))
    }

    // MARK: the run of an origin

    @Test func `a page that sends nothing means the newest run of its origin`() async throws {
        let world = try await world()
        #expect(await post(world, "/initialize", Self.start).status == 200)
        let verified = await post(world, "/verify")
        #expect(verified.status == 200 && verified.json["success"] == true, "\(verified.text)")
        let finished = await post(world, "/finish", #"{"firstName":"Milo","lastName":"Pinson"}"#)
        #expect(finished.status == 200 && finished.json["success"] == true, "\(finished.text)")
        // A second run takes the place of the first, which has ended.
        #expect(await post(world, "/verify").status == 403)
        #expect(await post(world, "/initialize", Self.start).status == 200)
        #expect(await post(world, "/verify").status == 200)
    }

    @Test func `another origin, or none, has no run`() async throws {
        let world = try await world()
        #expect(await post(world, "/initialize", Self.start).status == 200)
        #expect(await post(world, "/verify", origin: "http://localhost:3000").status == 401)
        #expect(await post(world, "/verify", origin: nil).status == 401)
    }

    @Test func `whoever sends a credential is held to it`() async throws {
        let world = try await world()
        #expect(await post(world, "/initialize", Self.start).status == 200)
        for header in [("Cookie", "holdfast_flow=AAAAAAAAAAAAAAAAAAAAAA"), ("Authorization", "Bearer x")] {
            let headers = [(name: "Origin", value: Self.page), (name: header.0, value: header.1)]
            #expect(await world.client.send(World.request(.post, "/verify", "{}", headers)).status == 401)
        }
    }

    @Test func `without the setting an origin is no credential`() async throws {
        let world = try await world(flowByOrigin: false)
        #expect(await post(world, "/initialize", Self.start).status == 200)
        #expect(await post(world, "/verify").status == 401)
    }

    @Test func `the oldest origin is forgotten first, and the memory is bounded`() async throws {
        let world = try await world()
        for port in 1...1025 {
            let answer = await post(world, "/initialize", Self.start, origin: "http://localhost:\(port)")
            #expect(answer.status == 200)
        }
        #expect(await post(world, "/verify", origin: "http://localhost:1").status == 401)
        #expect(await post(world, "/verify", origin: "http://localhost:2").status == 200)
        #expect(await post(world, "/verify", origin: "http://localhost:1025").status == 200)
    }

    // MARK: three causes, three messages

    @Test func `no flow, an unknown one and an expired one are told apart`() async throws {
        let world = try await world(flowByOrigin: false)
        let page = WebPage(world)
        _ = await page.initialize(World.milo, #","ssn":"6227""#)
        let none = await WebPage(world).post("/verify")
        let unknown = await WebPage(world).post("/verify", "{}", [("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAA")])
        _ = world.clock.advance(seconds: 900)
        let ended = await page.post("/verify")
        for answer in [none, unknown, ended] { #expect(answer.status == 401 && answer.json["code"] == 8002) }
        #expect(
            none.json["message"]?.string?.hasPrefix("no flow came with the request: call /initialize first") == true)
        #expect(unknown.json["message"] == "there is no such flow: call /initialize")
        #expect(ended.json["message"] == "the flow has expired: call /initialize")
        // An auth ID is no secret, so it does not tell.
        let byID = await WebPage(world).post("/verify", #"{"authId":"\#(page.authID)"}"#)
        #expect(byID.json["message"] == "there is no such flow: call /initialize")
    }

    // MARK: the final target

    @Test func `a desktop run takes the final target of the setting, and its own before that`() async throws {
        let world = try await world(target: "https://app.example/done")
        #expect(await post(world, "/initialize", Self.desktop).status == 200)
        let first = try #require(try await world.store.recentSessions(limit: 1).first)
        #expect(first.request.options.finalTargetURL == "https://app.example/done")
        let own = #"{"flowType":"desktop","phoneNumber":"2001001695","finalTargetUrl":"https://app.example/own"}"#
        #expect(await post(world, "/initialize", own).status == 200)
        let targets = try await world.store.recentSessions(limit: 2).map(\.request.options.finalTargetURL)
        #expect(targets.contains("https://app.example/own"))
    }

    @Test func `without one the answer names both ways out`() async throws {
        let answer = await post(try await world(), "/initialize", Self.desktop)
        #expect(answer.status == 400)
        #expect(
            answer.json["message"]?.string == """
                field 'finalTargetUrl' is missing; a desktop flow needs it: send it, or set app.finalTargetUrl on the server
                """)
    }
}
