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

@Suite(.timeLimit(.minutes(60))) struct LongPollTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#

    @Test func `answers at once when there is news, or nothing to wait for`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        #expect(await app.read("after=0&wait=25").json["rev"] == 1)
        #expect(await app.read("after=1").json["rev"] == 1)
        #expect(await app.read("wait=25").json["rev"] == 1)
        _ = await app.post("/cancel")
        #expect(
            await app.read("after=99&wait=25").json["outcome"] == "cancelled", "a session that is done has no more news"
        )
    }

    @Test func `wakes when the session changes`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        async let waiting = app.read("after=1&wait=25")
        while await app.post("/otp/verify", #"{"code":"1234"}"#).status == 409 {
            if await app.post("/otp").status == 200 { break }
        }
        let answer = await waiting
        #expect(answer.status == 200)
        #expect((answer.json["rev"]?.integer ?? 0) > 1)
    }

    @Test func `a newer poll releases the older one`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        // Whichever of the two comes second releases the first; a change then releases the second.
        let revisions = await withTaskGroup(of: Int64?.self) { group in
            for _ in 0..<2 { group.addTask { await app.read("after=1&wait=25").json["rev"]?.integer } }
            let first = await group.next() ?? nil
            _ = await app.post("/cancel")
            return [first, await group.next() ?? nil]
        }
        #expect(revisions == [1, 2])
    }

    @Test func `answers with the state when the time is over`() async throws {
        let options = World.Options()
        let world = try await World(options)
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        async let waiting = app.read("after=1&wait=25")
        await world.client.untilTimer()
        options.manualClock?.advance(.seconds(25))
        await world.client.catchUp()
        let answer = await waiting
        #expect(answer.status == 200 && answer.json["rev"] == 1)
    }

    @Test(arguments: [
        ("after=x&wait=1", "field 'after' must be a whole number"),
        ("after=-1&wait=1", "field 'after' must be a whole number"),
        ("after=&wait=1", "field 'after' must be a whole number"),
        ("after=1&wait=26", "field 'wait' must be at most 25"),
        ("after=9999999999999999999", "field 'after' must be a whole number"),
        ("wait=1.5", "field 'wait' must be a whole number"),
    ]) func `refuses what is no number`(query: String, message: String) async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        let answer = await app.read(query)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 1001, "error": "invalid_request", "message": .string(message)])
    }

    @Test func `refuses before it waits`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let app = App(world, started)
        #expect(await app.read("after=0&wait=25").status == 409)
        _ = await app.redeem()
        #expect(await App(world, started, key: FakeKey(2)).read("after=9&wait=25").status == 401)
    }
}
