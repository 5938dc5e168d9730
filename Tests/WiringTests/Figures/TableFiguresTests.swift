import Locks
import Logging
import Engine
import Possession
import SQLiteStorage
import Storage
import Testing

@testable import Observation
@testable import Wiring

@Suite struct TableFiguresTests {
    @Test func `tell rows and bytes by table, and how old that is`() async throws {
        let folder = ServerFixture.freshDirectory()
        let configuration = try ServerFixture.configuration(folder)
        let store = try await Store.open(configuration)
        let database = store.watched
        let clock = Locked(Timestamp(seconds: 1_767_225_600))
        let figures = TableFigures(now: { clock.withLock { $0 } }, logger: Logger(label: "test")) {
            () throws(StorageFault) in try await database.tableSizes()
        }
        let registry = MetricsRegistry([])
        registry.collect(figures.collect)
        #expect(!MetricsTests.rendered(registry).contains { $0.hasPrefix("holdfast_table") }, "not looked at yet")
        await figures.refresh()
        clock.withLock { $0 = $0.adding(.seconds(90)) }
        let lines = MetricsTests.rendered(registry)
        #expect(lines.contains(#"holdfast_table_rows{table="sessions"} 0"#))
        #expect(lines.contains { $0.hasPrefix(#"holdfast_table_bytes{table="webhook_deliveries"} "#) })
        #expect(lines.contains("holdfast_table_look_age_seconds 90"))
        await store.close()
        await figures.refresh()
        #expect(MetricsTests.rendered(registry) == lines, "what was found stays")
    }
}
