import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct TestNumbersTableTests {
    private static func entry(_ index: Int, tenant: String? = nil, lasting seconds: Int = 100) -> TestNumber {
        TestNumber(
            number: PhoneNumber(e164: "+1650555\(1000 + index)")!, code: OTP("987654")!,
            tenant: tenant.map { ClientID($0)! }, createdAt: Fixture.now.adding(.seconds(index)),
            endsAt: Fixture.now.adding(.seconds(seconds)))
    }

    private func table(_ database: Database) throws -> TestNumbersTable {
        TestNumbersTable(database, sealing: .fake)
    }

    @Test func `gives back every member, also after another opening`() async throws {
        let database = try Fixture.database()
        let table = try table(database)
        #expect(table.testNumbers == [])
        #expect(try await table.add(Self.entry(0), at: Fixture.now))
        #expect(try await table.add(Self.entry(1, tenant: "shop"), at: Fixture.now))
        #expect(table.testNumbers == [Self.entry(0), Self.entry(1, tenant: "shop")])
        let other = try self.table(database)
        #expect(other.testNumbers == [])
        try await other.load()
        #expect(other.testNumbers == table.testNumbers)
    }

    @Test func `takes a number once, for whichever tenant`() async throws {
        let table = try table(try Fixture.database())
        #expect(try await table.add(Self.entry(0), at: Fixture.now))
        await #expect(throws: StorageFault.duplicate) {
            _ = try await table.add(Self.entry(0, tenant: "shop"), at: Fixture.now)
        }
        #expect(table.testNumbers == [Self.entry(0)])
    }

    @Test func `takes twenty, and another one in the place of one that has ended`() async throws {
        let table = try table(try Fixture.database())
        for index in 0..<20 {
            #expect(try await table.add(Self.entry(index, lasting: index == 7 ? 50 : 100), at: Fixture.now))
        }
        #expect(try await !table.add(Self.entry(20), at: Fixture.now.adding(.seconds(49))))
        #expect(table.testNumbers.count == 20)
        #expect(try await table.add(Self.entry(20), at: Fixture.now.adding(.seconds(50))))
        #expect(table.testNumbers.count == 20)
        #expect(!table.testNumbers.contains { $0.number == Self.entry(7).number })
    }

    @Test func `removes one, and says whether it was there`() async throws {
        let table = try table(try Fixture.database())
        #expect(try await table.add(Self.entry(0), at: Fixture.now))
        #expect(try await !table.removeTestNumber(Self.entry(1).number))
        #expect(try await table.removeTestNumber(Self.entry(0).number))
        #expect(table.testNumbers == [])
        #expect(try await table.add(Self.entry(0), at: Fixture.now))
    }
}
