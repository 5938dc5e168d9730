import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// How much each table holds, from the pages of the file.
@Suite struct TableSizesTests {
    private static func database(_ folder: TemporaryFolder) throws -> SQLiteDatabase {
        try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
    }

    @Test func `tells the rows of each table, and its bytes with those of its indexes`() async throws {
        let folder = try TemporaryFolder()
        let database = try Self.database(folder)
        let table = WebhookEndpointsTable(database.database, sealing: Fixture.sealing)
        let endpoint = WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: Fixture.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["*"]), keys: .init(secret: [1], seed: nil), createdAt: Fixture.now)
        #expect(try await table.add(endpoint, most: 9))
        let events = (0..<1000).map { number in
            let now = Fixture.now.adding(.milliseconds(Int64(number)))
            let news = WebhookNews(.sessionFailed, at: now, session: Fixture.id())
            return NewWebhookEvent(
                WebhookEvent(id: Fixture.id(at: now), clientID: Fixture.client, news: news), to: [endpoint.id])
        }
        try await table.addEvents(events)
        let sizes = try #require(try await database.tableSizes())
        let byName = Dictionary(uniqueKeysWithValues: sizes.map { ($0.name, $0) })
        #expect(byName["webhook_events"]?.rows == 1000)
        // Without a rowid: its rows are in all its pages.
        #expect(byName["webhook_deliveries"]?.rows == 1000)
        #expect(byName["sessions"]?.rows == 0)
        // About what the bound on a client's webhooks counts.
        let bytes = (byName["webhook_events"]?.bytes ?? 0) + (byName["webhook_deliveries"]?.bytes ?? 0)
        let counted = try await database.read { (connection) throws(StorageFault) in
            try WebhookStoresTable.bytes(of: Fixture.client, connection)
        }
        #expect((counted * 7 / 10...counted * 14 / 10).contains(bytes), "\(bytes) for \(counted)")
        await database.close()
        #expect(try await database.tableSizes() == nil)
    }

    @Test func `knows each table of the schema, and what they hold is the file`() async throws {
        let folder = try TemporaryFolder()
        let database = try Self.database(folder)
        let sizes = try #require(try await database.tableSizes())
        let tables = try await database.read { (connection) throws(StorageFault) in
            try connection.all(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema'"
            ) { (row) throws(StorageFault) in try row.text("name") }
        }
        #expect(Set(sizes.map(\.name)) == Set(tables))
        #expect(sizes.allSatisfy { $0.bytes >= 4096 && $0.bytes % 4096 == 0 })
        await database.close()
    }
}
