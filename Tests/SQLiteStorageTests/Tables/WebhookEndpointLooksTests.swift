import Locks
import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Reads of a change of one endpoint, beside the endpoints of many other API clients.
@Suite struct WebhookEndpointLooksTests {
    private static func client(_ number: Int) -> ClientID { ClientID("client-\(number)")! }

    private static func endpoint(
        _ number: Int, of client: Int? = nil, ordering: WebhookEndpoint.Ordering = .none
    ) throws -> WebhookEndpoint {
        WebhookEndpoint(
            id: WebhookEndpointID(bits: UInt128(number)), clientID: Self.client(client ?? number / 10),
            url: "https://shop.example/h", filter: try WebhookFilter(["*"]), ordering: ordering,
            keys: .init(secret: [1], seed: nil), createdAt: Fixture.now)
    }

    /// A table with 1,500 endpoints of 150 API clients, and how many sealed values it has opened since it knows them.
    private static func table() async throws -> (WebhookEndpointsTable, SQLiteDatabase, opened: Locked<Int>) {
        let opened = Locked(0)
        let sealing = Sealing(
            seal: Fixture.sealing.seal,
            open: { (bytes, context) throws(StorageFault) in
                opened.withLock { $0 += 1 }
                return try Fixture.sealing.open(bytes, context)
            },
            blindIndex: { Fixture.sealing.blindIndex($0) }, deviceIndex: Fixture.sealing.deviceIndex,
            credentialIndex: Fixture.sealing.credentialIndex, limitKey: Fixture.sealing.limitKey)
        let sqlite = try Fixture.sqlite()
        let database = sqlite.database
        let table = WebhookEndpointsTable(database, sealing: sealing)
        let stored = try (0..<1500).map { try endpoint($0) }
        try await database.transaction { (connection) throws(StorageFault) in
            for endpoint in stored {
                try WebhookEndpointsTable.save(endpoint, try endpoint.sealed(with: sealing), connection)
            }
        }
        try await table.learn()
        opened.withLock { $0 = 0 }
        return (table, sqlite, opened)
    }

    @Test func `a change opens the endpoints of its API client, and of no other`() async throws {
        let (table, _, opened) = try await Self.table()
        let first = WebhookEndpointID(bits: 7)
        let changed = try await table.updateWebhookEndpoint(first, of: Self.client(0)) { endpoint in
            endpoint = endpoint.noting(WebhookAttempt(status: 410, failure: .status))
            return []
        }
        #expect(changed?.stop == .gone)
        #expect(opened.withLock { $0 } == 1 + 10, "the endpoint, then those of its client")
        #expect(table.subscriptions(of: Self.client(0)).count == 9)
        #expect(table.subscriptions(of: Self.client(149)).count == 10)
        opened.withLock { $0 = 0 }
        #expect(try await table.add(Self.endpoint(2000, of: 1), most: 20))
        #expect(opened.withLock { $0 } == 11)
        #expect(table.subscriptions(of: Self.client(1)).count == 11)
        opened.withLock { $0 = 0 }
        #expect(try await table.removeWebhookEndpoint(first, of: nil, at: Fixture.now))
        #expect(opened.withLock { $0 } == 10, "removing opens nothing")
    }

    @Test func `a change that changes nothing reads nothing more and stores nothing`() async throws {
        let (table, sqlite, opened) = try await Self.table()
        let before = sqlite.statistics().transactions
        _ = try await table.updateWebhookEndpoint(WebhookEndpointID(bits: 7), of: nil) { _ in [] }
        #expect(opened.withLock { $0 } == 1)
        // In memory, a read is a transaction as well.
        #expect(sqlite.statistics().transactions == before + 1)
    }

    @Test func `the last active endpoint of a client takes it out of those that are told`() async throws {
        let table = WebhookEndpointsTable(try Fixture.database(), sealing: Fixture.sealing)
        #expect(try await table.add(try Self.endpoint(1), most: 9))
        #expect(table.hasSubscriptions)
        #expect(try await table.removeWebhookEndpoint(WebhookEndpointID(bits: 1), of: nil, at: Fixture.now))
        #expect(!table.hasSubscriptions)
    }
}

extension WebhookEndpoint {
    fileprivate func noting(_ attempt: WebhookAttempt) -> WebhookEndpoint {
        var other = self
        _ = other.note(attempt, at: Fixture.now)
        return other
    }
}
