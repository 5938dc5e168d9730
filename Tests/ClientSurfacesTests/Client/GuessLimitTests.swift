import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Limits of guesses: what a person knows, codes, links and device proofs.
@Suite struct GuessLimitTests {
    private static let wrongDOB = #","dob":"1999-01-01""#

    /// One run of Marcia's, by a code to her number, up to its challenge.
    private func challenge(_ world: World, _ more: String) async -> Response {
        let run = await world.startPrefill(World.marcia)
        _ = await world.step("validate", run)
        return await world.step("challenge", run, more)
    }

    /// Birth dates could be tried without end, three in a run: now five an hour and ten a day for a number.
    @Test func `takes five wrong claims about a number an hour, and ten a day`() async throws {
        let world = try await World(
            World.limited {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        var taken = 0
        for _ in 0..<30 {
            for _ in 0..<3 where await challenge(world, Self.wrongDOB).status == 200 { taken += 1 }
            _ = world.clock.advance(seconds: 1200)
        }
        #expect(taken == 10)
        let limited = await challenge(world, #","dob":"1982-07-19""#)
        #expect(limited.status == 429, "not even the right one is looked at")
        #expect(limited.json["message"]?.string?.contains("failed challenges") == true)
        let seconds = try #require(Int(limited.header("retry-after") ?? ""))
        _ = world.clock.advance(seconds: Int64(seconds))
        #expect(await challenge(world, #","dob":"1982-07-19""#).json["success"]?.bool == true)
    }

    @Test func `counts claims of each tenant by itself`() async throws {
        let world = try await World(
            World.limited {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        for tenant in Array(repeating: "sandbox", count: 5) + ["sandbox-2"] {
            let run = await world.startPrefill(World.marcia, as: tenant)
            _ = await world.step("validate", run, as: tenant)
            #expect(await world.step("challenge", run, Self.wrongDOB, as: tenant).json["success"]?.bool == false)
        }
        #expect(await challenge(world, Self.wrongDOB).status == 429)
        #expect(world.hits.withLock { $0 } == [.failedClaimsPerNumber])
    }

    @Test func `stops claims at a hundred failures in a row, for the operator to free`() async throws {
        let world = try await World(
            World.limited {
                $0.sendsPerQuarterHour = 1000
                $0.sendsPerDay = 1000
                $0.failedClaimsPerHour = 1000
                $0.failedClaimsPerDay = 1000
                $0.failuresInARow = 7
            })
        for _ in 0..<6 { #expect(await challenge(world, Self.wrongDOB).status == 200) }
        #expect(await challenge(world, #","dob":"1982-07-19""#).json["success"]?.bool == true, "which ends the run")
        for _ in 0..<7 { #expect(await challenge(world, Self.wrongDOB).status == 200) }
        _ = world.clock.advance(seconds: 10 * 86_400)
        let stopped = await challenge(world, #","dob":"1982-07-19""#)
        #expect(stopped.status == 403 && stopped.json["code"] == 8003 && stopped.header("retry-after") == nil)
        #expect(
            try await world.store.forgetTallies([
                LimitKey(.failedClaimsOfNumber, PhoneNumber(e164: "+12001001693")!, of: ClientID("sandbox")!)
            ])
                == 1)
        #expect(await challenge(world, #","dob":"1982-07-19""#).json["success"]?.bool == true)
    }

    /// OTP-06: one wrong code in a session; true while it was looked at.
    private func guess(_ world: World, _ code: String = "9999", deviceKey: Bool = false) async -> (App, Response) {
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        _ = await app.redeem(deviceKey: deviceKey)
        _ = await app.post("/otp")
        return (app, await app.post("/otp/verify", #"{"code":"\#(code)"}"#))
    }

    /// More than 100 wrong codes in a row were taken, six a day for weeks.
    @Test func `stops codes at a hundred failures in a row, and says so to nobody`() async throws {
        let world = try await World(
            World.limited {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        // Ten an hour and twenty a day count: the hundredth comes in the tenth half of a day.
        for _ in 0..<11 {
            for _ in 0..<12 { #expect(await guess(world).1.status != 429) }
            _ = world.clock.advance(seconds: 43_200)
        }
        let (app, answer) = await guess(world, "1234")
        #expect(answer.status != 200)
        #expect(refusal(of: await app.post("/otp")) == "sends_exhausted", "a code that nobody could use is not sent")
        #expect(world.hits.withLock { $0.contains(.failuresInARow) })
    }

    @Test func `frees codes by a check that the guesser does not have`() async throws {
        let world = try await World(
            World.limited {
                $0.failuresInARow = 3; $0.sendsPerQuarterHour = 100; $0.sendsPerDay = 100
            })
        // The owner bound a key before.
        let owner = App(
            world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#), key: FakeKey(5))
        _ = await owner.redeem(deviceKey: true)
        try await owner.showKey()
        _ = await owner.post("/otp")
        #expect(await owner.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        for _ in 0..<3 { _ = await guess(world) }
        #expect(await guess(world, "1234").1.status != 200)
        // The owner comes back with the key: no code is needed, and codes go again.
        let back = App(
            world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#), key: FakeKey(5))
        _ = await back.redeem(deviceKey: true)
        try await back.showKey()
        #expect(await back.read().json["outcome"] == "succeeded")
        #expect(await guess(world, "1234").1.status == 200)
    }

    @Test func `a right code ends the run of wrong ones`() async throws {
        let world = try await World(
            World.limited {
                // Strangers may cause three of the five.
                $0.failuresInARow = 5; $0.sendsPerQuarterHour = 100; $0.sendsPerDay = 100
            })
        for _ in 0..<3 {
            for _ in 0..<2 { _ = await guess(world) }
            #expect(await guess(world, "1234").1.status == 200)
        }
    }

    @Test func `takes ten refusals of links to a number an hour`() async throws {
        let world = try await World(
            World.limited {
                $0.sendsPerQuarterHour = 1000; $0.sendsPerDay = 1000
            })
        for _ in 0..<10 {
            let app = await world.linked()
            #expect(await app.post("/link").status == 200)
            _ = await world.decide("decision=deny")
        }
        let app = await world.linked()
        let limited = await app.post("/link")
        #expect(limited.status == 429 && limited.header("retry-after") == "3600")
        #expect(world.hits.withLock { $0 } == [.refusedLinks])
        // A caller who answers codes instead is not held up.
        #expect(await guess(world, "1234").1.status == 200)
        #expect(await world.linked().post("/link").status == 429, "a code does not make links arrive sooner")
    }

    @Test func `ends the device step after too many bad proofs, and takes the right key all the same`() async throws {
        let world = try await World(World.limited { $0.wrongCodesPerHour = 2 })
        let number = #"{"phoneNumber":"2001004014","possessionType":"mobile"}"#
        let owner = App(world, await world.start(number), key: FakeKey(5))
        _ = await owner.redeem(deviceKey: true)
        try await owner.showKey()
        _ = await owner.post("/otp")
        #expect(await owner.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        var steps: [String?] = []
        for _ in 0..<3 {
            let app = App(world, await world.start(number))
            _ = await app.redeem(deviceKey: true)
            let bad = await app.post("/device", #"{"proof":"x"}"#)
            steps.append(bad.json["state"]?.object?["step"]?.string)
        }
        #expect(steps == ["device", "device", "otpStart"])
        let back = App(world, await world.start(number), key: FakeKey(5))
        _ = await back.redeem(deviceKey: true)
        try await back.showKey()
        #expect(await back.read().json["outcome"] == "succeeded")
    }
}
