import Sandbox
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct LongWorkTests {
    /// Items of one call, each of another number.
    private static func enrolments(_ count: Int) -> String {
        let items = (0..<count).map { #"{"phoneNumber":"+1\#(2_065_550_100 + $0)"}"# }
        return #"{"items":[\#(items.joined(separator: ","))]}"#
    }

    private static func world() async throws -> World {
        var options = World.Options()
        options.unknownNumbers = .simulate
        return try await World(options)
    }

    @Test func `lets other requests of its loop run between the items of a batch`() async throws {
        let world = try await Self.world()
        let items = (0..<1000).map {
            #"{"phoneNumber":"+1\#(2_065_550_100 + $0)","verificationType":"humanAssurance"}"#
        }
        let before = world.client.turns
        let answer = await world.post("/v3/verify/batch", #"{"items":[\#(items.joined(separator: ","))]}"#)
        #expect(answer.json["results"]?.array?.count == 1000)
        #expect(world.client.turns - before >= 7)
    }

    @Test func `enrols a batch in steps, and tells the rest when a later one fails`() async throws {
        let world = try await Self.world()
        // The first step enrols, the second finds the store busy.
        world.store.fail(with: .overloaded, afterEnrolments: 1)
        let answer = await world.post("/v3/identity/batch", Self.enrolments(100))
        let results = answer.json["results"]?.array?.compactMap(\.object) ?? []
        #expect(answer.status == 200 && results.count == 100)
        #expect(results.prefix(15).allSatisfy { $0["proveId"]?.string != nil && $0["error"] == nil })
        #expect(results.dropFirst(15).allSatisfy { $0["error"] == "the server is busy; try again" })

        world.store.fail(with: nil)
        let again = await world.post("/v3/identity/batch", Self.enrolments(100))
        let enrolled = again.json["results"]?.array?.compactMap { $0.object?["proveId"]?.string } ?? []
        #expect(enrolled.count == 100)
        #expect(Array(enrolled.prefix(15)) == results.prefix(15).compactMap { $0["proveId"]?.string })
    }

    @Test func `enrols nobody when the first step fails`() async throws {
        let world = try await Self.world()
        world.store.fail(with: .overloaded, afterEnrolments: 0)
        let answer = await world.post("/v3/identity/batch", Self.enrolments(100))
        #expect(answer.status == 503 && answer.json["code"] == 8000)
    }
}
