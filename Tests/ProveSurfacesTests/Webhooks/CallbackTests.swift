import HTTPServer
import StrictJSON
import TestSupport
import Testing

@testable import Possession
@testable import SurfaceTestSupport

/// `callbackUrl` of the older calls: the end of the session is told there.
@Suite struct CallbackTests {
    private static func order(_ callback: String) -> String {
        #"{"requestId":"r-1","callbackUrl":"\#(callback)","subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"},"#
            + #""authenticators":{"otp":{"messageText":"Your code is ####"}}}}}"#
    }

    private func add(_ world: World, _ url: String, _ types: String, as client: String = "sandbox") async throws
        -> WebhookEndpointID
    {
        let answer = await world.post("/v1/webhooks", #"{"url":"\#(url)","types":\#(types)}"#, as: client)
        return try #require(WebhookEndpointID(name: answer.json["id"]?.string ?? ""), "\(answer.text)")
    }

    /// Events that an endpoint is told, and their URLs; oldest first.
    private func told(_ world: World, at id: WebhookEndpointID) async throws -> [String] {
        let endpoint = try #require(await world.store.webhookEndpoint(id))
        return try await world.store.webhookDeliveries(at: id, of: nil, in: nil, limit: 100)
            .map { "\($0.event.news.type.rawValue) \($0.event.news.url(for: endpoint))" }.reversed()
    }

    private func start(_ world: World, _ callback: String) async throws -> App {
        let answer = await world.post("/v1/server/auth/start", Self.order(callback))
        #expect(answer.status == 200, "\(answer.text)")
        return App(world, World.Started(correlationID: "", token: answer.json["authToken"]?.string ?? ""))
    }

    @Test func `an endpoint that asks for nothing else is told there that the session is over`() async throws {
        let world = try await World()
        let endpoint = try await add(world, "https://a.example/hooks", #"["identity.*"]"#)
        let other = try await add(world, "https://a.example/hooks/other", #"["session.succeeded"]"#)
        let app = try await start(world, "https://a.example/hooks/done?run=1")
        _ = await app.redeem()
        _ = await app.post("/otp")
        #expect(try await told(world, at: endpoint).isEmpty)
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 200)
        #expect(try await told(world, at: endpoint) == ["session.succeeded https://a.example/hooks/done?run=1"])
        // Any other endpoint is told where it always is.
        #expect(try await told(world, at: other) == ["session.succeeded https://a.example/hooks/other"])
    }

    @Test func `one that asks for more is told the end once, there`() async throws {
        let world = try await World()
        let endpoint = try await add(world, "https://a.example/hooks/", #"["session.*"]"#)
        let app = try await start(world, "https://a.example/hooks/done")
        // Ids of one moment have no order.
        _ = world.clock.advance(seconds: 1)
        _ = await app.redeem()
        _ = world.clock.advance(seconds: 1)
        #expect(await app.post("/cancel").status == 200)
        #expect(
            try await told(world, at: endpoint) == [
                "session.created https://a.example/hooks/", "session.redeemed https://a.example/hooks/",
                "session.cancelled https://a.example/hooks/done",
            ])
    }

    @Test func `one that is disabled or another client's takes no callback`() async throws {
        let world = try await World()
        let id = try await add(world, "https://a.example/hooks", #"["*"]"#)
        _ = try await add(world, "https://b.example/hooks", #"["*"]"#, as: "sandbox-2")
        let path = "/v1/webhooks/\(id.name)"
        #expect(await world.call(.post, "\(path)/disable").status == 200)
        for url in ["https://a.example/hooks", "https://b.example/hooks"] {
            let answer = await world.post("/v1/server/auth/start", Self.order(url))
            #expect(
                answer.status == 400
                    && answer.json["message"]?.string
                        == "field 'callbackUrl' is not below the URL of an active webhook endpoint of this client",
                "\(answer.text)")
        }
    }

    @Test(arguments: [
        ("https://a.example/h", "https://a.example/h", true), ("https://a.example/h", "https://a.example/h/1", true),
        ("https://a.example/h", "https://a.example/h?x=1", true),
        ("https://a.example/h/", "https://a.example/h/1", true),
        ("https://a.example", "https://a.example/1", true),
        ("https://a.example/h?x=1", "https://a.example/h?x=1", true),
        ("https://a.example/h", "https://a.example/h/a.b/..c?p=../..", true),
        ("https://a.example/h", "https://a.example/h1", false), ("https://a.example", "https://a.example.b", false),
        ("https://a.example", "https://a.example@b.example/", false),
        ("https://a.example", "https://a.example:8443/", false),
        ("https://a.example/h", "https://a.example/h/../x", false),
        ("https://a.example/h", "https://a.example/h/.", false),
        ("https://a.example/h", "https://a.example/h/%2E%2e/x", false),
        ("https://a.example/h", "https://a.example/h/..%2Fx", false),
        ("https://a.example/h", "https://a.example/h/..;a=b/x", false),
        ("https://a.example/h", "https://a.example/h/.;/x", false),
        ("https://a.example/h", "https://a.example/h/a;b/..c;d", true),
        ("https://a.example/h", #"https://a.example/h/\x"#, false),
        ("https://a.example/h", "https://a.example/h/1#x", false),
        ("https://a.example/h", "https://a.example/h/ x", false),
        ("https://a.example/h?x=1", "https://a.example/h?x=1/2", false),
        ("https://a.example/h", "http://a.example/h", false),
        ("https://a.example/h", "https://a.example", false),
    ])
    func `a URL is below another by whole segments`(prefix: String, url: String, isBelow: Bool) {
        #expect(WebhookURLRule.isPrefix(prefix, of: url) == isBelow)
        let long = url + "/" + String(repeating: "x", count: WebhookRules.mostURLBytes)
        #expect(!WebhookURLRule.isPrefix(prefix, of: long))
    }
}
