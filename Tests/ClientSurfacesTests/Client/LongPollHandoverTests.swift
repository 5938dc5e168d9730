import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Polls that wait for a session: the one that goes on when there are several, and the changes that wake it. The loop's clock
/// stands still: a poll that nobody wakes never ends.
@Suite(.timeLimit(.minutes(60))) struct LongPollHandoverTests {
    private func redeemed() async throws -> App {
        let world = try await World()
        let app = App(world, await world.start(World.mobile))
        _ = await app.redeem()
        return app
    }

    /// A poll that is known to wait: it has ended the stream that was there before.
    private func waitingPoll(_ app: App, after revision: Int64) async -> Task<Response, Never> {
        let stream = await app.events()
        _ = await stream.event()
        let poll = Task { await app.read("after=\(revision)&wait=25") }
        #expect(await stream.next() == nil)
        return poll
    }

    @Test func `the older of two is released at once, unchanged, and the newer goes on`() async throws {
        let app = try await redeemed()
        let revisions = await withTaskGroup(of: Int64?.self) { group in
            for _ in 0..<2 { group.addTask { await app.read("after=1&wait=25").json["rev"]?.integer } }
            let older = await group.next() ?? nil
            _ = await app.post("/otp")
            return [older, await group.next() ?? nil]
        }
        #expect(revisions == [1, 2])
    }

    @Test func `of a row of polls only the newest goes on`() async throws {
        let app = try await redeemed()
        let revisions = await withTaskGroup(of: Int64?.self) { group in
            for _ in 0..<8 { group.addTask { await app.read("after=1&wait=25").json["rev"]?.integer } }
            var revisions: [Int64?] = []
            for _ in 0..<7 { revisions.append(await group.next() ?? nil) }
            _ = await app.post("/otp")
            revisions.append(await group.next() ?? nil)
            return revisions
        }
        #expect(revisions == [1, 1, 1, 1, 1, 1, 1, 2])
    }

    /// A change races with the poll that takes the place of another: the news reach whoever waits in the end.
    @Test func `one that takes a place misses no change`() async throws {
        for _ in 0..<40 {
            let app = try await redeemed()
            let revisions = await withTaskGroup(of: Int64?.self) { group in
                for _ in 0..<2 { group.addTask { await app.read("after=1&wait=25").json["rev"]?.integer } }
                group.addTask { await app.post("/otp").json["rev"]?.integer }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(revisions.count == 3)
            #expect(revisions.filter { $0 == 2 }.count >= 2, "the change itself, and one of the polls at least")
        }
    }

    @Test func `a chain of polls and changes sees every end`() async throws {
        let app = try await redeemed()
        async let reading: [Int64] = {
            var seen: [Int64] = [1]
            while true {
                let state = await app.read("after=\(seen.last ?? 0)&wait=25").json
                guard let revision = state["rev"]?.integer, seen.count < 20 else { return seen }
                seen.append(revision)
                if state["status"] == "done" { return seen }
            }
        }()
        for call in ["/otp", "/otp/resend", "/otp/resend", "/cancel"] { _ = await app.post(call) }
        let seen = await reading
        #expect(seen.last == 5)
        #expect(seen == Set(seen).sorted(), "each time something newer")
    }

    @Test func `a poll of another session is left alone`() async throws {
        let app = try await redeemed()
        let other = App(app.world, await app.world.start(World.mobile), key: FakeKey(2))
        _ = await other.redeem()
        async let first = app.read("after=1&wait=25")
        async let second = other.read("after=1&wait=25")
        _ = await app.post("/cancel")
        #expect(await first.json["outcome"] == "cancelled")
        _ = await other.post("/otp")
        #expect(await second.json["rev"] == 2)
    }

    @Test func `a stranger releases nobody`() async throws {
        let world = try await World()
        let started = await world.start(World.mobile)
        let app = App(world, started)
        _ = await app.redeem()
        async let waiting = app.read("after=1&wait=25")
        for _ in 0..<3 {
            #expect(await App(world, started, key: FakeKey(2)).read("after=1&wait=25").status == 401)
        }
        _ = await app.post("/otp")
        #expect(await waiting.json["step"] == "otpFinish")
    }

    @Test func `a newer one at another server releases the poll, unchanged`() async throws {
        let app = try await redeemed()
        let session = try #require(AuthID(app.authID))
        let waiting = await waitingPoll(app, after: 1)
        #expect(app.world.watchers.sessions == [session])
        app.world.watchers.release(session)
        #expect(await waiting.value.json["rev"] == 1)
        #expect(app.world.watchers.sessions.isEmpty)
        app.world.watchers.release(session)
        let next = await waitingPoll(app, after: 1)
        _ = await app.post("/otp")
        #expect(await next.value.json["rev"] == 2)
    }

    // MARK: what wakes

    @Test(arguments: [(900, "expired"), (180, "link_expired")])
    func `a move of the clock wakes, where it changes the session`(seconds: Int, ending: String) async throws {
        let world = try await World()
        let app = await world.linked()
        if ending == "link_expired" { _ = await app.post("/link") }
        let revision = await app.read().json["rev"]?.integer ?? 0
        // The token ends with the session: the clock moves once the poll was let in.
        let waiting = await waitingPoll(app, after: revision)
        _ = await world.post("/sandbox/clock", #"{"advanceSeconds":\#(seconds)}"#)
        let answer = await waiting.value
        #expect(answer.status == 200)
        #expect(
            ending == "expired" ? answer.json["outcome"] == "expired" : link(in: answer)?["error"] == "link_expired")
        #expect((answer.json["rev"]?.integer ?? 0) > revision)
    }

    /// The answer to the resend is lost: the next poll has it, because it is another revision than the end of the link
    /// was, which a waiting poll told without storing it.
    @Test func `a poll after the end of a link sees the next one`() async throws {
        let world = try await World()
        let app = await world.linked()
        _ = await app.post("/link")
        let waiting = await waitingPoll(app, after: 2)
        _ = await world.post("/sandbox/clock", #"{"advanceSeconds":180}"#)
        let expired = await waiting.value
        #expect(expired.json["rev"] == 3 && link(in: expired)?["error"] == "link_expired")
        _ = await app.post("/link/resend")
        let next = await app.read("after=3&wait=1")
        #expect(next.json["rev"] == 4 && link(in: next)?["error"] == nil)
    }

    @Test func `the phone's decision wakes`() async throws {
        let world = try await World()
        let app = await world.linked()
        let revision = await app.post("/link").json["rev"]?.integer ?? 0
        async let waiting = app.read("after=\(revision)&wait=25")
        _ = await world.decide("decision=approve")
        #expect(await waiting.json["outcome"] == "succeeded")
    }

    @Test func `each hop of Mobile Auth wakes`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native()
        let walk = await app.beginMobileAuth()
        async let first = app.read("after=2&wait=25")
        _ = await walk.go()
        #expect((await first.json["rev"]?.integer ?? 0) > 2)
    }

    @Test func `a revoked tenant's client is turned away when it wakes`() async throws {
        let app = try await redeemed()
        let waiting = await waitingPoll(app, after: 1)
        _ = try await app.world.store.revokeTenant(ClientID("sandbox")!, at: app.world.clock.now())
        app.world.waits.publish(app.authID)
        let answer = await waiting.value
        #expect(answer.status == 401 && refusal(of: answer) == "invalid_token" && answer.json["state"] == nil)
    }
}
