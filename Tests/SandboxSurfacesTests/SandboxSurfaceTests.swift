import Sandbox
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

@Suite(.timeLimit(.minutes(60))) struct SandboxSurfaceTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#

    private func message(_ id: String, to: String = "+12001004014", code: String? = "1234") -> SandboxMessage {
        SandboxMessage(
            id: id, to: Target(to)!, channel: .sms, text: "Code 1234", code: code,
            correlationID: CorrelationID("0193a0b0-0000-7000-8000-000000000001")!, sentAt: FixedClock.start)
    }

    @Test func `lists messages as they were sent, newest last`() async throws {
        let world = try await World()
        world.inbox.add(message("1"))
        world.inbox.add(message("2", to: "+12065550100", code: nil))
        let all = await world.get("/sandbox/messages")
        #expect(all.status == 200)
        #expect(
            all.text == #"{"messages":[{"id":"1","to":"2001004014","channel":"sms","text":"Code 1234","code":"1234","#
                + #""correlationId":"0193a0b0-0000-7000-8000-000000000001","sentAt":"2026-01-01T10:00:00Z"},"#
                + #"{"id":"2","to":"+12065550100","channel":"sms","text":"Code 1234","#
                + #""correlationId":"0193a0b0-0000-7000-8000-000000000001","sentAt":"2026-01-01T10:00:00Z"}]}"#)
    }

    @Test(arguments: [
        ("", ["1", "2"]), ("to=2001004014", ["1"]), ("to=%2B12001004014", ["1"]), ("to=+12065550100", ["2"]),
        ("after=1", ["2"]),
        ("after=2", []), ("to=2001004014&after=1&wait=0", []), ("to=+14155550100", []),
    ]) func `filters by recipient and by what came after`(query: String, ids: [String]) async throws {
        let world = try await World()
        world.inbox.add(message("1"))
        world.inbox.add(message("2", to: "+12065550100"))
        let answer = await world.get("/sandbox/messages", query: query).json["messages"]?.array ?? []
        #expect(answer.compactMap { $0.object?["id"]?.string } == ids)
    }

    @Test func `waits for a message to the right number`() async throws {
        let world = try await World()
        async let waiting = world.get("/sandbox/messages", query: "to=2001004014&wait=30")
        world.inbox.add(message("1", to: "+12065550100"))
        world.waits.publish(SandboxSurface.messagesKey)
        world.inbox.add(message("2"))
        world.waits.publish(SandboxSurface.messagesKey)
        #expect(await waiting.json["messages"]?.array?.compactMap { $0.object?["id"]?.string } == ["2"])
    }

    @Test(arguments: [
        ("wait=31", "field 'wait' must be at most 30"), ("wait=x", "field 'wait' must be a whole number"),
        ("to=nobody", "field 'to' is neither a phone number nor an e-mail address"),
    ]) func `names a bad question`(query: String, message: String) async throws {
        let answer = await (try World()).get("/sandbox/messages", query: query)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 8001, "message": .string(message)])
    }

    @Test(arguments: [
        ("/sandbox/messages", "correlationId=1", "correlationId", "this call has to, after, wait"),
        ("/sandbox/messages", "to=2001004014&limit=5", "limit", "this call has to, after, wait"),
        ("/sandbox/users", "phoneNumber=2001004014", "phoneNumber", "this call has none"),
        ("/sandbox/clock", "a=1", "a", "this call has none"),
        ("/sandbox/users", "%3Cb%3E=1", "?", "this call has none"),
        ("/sandbox/users", "To=1", "To", "this call has none"),
    ]) func `refuses a query parameter that a call does not have, by name`(
        path: String, query: String, name: String, known: String
    ) async throws {
        let answer = await (try World()).get(path, query: query)
        #expect(answer.status == 400)
        #expect(
            answer.json == ["code": 8001, "message": .string("field '\(name)' is not a query parameter: \(known)")])
    }

    @Test func `the page of the demo takes any query`() async throws {
        #expect(await (try World()).get("/demo", query: "utm_source=x").status == 200)
    }

    @Test func `moves the clock on, and back only by reset`() async throws {
        let world = try await World()
        #expect(await world.get("/sandbox/clock").text == #"{"now":"2026-01-01T10:00:00Z","offsetSeconds":0}"#)
        let moved = await world.post("/sandbox/clock", #"{"advanceSeconds":121}"#)
        #expect(moved.text == #"{"now":"2026-01-01T10:02:01Z","offsetSeconds":121}"#)
        #expect(await world.post("/sandbox/clock", #"{"advanceSeconds":0}"#).json["offsetSeconds"] == 121)
        #expect(await world.post("/sandbox/clock", #"{"reset":true}"#).json["offsetSeconds"] == 0)
    }

    @Test(arguments: [
        ("{}", "field 'advanceSeconds' is missing"), (#"{"reset":false}"#, "field 'advanceSeconds' is missing"),
        (#"{"advanceSeconds":-1}"#, "field 'advanceSeconds' must not be negative; only reset goes back"),
        (#"{"advanceSeconds":1.5}"#, "field 'advanceSeconds' must be a whole number"),
        (#"{"advanceSeconds":"1"}"#, "field 'advanceSeconds' must be a whole number"),
        (#"{"advanceSeconds":9223372036854775807}"#, "field 'advanceSeconds' goes too far"),
        (#"{"advanceSeconds":1,"reset":true}"#, "field 'reset' cannot stand beside advanceSeconds"),
        (#"{"reset":1}"#, "field 'reset' must be true or false"),
        (#"{"advanceSeconds":0,"freeze":true}"#, "field 'freeze' is not known"),
        (#"{"advanceSeconds":1,"a b":1}"#, "field '?' is not known"),
    ]) func `refuses any other move`(body: String, message: String) async throws {
        let world = try await World()
        let answer = await world.post("/sandbox/clock", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 8001, "message": .string(message)])
        #expect(world.clock.offsetSeconds == 0)
    }

    @Test func `says that JSON is due`() async throws {
        let world = try await World()
        let form = World.request(
            .post, "/sandbox/clock", #"{"reset":true}"#, contentType: "application/x-www-form-urlencoded")
        let answer = await world.client.send(form)
        #expect(answer.status == 415 && answer.json["message"]?.string?.contains("application/json") == true)
    }

    @Test func `lists the users and what each does`() async throws {
        let answer = await (try World()).get("/sandbox/users")
        let users = answer.json["users"]?.array?.compactMap(\.object) ?? []
        #expect(users.count == World.users.all.count)
        #expect(users.first?["phoneNumber"] == "2001004014" && users.first?["otp"] == "pass")
        #expect(users.first?["product"] == "unify" && users.first?["person"] == nil)
        let marcia = users.first { $0["phoneNumber"] == .string(World.marcia) }
        #expect(marcia?["product"] == "prefill")
        #expect(
            marcia?["person"] == ["firstName": "Marcia", "lastName": "Longo", "dob": "1982-07-19", "ssn": "6227"])
        let application = answer.json["applications"]?.array?.first?.object
        #expect(application?["clientId"] == "sandbox")
        #expect(application?["applicationSecret"] == "cHVibGljLXNlY3JldC0wMQ==", "it is public")
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test func `shows sessions, newest first, and their timeline`() async throws {
        let world = try await World()
        let first = await world.start(Self.lorant)
        _ = world.clock.advance(seconds: 1)
        let second = await world.start(Self.lorant)
        let listed = await world.get("/sandbox/sessions").json["sessions"]?.array?.compactMap {
            $0.object?["correlationId"]?.string
        }
        #expect(listed == [second.correlationID, first.correlationID])
        let app = App(world, first)
        _ = await app.redeem()
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        let answer = await world.get("/sandbox/sessions/\(first.correlationID)")
        let events = answer.json["events"]?.array?.compactMap { $0.object?["event"]?.string }
        #expect(events == ["created", "redeemed", "otp_sent", "otp_passed", "succeeded"])
        #expect(answer.json["outcome"] == "succeeded" && answer.json["method"] == "otp")
        #expect(answer.json["surface"] == "platform")
        #expect(!answer.text.contains("1234\""), "no code in a timeline")
        #expect(SDKShape.defects(of: answer.body) == [])
    }

    @Test func `completes a session without a client, once`() async throws {
        let world = try await World()
        for (outcome, success) in [("success", "true"), ("failure", "false")] {
            let started = await world.start(Self.lorant)
            let path = "/sandbox/sessions/\(started.correlationID)/complete"
            #expect(await world.post(path, #"{"outcome":"\#(outcome)"}"#).json["status"] == "done")
            let result = await world.status(started).json
            #expect(result["success"]?.string == success && result["deviceId"] == nil)
            let again = await world.post(path, #"{"outcome":"\#(outcome)"}"#)
            #expect(again.status == 409 && again.json["code"] == 8003)
        }
    }

    @Test func `knows no other session`() async throws {
        let world = try await World()
        for id in ["0193a0b0-0000-7000-8000-000000000001", "x"] {
            #expect(await world.get("/sandbox/sessions/\(id)").status == 404)
            let answer = await world.post("/sandbox/sessions/\(id)/complete", #"{"outcome":"success"}"#)
            #expect(answer.status == 404 && answer.json["code"] == 8008)
        }
        let bad = await world.post("/sandbox/sessions/x/complete", #"{"outcome":"maybe"}"#)
        #expect(bad.status == 400 && bad.json["message"] == "field 'outcome' must be one of success, failure")
    }
}

@Suite struct OperationsSurfaceTests {
    @Test func `says that it lives`() async throws {
        let world = try await World()
        #expect(await world.get("/healthz").text == #"{"status":"ok"}"#)
        #expect(await world.get("/readyz").status == 200)
        let metrics = await world.get("/metrics")
        #expect(
            metrics.text == "up 1\n" && metrics.header("content-type")?.hasPrefix("text/plain; version=0.0.4") == true)
    }

    @Test func `says when it is not ready`() async throws {
        let world = try await World()
        let surface = OperationsSurface(
            engine: world.engine, notReady: { "it is tested" }, metrics: { "" }, sha256: { $0 })
        let client = try InProcessClient(surface.routes)
        let answer = await client.send(Request(method: .get, path: "/readyz", id: "q"))
        #expect(answer.status == 503 && answer.json["code"] == 8000 && answer.header("retry-after") == "1")
    }

    @Test func `shows its public keys, to be kept for five minutes`() async throws {
        let answer = await (try World()).get("/.well-known/jwks.json")
        #expect(answer.text == #"{"keys":[]}"#)
        #expect(answer.header("cache-control") == "public, max-age=300")
    }

    @Test(arguments: [
        (HTTPFailure.badRequest(reason: "r"), 400, 8001), (.notFound, 404, 8001), (.doubleSlash, 404, 8001),
        (.methodNotAllowed(.post, allow: [.get]), 405, 8001),
        (.requestTimeout, 408, 8001), (.contentTooLarge, 413, 8001), (.uriTooLong, 414, 8001),
        (.expectationFailed, 417, 8001), (.misdirected, 421, 8001),
        (.headerFieldsTooLarge, 431, 8001), (.internalFault, 500, 8000), (.notImplemented, 501, 8001),
        (.overloaded, 503, 8000),
        (.versionNotSupported, 505, 8001),
    ]) func `gives the engine's failures a body`(failure: HTTPFailure, status: Int, code: Int64) {
        let answer = failureResponse(failure)
        #expect(answer.status == status && answer.json["code"] == .integer(code))
        #expect(SDKShape.defects(of: answer.body) == [])
        #expect((answer.header("retry-after") != nil) == (failure == .overloaded))
    }

    @Test(arguments: [
        (HTTPFailure.methodNotAllowed(.get, allow: [.post, .options]), "GET is not taken here; use POST"),
        (
            .methodNotAllowed(.post, allow: [.get, .head, .delete, .options]),
            "POST is not taken here; use GET or DELETE"
        ),
        (.methodNotAllowed(.connect, allow: []), "CONNECT is not taken here"),
        (.notFound, "there is nothing at this path"),
        (.doubleSlash, "the path begins with two slashes: the base URL must not end with a slash"),
    ]) func `a wrong address or method is told the way out`(failure: HTTPFailure, message: String) {
        #expect(failureResponse(failure).json["message"] == .string(message))
        let docs = failure == .notFound ? "; /docs describes every call" : ""
        #expect(failureResponse(failure, besideDocs: true).json["message"] == .string(message + docs))
    }
}
