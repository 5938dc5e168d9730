import HTTPServer
import Locks
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Limits that an operator gives one API client, and changes while the server runs.
@Suite struct OwnLimitsTests {
    private static let own = ClientID("sandbox")!

    /// `sandbox` has limits of its own, `sandbox-2` has the server's.
    private static func options(
        _ change: (inout TenantLimits) -> Void,
        server: @escaping (inout Possession.Limits.OverSessions) -> Void = { _ in }
    ) -> World.Options {
        var limits = TenantLimits()
        change(&limits)
        var options = World.limited(server)
        options.regions = ["+1": "US"]
        options.limits.own.replace(with: [own: limits])
        return options
    }

    /// Sends for another network each time, to another number of one prefix.
    private static func send(_ world: World, _ index: Int, as client: String = "sandbox") async -> Int {
        await world.send(to: "+1206555\(1000 + index)", for: "198.\(18 + index / 250).\(index % 250).7", as: client)
            .status
    }

    @Test func `a budget of its own ends messages of that client alone`() async throws {
        let world = try await World(Self.options { $0.budgetPerDay = 2 })
        for index in 0..<2 { #expect(await Self.send(world, index) == 200) }
        #expect(await Self.send(world, 2) == 429)
        #expect(world.hits.withLock { $0 } == [.budgetPerTenant])
        for index in 3..<8 { #expect(await Self.send(world, index, as: "sandbox-2") == 200) }
    }

    @Test func `a wider budget of its own takes the place of the server's`() async throws {
        let world = try await World(
            Self.options({ $0.budgetPerDay = 4 }, server: { $0.spend.perTenantPerDay = SpendGuard.unit }))
        for index in 0..<4 { #expect(await Self.send(world, index) == 200) }
        #expect(await Self.send(world, 4) == 429)
        #expect(await Self.send(world, 5, as: "sandbox-2") == 200)
        #expect(await Self.send(world, 6, as: "sandbox-2") == 429)
    }

    @Test func `its own buckets take the place of the server's`() async throws {
        let world = try await World(Self.options { $0.unansweredPerPrefix = 3 })
        // Unknown networks leave a third.
        var passed = 0
        for index in 0..<6 where await Self.send(world, index) == 200 { passed += 1 }
        #expect(passed == 2)
        for index in 6..<12 { #expect(await Self.send(world, index, as: "sandbox-2") == 200) }
    }

    @Test func `its own rate takes the place of the server's, also where that has none`() async throws {
        for perSecond in [0, 1] {
            var options = Self.options { $0.requestsPerSecond = 3 }
            options.platform.requestsPerSecond = perSecond
            let world = try await World(options)
            var passed: [String: Int] = [:]
            for client in ["sandbox", "sandbox-2"] {
                for _ in 0..<5 {
                    let status = await world.post("/v3/unify-status", "{}", as: client).status
                    if status != 429 { passed[client, default: 0] += 1 }
                }
            }
            #expect(passed == ["sandbox": 3, "sandbox-2": perSecond == 0 ? 5 : 1])
        }
    }

    @Test func `limits change between two calls, and a client keeps its own`() async throws {
        let world = try await World(Self.options({ $0.budgetPerDay = 1 }, server: { $0.sendsPerDay = 1 }))
        #expect(await Self.send(world, 0, as: "sandbox-2") == 200)
        #expect(await Self.send(world, 0, as: "sandbox-2") == 429)
        var limits = world.engine.limits
        limits.overSessions?.sendsPerDay = 2
        limits.otpCodeLength = 8
        world.engine.take(limits)
        #expect(await Self.send(world, 0, as: "sandbox-2") == 200)
        #expect(world.gateway.sent.last?.code?.text.utf8.count == 8)
        #expect(await Self.send(world, 0, as: "sandbox-2") == 429)
        #expect(await Self.send(world, 1) == 200)
        #expect(await Self.send(world, 2) == 429)
        world.engine.limits.own.replace(with: [:])
        #expect(await Self.send(world, 2) == 200)
    }

    // MARK: lines

    @Test func `messages go to the lines that are open, by client and by server`() async throws {
        var options = Self.options { _ in }
        options.kinds = ["+12065551": .voiceOverIP, "+12065552": .mobile, "+12065553": .fixedLine]
        options.limits.lineTypes = [.mobile, .fixedLine]
        let world = try await World(options)
        _ = try await world.store.updateTenant(Self.own) { $0.rules.limits.lineTypes = [.mobile] }
        func start(_ number: String, as client: String) async -> Response {
            await world.post("/v3/unify", #"{"phoneNumber":"\#(number)","possessionType":"mobile"}"#, as: client)
        }
        let refused = await start("+12065551000", as: "sandbox")
        #expect(refused.status == 400)
        #expect(refused.text.contains("is a VoIP number, to which this client sends no messages"))
        #expect(await start("+12065552000", as: "sandbox").status == 200)
        #expect(await start("+12065553000", as: "sandbox").status == 400)
        #expect(await start("+12065551000", as: "sandbox-2").status == 400)
        #expect(await start("+12065553000", as: "sandbox-2").status == 200)
        // No plan tells of a sandbox user's line.
        #expect(await start("2001004014", as: "sandbox").status == 200)
    }
}
