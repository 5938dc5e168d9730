import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// How proofs by Mobile Auth make a network known (docs/limits.md).
@Suite struct MobileAuthNetworkTests {
    /// A world in which strangers have used up what they may have of the prefix of `World.number`.
    private func scarce() async throws -> World {
        var options = World.limited { $0.sizes = BucketSizes(prefix: 6) }
        options.users = nil
        options.rules.callingCodes = ["1"]
        let world = try await World(options)
        for index in 0..<4 { #expect(await world.send(to: World.number(index), for: "192.0.\(index).1").status == 200) }
        return world
    }

    /// Proves `number` by Mobile Auth for a person at `address`.
    /// - Parameter said: what the backend says of the number.
    private func prove(
        _ number: String, at address: String, said: String? = nil, byToken: Bool = false, _ world: World
    ) async throws {
        world.carrier.answer(.success(.number(try #require(PhoneNumber(e164: number)))))
        let named = said.map { #","phoneNumber":"\#($0)""# } ?? ""
        let app = await world.native(#"{"possessionType":"mobile","ipAddress":"\#(address)"\#(named)}"#)
        let walk = await app.beginMobileAuth()
        let answer: Response
        if byToken {
            answer = await app.post(
                "/mobile-auth/token",
                #"{"attemptId":"\#(walk.attempt)","operatorToken":"a.token","plmn":"26201"}"#)
        } else {
            answer = await app.post("/mobile-auth/finish", walk.finishBody(try #require(await walk.follow())))
        }
        #expect(answer.json["outcome"] == "succeeded", "\(answer.text)")
    }

    private func isKnown(_ network: String, _ world: World, number: Int = 50) async -> Bool {
        await world.send(to: World.number(number), for: "\(network).200").status == 200
    }

    @Test(arguments: [false, true])
    func `three numbers that pass make their network known, and two do not`(byToken: Bool) async throws {
        let world = try await scarce()
        for index in 1...2 {
            try await prove("+1212777100\(index)", at: "198.51.100.\(index)", byToken: byToken, world)
        }
        #expect(await !isKnown("198.51.100", world))
        let said = byToken ? nil : "+12127771003"
        try await prove("+12127771003", at: "198.51.100.3", said: said, byToken: byToken, world)
        #expect(await isKnown("198.51.100", world))
        #expect(await !isKnown("203.0.113", world), "another network")
        #expect(world.gateway.sent.count == 5, "no proof sent a message, or took a place of one")
    }

    /// Else three SIM cards would make every network known.
    @Test func `a number that the API client knows makes no network known`() async throws {
        let world = try await scarce()
        for network in ["198.51.100", "203.0.113"] {
            for index in 1...3 { try await prove("+1212777100\(index)", at: "\(network).\(index)", world) }
        }
        #expect(await isKnown("198.51.100", world))
        #expect(await !isKnown("203.0.113", world))
    }

    @Test func `codes and Mobile Auth count together`() async throws {
        let world = try await scarce()
        for index in 1...2 { try await prove("+1212777100\(index)", at: "198.51.100.\(index)", world) }
        await world.prove(
            await world.start(
                #"{"phoneNumber":"+12127771009","possessionType":"mobile","ipAddress":"198.51.100.9"}"#))
        #expect(await isKnown("198.51.100", world))
    }

    @Test func `whoever passed gets messages from that network whatever others do`() async throws {
        let world = try await scarce()
        try await prove(World.number(70), at: "198.51.100.1", world)
        for index in 0..<7 { _ = await world.send(to: "+1206\(200 + index)1000", for: "198.51.100.1") }
        #expect(await world.send(to: World.number(71), for: "198.51.100.1").status == 429)
        #expect(await world.send(to: World.number(70), for: "198.51.100.1").status == 200)
    }

    @Test func `a proof opens no place, and pays for no message`() async throws {
        let world = try await scarce()
        for index in 0..<4 { try await prove(World.number(index), at: "192.0.\(index).1", world) }
        #expect(await !isKnown("203.0.113", world), "the prefix has no more room than before")
    }

    @Test func `a test number makes no network known`() async throws {
        let world = try await scarce()
        let numbers = (1...3).map { "+1212777100\($0)" }
        world.testNumbers.withLock { list in
            list = numbers.map {
                TestNumber(
                    number: PhoneNumber(e164: $0)!, code: OTP("123456")!, tenant: nil, createdAt: FixedClock.start,
                    endsAt: FixedClock.start.adding(.seconds(86_400)))
            }
        }
        for (index, number) in numbers.enumerated() { try await prove(number, at: "198.51.100.\(index)", world) }
        #expect(await !isKnown("198.51.100", world))
    }
}
