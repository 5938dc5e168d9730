import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// The calls about webhooks, as a backend makes them.
@Suite struct WebhookSurfaceTests {
    private func add(_ world: World, _ members: String, as client: String = "sandbox") async -> Response {
        await world.post("/v1/webhooks", "{\(members)}", as: client)
    }

    @Test func `shows a secret once`() async throws {
        let world = try await World()
        let added = await add(world, #""url":"https://a.example/h","types":["session.*"],"include":["phoneNumber"]"#)
        #expect(added.status == 200 && added.json["secret"]?.string?.hasPrefix("whsec_") == true, "\(added.text)")
        #expect(added.json["publicKey"] == nil && added.json["include"]?.array == [.string("phoneNumber")])
        let path = "/v1/webhooks/\(added.json["id"]?.string ?? "")"
        #expect(await world.call(.get, path).json["secret"] == nil)
        let rotated = await world.call(.post, "\(path)/rotate")
        #expect(rotated.json["secret"]?.string != added.json["secret"]?.string && rotated.json["secret"] != nil)
        #expect(rotated.json["oldSecretUntil"]?.string == "2026-01-02T10:00:00Z")
    }

    @Test func `gives no third secret while two of them sign, unless it is forced`() async throws {
        let world = try await World()
        let added = await add(world, #""url":"https://a.example/h","types":["*"]"#)
        let path = "/v1/webhooks/\(added.json["id"]?.string ?? "")"
        let second = await world.call(.post, "\(path)/rotate").json["secret"]
        let refused = await world.call(.post, "\(path)/rotate")
        #expect(refused.status == 409 && refused.json["code"] == 8003, "\(refused.text)")
        #expect(
            refused.json["message"]?.string
                == #"the keys before sign until 2026-01-02T10:00:00Z; with "force": true they end now"#)
        #expect(await world.call(.get, path).json["oldSecretUntil"]?.string == "2026-01-02T10:00:00Z")
        let forced = await world.post("\(path)/rotate", #"{"force":true}"#)
        #expect(forced.status == 200 && forced.json["secret"] != second)
        _ = world.clock.advance(seconds: 86_400)
        #expect(await world.call(.get, path).json["oldSecretUntil"] == nil)
        #expect(await world.call(.post, "\(path)/rotate").status == 200)
    }

    @Test(arguments: [
        (#""types":["*"]"#, "field 'url' is missing"), (#""url":"https://a.example""#, "field 'types' is missing"),
        (
            #""url":"http://a.example","types":["*"]"#,
            "field 'url' must begin with https://, except for loopback addresses"
        ),
        (#""url":"https://a.example","types":[]"#, "field 'types' is empty"),
        (
            #""url":"https://a.example","types":["session.none"]"#,
            "field 'types' has an entry that is no event type, no group such as session.*, and not *"
        ),
        (#""url":"https://a.example","types":["*"],"key":"rsa""#, "field 'key' must be one of ed25519"),
        (
            #""url":"https://a.example","types":["*"],"include":["code"]"#,
            "field 'include' may have phoneNumber and statement only"
        ),
        (
            #""url":"https://a.example","types":["*"],"handshake":true"#,
            "field 'handshake' needs the format cloudevents"
        ),
        (
            #""url":"https://a.example","types":["*"],"include":["server"]"#,
            "field 'include' may have phoneNumber and statement only"
        ),
    ])
    func `names what is wrong with a wish`(members: String, message: String) async throws {
        let answer = await add(try await World(), members)
        #expect(answer.status == 400 && answer.json["message"]?.string == message, "\(answer.text)")
    }

    private static let handshake = #""url":"https://a.example/h","types":["*"],"format":"cloudevents","handshake":true"#

    @Test(arguments: [
        (
            WebhookConsent.withheld,
            "did not agree: its answer to OPTIONS needs WebHook-Allowed-Origin with the origin that asked, or *"
        ), (.unanswered(.timeout), "did not answer OPTIONS (timeout)"),
        (.busy, "was not asked, because another one of the client is being asked: try again"),
        (.notAsked, "cannot be asked: no server runs"),
    ])
    func `adds no endpoint whose receiver has to agree and does not`(consent: WebhookConsent, reason: String)
        async throws
    {
        let world = try await World()
        world.consents.withLock { $0["https://a.example/h"] = consent }
        let answer = await add(world, Self.handshake)
        #expect(answer.status == 400 && answer.json["message"]?.string == "field 'url' \(reason)", "\(answer.text)")
        #expect(try await world.store.webhookEndpoints(of: nil).endpoints.isEmpty)
    }

    @Test func `asks a receiver again before it is told again`() async throws {
        let world = try await World()
        world.consents.withLock { $0["https://a.example/h"] = .given }
        let added = await add(world, Self.handshake)
        #expect(added.status == 200 && added.json["handshake"] == true, "\(added.text)")
        let path = "/v1/webhooks/\(added.json["id"]?.string ?? "")"
        _ = await world.call(.post, "\(path)/disable")
        world.consents.withLock { $0["https://a.example/h"] = .withheld }
        #expect(await world.call(.post, "\(path)/enable").status == 400)
        #expect(await world.call(.get, path).json["active"] == false)
        world.consents.withLock { $0["https://a.example/h"] = .given }
        #expect(await world.call(.post, "\(path)/enable").status == 200)
        #expect(await world.call(.get, path).json["active"] == true)
    }

    @Test func `a change that changes nothing stores nothing, asks nobody and sends no ping`() async throws {
        let world = try await World()
        world.consents.withLock { $0["https://a.example/h"] = .given }
        let added = await add(world, Self.handshake)
        let path = "/v1/webhooks/\(added.json["id"]?.string ?? "")"
        world.consents.withLock { $0["https://a.example/h"] = .withheld }
        #expect(await world.call(.post, "\(path)/enable").status == 200, "it is enabled already")
        #expect(try await world.store.webhookDeliveries(at: nil, of: nil, in: nil, limit: 9).isEmpty)
        let disabled = await world.call(.post, "\(path)/disable")
        _ = world.clock.advance(seconds: 60)
        #expect(await world.call(.post, "\(path)/disable").json == disabled.json, "since then")
    }

    @Test func `gives one client ten endpoints`() async throws {
        let world = try await World()
        let members = #""url":"https://a.example/h","types":["*"]"#
        for _ in 0..<WebhookRules.mostEndpoints { #expect(await add(world, members).status == 200) }
        #expect(await add(world, members).status == 400)
        #expect(await add(world, members, as: "sandbox-2").status == 200)
        #expect(await world.call(.get, "/v1/webhooks").json["webhooks"]?.array?.count == WebhookRules.mostEndpoints)
    }

    @Test(arguments: ["", "/test", "/rotate", "/enable", "/disable", "/deliveries", "/replay"])
    func `knows no endpoint of another client`(call: String) async throws {
        let world = try await World()
        let id = await add(world, #""url":"https://a.example/h","types":["*"]"#).json["id"]?.string ?? ""
        let path = "/v1/webhooks/\(id)\(call)"
        let answer =
            switch call {
            case "", "/deliveries": await world.call(.get, path, as: "sandbox-2")
            case "/replay": await world.post(path, #"{"since":1}"#, as: "sandbox-2")
            default: await world.call(.post, path, as: "sandbox-2")
            }
        #expect(answer.status == 404, "\(answer.text)")
        #expect(await world.call(.get, "/v1/webhooks/we_1").status == 404)
    }

    @Test func `tests and replays no endpoint that is disabled`() async throws {
        let world = try await World()
        let id = await add(world, #""url":"https://a.example/h","types":["*"]"#).json["id"]?.string ?? ""
        let path = "/v1/webhooks/\(id)"
        #expect(await world.call(.post, "\(path)/disable").json["reason"]?.string == "by_hand")
        #expect(await world.call(.post, "\(path)/test").status == 403)
        #expect(await world.post("\(path)/replay", #"{"since":1}"#).status == 403)
        #expect(await world.call(.post, "\(path)/enable").status == 200)
        let event = await world.call(.post, "\(path)/test").json["eventId"]?.string ?? ""
        #expect(event.hasPrefix("evt_"))
        let listed = await world.call(.get, "\(path)/deliveries", query: "state=pending&limit=1")
        #expect(listed.json["deliveries"]?.array?.first?.object?["type"]?.string == "ping")
        #expect(await world.call(.get, "\(path)/deliveries", query: "state=lost").status == 400)
        #expect(await world.post("\(path)/replay", #"{"eventId":"\#(event)"}"#).status == 404, "it waits already")
        #expect(await world.post("\(path)/replay", "{}").status == 400)
        #expect(await world.call(.delete, path).status == 200)
        #expect(await world.call(.get, path).status == 404)
    }
}
