import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Links that are approved elsewhere than they were asked for.
@Suite struct LinkAddressTests {
    private func ipMatch(_ world: World, _ started: World.Started) async -> String? {
        let evaluation = await world.status(started).json["evaluation"]?.object
        return evaluation?["authentication"]?.object?["ipMatch"]?.string
    }

    /// The phone is at 198.51.100.7. A result said nothing of another network before.
    @Test(arguments: [
        ("198.51.100.7", false, "success"), ("203.0.113.9", false, "failure"), ("203.0.113.9", true, "failure"),
    ])
    func `tells the backend whether the link was approved where the browser is`(
        address: String, demands: Bool, expected: String
    ) async throws {
        var options = World.Options()
        options.rules.linkNeedsSameAddress = demands
        let world = try await World(options)
        let started = await world.start(
            #"{"possessionType":"desktop","phoneNumber":"2001004014","ipAddress":"\#(address)","finalTargetUrl":"https://app.example/done"}"#
        )
        let app = App(world, started)
        _ = await app.redeem(fallback: "link")
        _ = await app.post("/link")
        #expect(await ipMatch(world, started) == nil)
        _ = await world.decide("decision=approve")
        #expect(await world.status(started).json["success"]?.string == (demands ? "false" : "true"))
        #expect(await ipMatch(world, started) == expected)
    }

    @Test func `compares nothing where the backend gave no address`() async throws {
        var options = World.Options()
        options.rules.linkNeedsSameAddress = true
        let world = try await World(options)
        let started = await world.start(World.desktop)
        let app = App(world, started)
        _ = await app.redeem(fallback: "link")
        _ = await app.post("/link")
        _ = await world.decide("decision=approve")
        #expect(await world.status(started).json["success"]?.string == "true")
        #expect(await ipMatch(world, started) == nil)
    }
}
