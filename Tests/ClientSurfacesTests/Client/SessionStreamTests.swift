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

@Suite(.timeLimit(.minutes(60))) struct SessionStreamTests {
    private func redeemed(_ world: World, key: FakeKey? = FakeKey(1)) async -> App {
        let app = App(world, await world.start(World.mobile), key: key)
        _ = await app.redeem()
        return app
    }

    // MARK: what is written

    @Test func `begins with its head, the time to wait, and the state`() async throws {
        let app = await redeemed(try World())
        let stream = EventStream(app.world, await app.askForEvents())
        #expect(stream.head.status == 200)
        #expect(stream.head.header("content-type") == "text/event-stream")
        #expect(stream.head.header("x-accel-buffering") == "no")
        #expect(
            [nil, "no-store"].contains(stream.head.header("cache-control")), "the engine says no-store where it is nil")
        #expect(stream.head.body.isEmpty)
        #expect(await stream.next() == "retry: 3000\n\n")
        let event = try #require(await stream.event())
        #expect(event.id == 1)
        #expect(event.state.text == (await app.read()).text, "it is the state of a read")
    }

    @Test func `tells each change, and ends when the session is done`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        let sent = await app.post("/otp")
        let second = try #require(await stream.event())
        #expect(second.id == 2 && second.state.text == sent.text)
        let done = await app.post("/otp/verify", #"{"code":"1234"}"#)
        let third = try #require(await stream.event())
        #expect(third.id == 3 && third.state.text == done.text)
        #expect(await stream.next() == nil)
        #expect(await stream.end() == nil, "it ends properly")
    }

    @Test func `tells what the phone decided`() async throws {
        let world = try await World()
        let app = await world.linked()
        let stream = await app.events()
        _ = await app.post("/link")
        while let event = await stream.event(), event.state["step"] != "linkWait" {}
        _ = await world.decide("decision=deny")
        let last = try #require(await stream.event())
        #expect(last.state["outcome"] == "failed")
        #expect(last.state["link"]?.object?["error"] == "link_denied")
        #expect(await stream.next() == nil)
    }

    @Test func `says no more of a session that is done`() async throws {
        let app = await redeemed(try World())
        _ = await app.post("/cancel")
        let stream = await app.events()
        #expect(await stream.event()?.state["outcome"] == "cancelled")
        #expect(await stream.next() == nil)
        #expect(await stream.end() == nil)
    }

    @Test func `tells the end that time brings`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        _ = await stream.event()
        _ = await app.world.post("/sandbox/clock", #"{"advanceSeconds":900}"#)
        #expect(await stream.event()?.state["outcome"] == "expired")
        #expect(await stream.next() == nil)
        #expect(await stream.end() == nil)
    }

    /// Each state has a number of its own, also where time alone changed it and nobody has stored that yet: the end of
    /// the link is 3 to whoever looked then, so the resend cannot be 3 as well.
    @Test func `tells the change that follows an end of time`() async throws {
        let world = try await World()
        let app = await world.linked()
        _ = await app.post("/link")
        let stream = await app.events()
        #expect(await stream.event()?.id == 2)
        _ = await world.post("/sandbox/clock", #"{"advanceSeconds":180}"#)
        let expired = try #require(await stream.event())
        #expect(expired.id == 3 && expired.state["link"]?.object?["error"] == "link_expired")
        let again = await app.post("/link/resend")
        #expect(again.json["rev"] == 4)
        _ = await app.post("/cancel")
        let next = try #require(await stream.event())
        #expect(next.id > 3)
    }

    @Test func `says nothing twice when it is woken for nothing`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        _ = await stream.event()
        for _ in 0..<5 {
            app.world.waits.publish(app.authID)
            _ = await app.read()
        }
        _ = await app.post("/otp")
        #expect(await stream.event()?.id == 2)
    }

    // MARK: Last-Event-ID

    @Test func `leaves out what the client has seen`() async throws {
        let app = await redeemed(try World())
        _ = await app.post("/otp")
        #expect(await app.events(after: "0").event()?.id == 2)
        #expect(await app.events(after: "1").event()?.id == 2)
        let stream = await app.events(after: "2")
        _ = await app.post("/otp/resend")
        #expect(await stream.event()?.id == 3)
    }

    @Test func `tells the end whatever the client has seen`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events(after: "999")
        _ = await app.post("/cancel")
        #expect(await stream.event()?.state["outcome"] == "cancelled")
        for id in ["0", "2", "999"] {
            let again = await app.events(after: id)
            #expect(await again.event()?.state["outcome"] == "cancelled")
            #expect(await again.next() == nil)
        }
    }

    // Ids are digits: `+1` and `-0` are spellings of a number that Swift reads, but none of ours.
    @Test(arguments: ["", "x", "-1", "1.5", "+1", "-0", "0x1", "99999999999999999999", "1 2", "\u{661}"])
    func `refuses an id that is none of its events`(id: String) async throws {
        let app = await redeemed(try World())
        let answer = await app.askForEvents([(name: "Last-Event-ID", value: id)])
        #expect(answer.status == 400 && answer.stream == nil)
        #expect(
            answer.json == [
                "code": 1001, "error": "invalid_request",
                "message": "header 'Last-Event-ID' must be the id of an event of this stream",
            ])
    }

    // MARK: one watcher at a time

    @Test func `ends when a newer stream comes, which goes on`() async throws {
        let app = await redeemed(try World())
        let older = await app.events()
        #expect(await older.event()?.id == 1)
        let newer = await app.events()
        #expect(await newer.event()?.id == 1)
        #expect(await older.next() == nil)
        #expect(await older.end() == nil)
        _ = await app.post("/otp")
        #expect(await newer.event()?.id == 2)
    }

    @Test func `ends when a newer long poll comes`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        async let waiting = app.read("after=1&wait=25")
        #expect(await stream.next() == nil)
        _ = await app.post("/otp")
        #expect(await waiting.json["rev"] == 2)
    }

    @Test func `releases an older long poll`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        async let waiting = app.read("after=1&wait=25")
        #expect(await stream.next() == nil, "the poll is waiting")
        let newer = await app.events()
        #expect(await waiting.json["rev"] == 1)
        #expect(await newer.event()?.id == 1)
    }

    @Test func `is not ended by a stranger, nor by a read that does not wait`() async throws {
        let world = try await World()
        let started = await world.start(World.mobile)
        let app = App(world, started)
        _ = await app.redeem()
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        #expect(await App(world, started, key: FakeKey(2)).askForEvents().status == 401)
        #expect(await App(world, started, key: FakeKey(2)).read("after=1&wait=25").status == 401)
        #expect(await app.read().status == 200)
        _ = await app.post("/otp")
        // The stranger's try counts as no news to this client.
        let event = try #require(await stream.event())
        #expect(event.state["step"] == "otpFinish")
    }

    @Test func `ends with its peer, also while it waits`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        stream.leave()
        #expect(await stream.end() == .closed)
    }

    @Test func `leaves the place free when the peer is gone`() async throws {
        let app = await redeemed(try World())
        let gone = await app.world.client.write(await app.askForEvents()) { (_) throws(StreamEnd) in throw .closed }
        #expect(gone == .closed)
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        _ = await app.post("/cancel")
        #expect(await stream.event()?.id == 2)
    }

    // MARK: ends and refusals

    @Test func `is cut off when the tenant is revoked`() async throws {
        let app = await redeemed(try World())
        let world = app.world
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        _ = try await world.store.revokeTenant(ClientID("sandbox")!, at: world.clock.now())
        world.waits.publish(app.authID)
        #expect(await stream.next() == nil, "nothing more of the session")
        #expect(await stream.end() == .failed)
        #expect(refusal(of: await app.askForEvents()) == "invalid_token")
    }

    @Test func `is cut off when the store fails, and says so in the log alone`() async throws {
        let app = await redeemed(try World())
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        app.world.store.fail(with: .corrupt(what: "sessions.phase"))
        app.world.waits.publish(app.authID)
        #expect(await stream.next() == nil)
        #expect(await stream.end() == .failed)
        let before = await app.askForEvents()
        #expect(before.status == 500 && before.stream == nil)
        #expect(before.text == #"{"code":1000,"error":"internal","message":"internal error"}"#)
    }

    @Test func `is refused as every other call is, before it begins`() async throws {
        let world = try await World()
        let started = await world.start(World.mobile)
        let app = App(world, started)
        let early = await app.askForEvents()
        #expect(early.status == 409 && refusal(of: early) == "invalid_state" && early.json["state"] != nil)
        _ = await app.redeem()
        let path = "/client/v1/session/events"
        let thief = await App(world, started, key: FakeKey(2)).askForEvents()
        #expect(thief.status == 401 && refusal(of: thief) == "token_already_used")
        let bare = await world.get(path)
        #expect(bare.status == 401 && bare.header("www-authenticate") == "DPoP algs=\"ES256\"")
        let headers = app.headers("GET", "/client/v1/session")
        let wrongTarget = await world.client.send(
            Request(method: .get, path: path, headers: Headers(headers), id: "q"))
        #expect(wrongTarget.status == 401 && refusal(of: wrongTarget) == "invalid_dpop_proof")
        for answer in [early, thief, bare, wrongTarget] {
            #expect(answer.stream == nil && answer.header("content-type") == "application/json")
        }
        #expect(await world.client.send(World.request(.post, path, "{}", app.headers("POST", path))).status == 405)
    }

    @Test func `uses up its proof`() async throws {
        let app = await redeemed(try World())
        let path = "/client/v1/session/events"
        let request = Request(
            method: .get, path: path, headers: Headers(app.headers("GET", path, jti: "once")), id: "q")
        #expect(await app.world.client.send(request).status == 200)
        #expect(refusal(of: await app.world.client.send(request)) == "invalid_dpop_proof")
    }

    @Test func `takes a bearer token in sandbox, and not in live`() async throws {
        let app = await redeemed(try World(), key: nil)
        let stream = await app.events()
        #expect(await stream.event()?.id == 1)
        _ = await app.post("/cancel")
        #expect(await stream.event()?.id == 2)
        var options = World.Options()
        options.isSandbox = false
        let live = await redeemed(try World(options), key: nil)
        #expect(await live.askForEvents().status == 401)
    }

    // MARK: web pages

    @Test func `lets a registered page read it, and no other`() async throws {
        let world = try await World()
        let app = await redeemed(world)
        let answer = await app.askForEvents([(name: "Origin", value: "https://app.example")])
        #expect(answer.status == 200 && answer.stream != nil)
        #expect(answer.header("access-control-allow-origin") == "https://app.example")
        #expect(answer.header("access-control-allow-credentials") == nil)
        #expect(answer.header("vary") == "Origin")
        // Another tenant's page, a stranger's, and one without a name.
        for origin in ["https://other.example", "https://evil.example", "null"] {
            let refused = await app.askForEvents([(name: "Origin", value: origin)])
            #expect(refused.status == 403 && refusal(of: refused) == "origin_not_allowed")
            #expect(refused.stream == nil && refused.header("access-control-allow-origin") == nil)
        }
        let early = App(world, await world.start(World.mobile))
        let readable = await early.askForEvents([(name: "Origin", value: "https://app.example")])
        #expect(readable.status == 409 && readable.header("access-control-allow-origin") == "https://app.example")
    }

    @Test func `answers a preflight for GET and its header`() async throws {
        let answer = await (try World()).client.send(
            Request(
                method: .options, path: "/client/v1/session/events",
                headers: Headers([
                    (name: "Origin", value: "https://app.example"),
                    (name: "Access-Control-Request-Method", value: "GET"),
                ]), id: "q"))
        #expect(answer.status == 204)
        #expect(answer.header("access-control-allow-methods") == "GET")
        #expect(answer.header("access-control-allow-headers")?.contains("Last-Event-ID") == true)
    }
}
