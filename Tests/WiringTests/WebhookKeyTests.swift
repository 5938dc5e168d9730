import StrictJSON
import Testing
import Tokens

@testable import Administration
@testable import Engine
@testable import Possession
@testable import SQLiteStorage
@testable import Storage
@testable import Wiring

/// The key pair of a server that signs webhooks of a vendor's format. It is made on a thread of the pool, which has one a core:
/// tests that block must leave one of them.
@Suite(.serialized) struct WebhookKeyTests {
    private let directory = ServerFixture.freshDirectory()

    private func key(_ port: UInt16, _ query: String = "") throws -> ServerFixture.Answer {
        try ServerFixture.call(port, "GET", "/prelude/webhooks/public-key" + query)
    }

    private func add(_ format: WebhookEndpoint.Format, by configuration: Configuration) throws {
        var wish = WebhookManager.Order()
        wish.url = "https://shop.example/hooks"
        wish.types = ["*"]
        wish.format = format
        let order = AddWebhook(client: try #require(ClientID("sandbox")), wish: wish)
        let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
        #expect(try control.send(order).status == 201)
    }

    @Test func `is made with the first endpoint that needs it, and stays over a restart`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        let first = try await ServerFixture.withServer(configuration) { _, port in
            #expect(try key(port).status == 404)
            try add(.standard, by: configuration)
            #expect(try key(port).status == 404)
            try add(.prelude, by: configuration)
            let made = try key(port)
            #expect(made.status == 200 && made.text.hasPrefix("-----BEGIN PUBLIC KEY-----\n"), "\(made.text)")
            try add(.prelude, by: configuration)
            #expect(try key(port).text == made.text)
            #expect(try !ServerFixture.call(port, "GET", "/.well-known/jwks.json").text.contains("RSA"))
            return made.text
        }
        try await ServerFixture.withServer(configuration) { _, port in
            #expect(try key(port).text == first && key(port, "?next=true").status == 404)
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let keys = try #require(try control.send(RotateSigningKeys()).object["keys"]?.array).compactMap(\.object)
            let told = keys.filter { $0["purpose"] == "webhook" }.compactMap { $0["publicKey"]?.string }
            #expect(told.first == first && told.count == 2)
            #expect(keys.count { $0["publicKey"] != nil } == 2, "keys of tokens are told elsewhere")
            #expect(try key(port).text == first && key(port, "?next=true").text == told.last)
        }
    }

    /// As after a restore, which leaves the endpoints.
    @Test func `is made anew at the start where the keys are gone`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        let first = try await ServerFixture.withServer(configuration) { _, port in
            try add(.prelude, by: configuration)
            return try key(port).text
        }
        let store = try await Store.open(configuration)
        try await store.database.transaction { (connection) throws(StorageFault) in
            try SigningKeysTable.removeAll(connection)
        }
        await store.close()
        try await ServerFixture.withServer(configuration) { _, port in
            let made = try key(port)
            #expect(made.status == 200 && made.text != first)
        }
    }
}
