import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Limits of looks at a session (ABU-08).
@Suite struct PollLimitTests {
    /// ABU-08. Of 300 polls 300 passed, and the 511th call of a client got 401, the one with the right code too.
    @Test func `answers sixty polls a minute of a client, and takes its right code`() async throws {
        let world = try await World(World.limited())
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        _ = await app.redeem()
        _ = await app.post("/otp")
        var passed = 0
        for second in 0..<600 {
            if await app.read(second % 2 == 0 ? "" : "after=0&wait=1").status == 200 { passed += 1 }
            if second % 100 == 99, second < 599 { _ = world.clock.advance(seconds: 10) }
        }
        // Fifty seconds have passed: all in the first minute.
        #expect(passed == 60)
        let limited = await app.read()
        #expect(limited.status == 429 && refusal(of: limited) == "rate_limited")
        #expect(limited.header("retry-after") != nil)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
    }

    @Test func `answers sixty polls a minute of a backend and 180 an hour, by session`() async throws {
        let world = try await World(World.limited())
        let started = await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        let other = await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        var passed: [Int] = []
        for _ in 0..<5 {
            var count = 0
            for _ in 0..<100 where await world.status(started).status == 200 { count += 1 }
            passed.append(count)
            if passed.count < 5 { _ = world.clock.advance(seconds: 60) }
        }
        #expect(passed == [60, 60, 60, 0, 0])
        let limited = await world.status(started)
        #expect(limited.json["code"] == 8004 && limited.header("retry-after") == "3360")
        #expect(await world.status(other).status == 200)
        #expect(await world.status(started, as: "sandbox-2").status == 400, "a stranger learns of no limit")
    }

    /// Before there was a limit, the server answered 300 explanations a minute.
    @Test func `answers sixty explanations a minute, by session`() async throws {
        let world = try await World(World.limited())
        let started = await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        func explanation(as client: String = "sandbox") async -> Response {
            let path = "/v1/sessions/\(started.correlationID)/explanation"
            return await world.client.send(
                Request(method: .get, path: path, headers: Headers([World.bearer(client)]), id: "q"))
        }
        var count = 0
        for _ in 0..<300 where await explanation().status == 200 { count += 1 }
        #expect(count == 60)
        #expect(await explanation().json["code"] == 8004)
        #expect(await explanation(as: "sandbox-2").status == 404, "a stranger learns of no limit")
    }

    /// Where no limits hold over sessions. The 511th proof of a session got 401, the one with the right code too.
    @Test func `tells a client that polls too often to wait, and takes its right code`() async throws {
        let world = try await World()
        let app = App(world, await world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#))
        _ = await app.redeem()
        _ = await app.post("/otp")
        var passed = 0
        while passed < 1000, await app.read().status == 200 { passed += 1 }
        #expect(passed == 382, "with the two calls before")
        let limited = await app.read()
        #expect(limited.status == 429 && refusal(of: limited) == "rate_limited")
        #expect(limited.header("retry-after") == "61")
        #expect(limited.json["message"]?.string?.contains("limit: calls of this session") == true)
        #expect(world.hits.withLock { Set($0) } == [.proofsPerSession])
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        _ = world.clock.advance(seconds: 61)
        #expect(await app.read().json["outcome"] == "succeeded")
    }
}
