import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct SandboxClockTableTests {
    @Test func `stands at 0 until it is moved, and keeps the latest offset`() async throws {
        let table = SandboxClockTable(try Fixture.database())
        #expect(try await table.offsetSeconds() == 0)
        try await table.save { 121 }
        try await table.save { 86_400 }
        #expect(try await table.offsetSeconds() == 86_400)
        try await table.save { 0 }
        #expect(try await table.offsetSeconds() == 0)
    }
}
