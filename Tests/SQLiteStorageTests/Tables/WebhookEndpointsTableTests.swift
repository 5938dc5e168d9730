import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct WebhookEndpointsTableTests {
    private static func endpoint(_ number: Int) throws -> WebhookEndpoint {
        WebhookEndpoint(
            id: WebhookEndpointID(bits: UInt128(number)), clientID: Fixture.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["*"]), keys: .init(secret: [1], seed: nil), createdAt: Fixture.now)
    }

    @Test func `a damaged endpoint is told nothing, and keeps no other from being told`() async throws {
        let database = try Fixture.database()
        let table = WebhookEndpointsTable(database, sealing: Fixture.sealing)
        for number in 1...2 { #expect(try await table.add(try Self.endpoint(number), most: 9)) }
        #expect(table.damagedEndpoints == 0)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE webhook_endpoints SET endpoint_sealed = x'00' WHERE endpoint_id = ?1") {
                $0.identifier(WebhookEndpointID(bits: 1))
            }
        }
        let later = WebhookEndpointsTable(database, sealing: Fixture.sealing)
        try await later.learn()
        #expect(later.damagedEndpoints == 1)
        #expect(later.subscriptions(of: Fixture.client).map(\.endpoint) == [WebhookEndpointID(bits: 2)])
        // The list names it beside the others; a new one is stored and told at once.
        let list = try await later.webhookEndpoints(of: Fixture.client)
        #expect(list.endpoints.map(\.id) == [WebhookEndpointID(bits: 2)])
        #expect(list.damaged == [WebhookEndpointID(bits: 1)])
        #expect(try await later.add(try Self.endpoint(3), most: 9))
        #expect(later.subscriptions(of: Fixture.client).count == 2)
        #expect(try await later.removeWebhookEndpoint(WebhookEndpointID(bits: 1), of: Fixture.client, at: Fixture.now))
        #expect(try await later.webhookEndpoints(of: nil) == WebhookEndpointList([Self.endpoint(2), Self.endpoint(3)]))
    }
}
