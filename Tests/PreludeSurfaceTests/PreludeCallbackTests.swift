import HTTPServer
import StrictJSON
import TestSupport
import Testing
import Text

@testable import Possession
@testable import PreludeSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Endpoints of Prelude's format, and `callback_url` of a create.
@Suite struct PreludeCallbackTests {
    private static let url = "https://shop.example/hooks"

    private func add(
        _ prelude: PreludeWorld, _ url: String = url, format: String = "prelude", types: String = #"["*"]"#,
        as client: String = "sandbox"
    ) async throws -> WebhookEndpointID {
        let answer = await prelude.world.post(
            "/v1/webhooks", #"{"url":"\#(url)","types":\#(types),"format":"\#(format)"}"#, as: client)
        #expect(answer.json["format"]?.string == format, "\(answer.text)")
        return try #require(WebhookEndpointID(name: answer.json["id"]?.string ?? ""))
    }

    private func create(_ prelude: PreludeWorld, _ callback: String, as client: String = "sandbox") async -> Response {
        let text = String(decoding: JSONValue.string(callback).serialized(), as: UTF8.self)
        return await prelude.create(
            PreludeWorld.lorant, #","options":{"callback_url":\#(text)}"#, as: client)
    }

    /// Events that an endpoint is told, and their URLs, in the order of the words.
    private func told(_ prelude: PreludeWorld, at id: WebhookEndpointID) async throws -> [String] {
        let endpoint = try #require(await prelude.world.store.webhookEndpoint(id))
        return try await prelude.world.store.webhookDeliveries(at: id, of: nil, in: nil, limit: 100)
            .map { "\($0.event.news.type.rawValue) \($0.event.news.url(for: endpoint))" }.sorted()
    }

    @Test func `an endpoint of this format is told of verifications and messages, and of nothing else`() async throws {
        let prelude = try await PreludeWorld()
        let own = try await add(prelude)
        let standard = try await add(prelude, Self.url + "/standard", format: "standard", types: #"["session.*"]"#)
        #expect(await prelude.create().status == 200)
        #expect(await prelude.checked("123456") == "success")
        // A session of another product.
        _ = await prelude.world.start(World.mobile)
        #expect(try await told(prelude, at: own) == ["message.sent \(Self.url)", "session.created \(Self.url)"])
        let elsewhere = try await told(prelude, at: standard).map { $0.split(separator: " ")[0] }
        #expect(elsewhere == ["session.created", "session.created", "session.redeemed", "session.succeeded"])
    }

    @Test func `every event of a verification goes to its callback, whatever the endpoint asks for`() async throws {
        let prelude = try await PreludeWorld()
        let endpoint = try await add(prelude, types: #"["identity.*"]"#)
        let other = try await add(prelude, Self.url + "/other", types: #"["message.*"]"#)
        let callback = Self.url + "/run-7?x=1"
        #expect(await create(prelude, callback).status == 200)
        // The first call of a window names it.
        #expect(await create(prelude, Self.url + "/later").json["status"]?.string == "retry")
        #expect(
            try await told(prelude, at: endpoint)
                == ["message.sent \(callback)", "message.sent \(callback)", "session.created \(callback)"])
        let elsewhere = "message.sent \(Self.url)/other"
        #expect(try await told(prelude, at: other) == [elsewhere, elsewhere])
    }

    @Test(arguments: [
        "https://shop.example/hooksome", "https://shop.example/", "https://shop.example",
        "https://shop.example.evil.example/hooks", "https://shop.example@evil.example/hooks",
        "https://user@shop.example/hooks", "https://evil.example/https://shop.example/hooks",
        "https://SHOP.example/hooks", "HTTPS://shop.example/hooks", "https://shop.example./hooks",
        "https://shop.example:443/hooks", "https://shop.example:8443/hooks", "http://shop.example/hooks",
        "https://shop.example/hooks/../admin", "https://shop.example/hooks/..", "https://shop.example/hooks/./x",
        "https://shop.example/hooks/%2e%2e/admin", "https://shop.example/hooks/.%2E/admin",
        "https://shop.example/hooks/..%2fadmin", "https://shop.example/hooks/..;/admin",
        #"https://shop.example/hooks/..\admin"#, "https://shop.example/hooks%2f..%2fadmin",
        "https://shop.example/hooks#/x", "https://shop.example/hooks/x\r\nHost: evil.example",
        "https://shop.example/hooks/\u{e9}", "https://169.254.169.254/latest/meta-data", "https://127.0.0.1/hooks",
        "https://[::1]/hooks", "https://localhost/hooks", "http://127.0.0.1:8080/v1/webhooks", "file:///etc/passwd",
        "callback_url", "//shop.example/hooks",
    ])
    func `refuses a callback that is below no endpoint, and sends nothing`(url: String) async throws {
        let prelude = try await PreludeWorld()
        _ = try await add(prelude)
        let answer = await create(prelude, url)
        #expect(answer.status == 400 && code(of: answer) == "invalid_callback_url", "\(answer.text)")
        #expect(answer.json["param"]?.string == "options.callback_url")
        #expect(prelude.codes.isEmpty)
    }

    @Test func `takes no callback below another client's endpoint, a disabled one, or one of another format`()
        async throws
    {
        let prelude = try await PreludeWorld()
        let endpoint = try await add(prelude)
        #expect(await code(of: create(prelude, Self.url, as: "sandbox-2")) == "invalid_callback_url")
        _ = try await add(prelude, "https://shop.example/standard", format: "standard")
        let refused = await create(prelude, "https://shop.example/standard")
        #expect(code(of: refused) == "invalid_callback_url")
        #expect(
            refused.json["message"]?.string == """
                field 'options.callback_url' is not below the URL of an active webhook endpoint of this client with the \
                format prelude
                """)
        #expect(await prelude.world.call(.post, "/v1/webhooks/\(endpoint.name)/disable").status == 200)
        #expect(await code(of: create(prelude, Self.url)) == "invalid_callback_url")
        #expect(prelude.codes.isEmpty)
        #expect(await prelude.world.call(.post, "/v1/webhooks/\(endpoint.name)/enable").status == 200)
        #expect(await create(prelude, Self.url).status == 200)
        #expect(try await told(prelude, at: endpoint).count == 2, "enabled without a ping")
    }

    @Test func `a callback of another product is below no endpoint of this format`() async throws {
        let prelude = try await PreludeWorld()
        _ = try await add(prelude)
        let answer = await prelude.world.post(
            "/v1/server/auth/start",
            #"{"requestId":"r-1","callbackUrl":"\#(Self.url)","subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"},"#
                + #""authenticators":{"otp":{"messageText":"Your code is ####"}}}}}"#)
        #expect(answer.status == 400 && answer.text.contains("callbackUrl"), "\(answer.text)")
    }

    @Test func `has no ping`() async throws {
        let prelude = try await PreludeWorld()
        let endpoint = try await add(prelude)
        #expect(await prelude.world.call(.post, "/v1/webhooks/\(endpoint.name)/test").status == 403)
        #expect(try await told(prelude, at: endpoint).isEmpty)
    }

    @Test func `gives the public key to anybody, and the next one while one is known`() async throws {
        let prelude = try await PreludeWorld()
        func key(_ query: String) async -> Response {
            await prelude.client.send(
                Request(method: .get, path: "/prelude/webhooks/public-key", rawQuery: query, id: "q"))
        }
        let answer = await key("")
        #expect(answer.status == 200 && answer.text == "key", "\(answer.text)")
        #expect(answer.header("content-type") == "text/plain; charset=utf-8")
        #expect(answer.header("cache-control") == "public, max-age=300")
        #expect(await key("next=true").status == 404)
        #expect(await key("next=7").status == 400)
    }
}
