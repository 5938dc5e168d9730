import Engine
import Possession
import PostgresStorage
import PostgresTestSupport
import SQLiteStorage
import Storage
import Testing

/// One use of a name over two servers on one PostgreSQL.
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct UsedNamesTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private let first: PostgresDatabase
    private let servers: Pair<UsedNamesTable>

    init() async throws {
        let (first, second) = try TestedPostgres.makePair()
        self.first = first
        servers = Pair(UsedNamesTable(first.database), UsedNamesTable(second.database))
        try await empty()
        try await servers.first.begin(at: Self.start)
    }

    /// PostgreSQL does so after a crash, and when a standby is promoted.
    private func empty() async throws {
        try await first.database.transaction { (connection) throws(StorageFault) in
            try connection.run("TRUNCATE used_names")
        }
    }

    /// - Parameter issued: milliseconds after the start.
    private func name(_ byte: UInt8, issued: Int = 1) -> UsedName {
        let issuedAt = Self.start.adding(.milliseconds(issued))
        return UsedName(
            .envelope, [byte], of: [], issuedAt: issuedAt, until: issuedAt.adding(.seconds(120)),
            digest: { _ in [UInt8](repeating: byte, count: 32) })
    }

    private func isFirst(_ name: UsedName, _ table: UsedNamesTable, at milliseconds: Int = 1) async throws -> Bool {
        try await table.isFirstUse(of: name, at: Self.start.adding(.milliseconds(milliseconds)))
    }

    @Test func `of sixteen uses at a time one is the first`() async throws {
        for byte in UInt8(0)..<4 {
            let name = name(byte)
            let passed = try await servers.race(16) { table, _ in try await isFirst(name, table) }
            #expect(passed == 1)
            #expect(try await !isFirst(name, servers.first))
            #expect(try await !isFirst(name, servers.second))
        }
    }

    @Test func `a name that was not issued later than the beginning is refused`() async throws {
        #expect(try await !isFirst(name(1, issued: -1), servers.first))
        #expect(try await !isFirst(name(1, issued: 0), servers.second))
        #expect(try await isFirst(name(1, issued: 1), servers.second))
        try await servers.second.begin(at: Self.start.adding(.seconds(10)))
        #expect(try await isFirst(name(2, issued: 1), servers.second), "the beginning stays")
    }

    @Test func `a database that was just made refuses no name`() async throws {
        let table = UsedNamesTable(try TestedPostgres.makePair().0.database)
        try await table.begin(at: Self.start)
        #expect(try await isFirst(name(1, issued: -1000), table))
        #expect(try await !isFirst(name(1, issued: -1000), table))
    }

    @Test func `what was used before the table was emptied is refused, and a newer name passes`() async throws {
        let (old, unused) = (name(1), name(2))
        #expect(try await isFirst(old, servers.first))
        try await empty()
        #expect(try await !isFirst(old, servers.second, at: 5000))
        #expect(try await !isFirst(unused, servers.first, at: 5001), "nothing tells that it was not used")
        #expect(try await !isFirst(name(3, issued: 5000), servers.first, at: 5001))
        let new = name(4, issued: 5001)
        let passed = try await servers.race(16) { table, _ in try await isFirst(new, table, at: 5001) }
        #expect(passed == 1)
    }

    @Test func `the first uses of an empty table agree on its beginning`() async throws {
        try await empty()
        let passed = try await servers.race(16) { table, number in
            try await isFirst(name(UInt8(number), issued: 1), table, at: 1)
        }
        #expect(passed == 0)
        #expect(try await rows() == 1)
        #expect(try await isFirst(name(20, issued: 2), servers.first, at: 2))
    }

    @Test func `a sweep removes names that have ended, and the beginning stays`() async throws {
        for byte in UInt8(0)..<4 { #expect(try await isFirst(name(byte), servers.first)) }
        #expect(try await isFirst(name(9, issued: 5000), servers.first, at: 5000))
        let end = name(0).until
        #expect(try await servers.second.sweepUsedNames(before: end) == 0)
        #expect(try await servers.second.sweepUsedNames(before: end.adding(.milliseconds(1))) == 4)
        #expect(try await rows() == 2)
        #expect(try await !isFirst(name(9, issued: 5000), servers.second, at: 5000))
        #expect(try await servers.first.sweepUsedNames(before: end.adding(.seconds(3600))) == 1)
        #expect(try await !isFirst(name(8, issued: 0), servers.first), "from before the beginning")
    }

    private func rows() async throws -> Int {
        try await first.database.read { (connection) throws(StorageFault) in
            let count = try connection.first("SELECT count(*) FROM used_names") { (row) throws(StorageFault) in
                try row.integer("count")
            }
            return Int(count ?? 0)
        }
    }
}

@Suite struct UsedNamesOfOneServerTests {
    /// SQLite does not even have the table: the memory of the only server decides.
    @Test func `an engine of one server notes nothing`() async throws {
        let table = UsedNamesTable(try TestedStore.sqlite().database)
        let name = UsedName(
            .assertion, [1], of: [2], issuedAt: Sample.now, until: Sample.now.adding(.seconds(60)), digest: { $0 })
        try await table.begin(at: Sample.now)
        for _ in 0..<2 { #expect(try await table.isFirstUse(of: name, at: Sample.now)) }
        #expect(try await table.sweepUsedNames(before: Sample.now.adding(.seconds(3600))) == 0)
    }
}
