import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// The list of what is sealed, which a change of the sealing key goes by.
@Suite struct SealedRowsTests {
    private static func columns(_ pattern: String) async throws -> [String] {
        try await Fixture.database().read { (connection) throws(StorageFault) in
            try connection.all(
                """
                SELECT t.name || '.' || c.name FROM pragma_table_list() t JOIN pragma_table_xinfo(t.name) c
                  WHERE t.schema = 'main' AND t.type = 'table' AND c.name LIKE ?1 ESCAPE '\\' ORDER BY 1
                """, { $0.text(pattern) }
            ) { (row) throws(StorageFault) in try row.text("name") }
        }
    }

    @Test func `the list has every sealed column but the keyset, which the master key seals`() async throws {
        let stored = try await Self.columns("%\\_sealed").filter { $0 != "keysets.keyset_sealed" }
        #expect(stored.count > 10)
        #expect(SealedColumn.all.map { "\($0.name)" }.sorted() == stored)
    }

    @Test func `a database is unused without any value that a key was used for`() async throws {
        let database = try Fixture.database()
        #expect(try await SealedRows(database).areUnused())
        let patterns = ["%\\_sealed", "%\\_index", "%\\_digest"]
        var tables: Set<String> = []
        for pattern in patterns {
            for column in try await Self.columns(pattern) { tables.insert(String(column.prefix { $0 != "." })) }
        }
        tables.remove("keysets")
        #expect(tables.count == 23)
        let sql = SealedRows.usedTables
        for table in tables { #expect(sql.contains("FROM \(table))"), "\(table)") }
        try await Fixture.sessions(database).insert(Fixture.session())
        #expect(try await !SealedRows(database).areUnused())
    }

    @Test func `replaces a value only where it is still the one that was read`() async throws {
        let database = try Fixture.database()
        let (rows, sessions) = (SealedRows(database), Fixture.sessions(database))
        for _ in 0..<2 { try await sessions.insert(Fixture.session()) }
        let column = try #require(SealedColumn.all.first { "\($0.name)" == "sessions.record_sealed" })
        let values = try await rows.values(of: column, after: nil).values
        #expect(values.count == 2)
        #expect(try await rows.replace([(values[0], [1, 2, 3])], of: column) == 1)
        #expect(try await rows.replace(values.map { ($0, [4]) }, of: column) == 1)
        #expect(try await rows.values(of: column, after: nil).values.map(\.sealed) == [[1, 2, 3], [4]])
    }

    @Test func `reads page by page, each row once`() async throws {
        var limits = SQLiteLimits()
        limits.storage.rowsPerReseal = 3
        let database = try Fixture.database(limits: limits)
        let (rows, sessions) = (SealedRows(database), Fixture.sessions(database))
        for _ in 0..<7 { try await sessions.insert(Fixture.session()) }
        let column = try #require(SealedColumn.all.first)
        var sizes: [Int] = []
        var keys: [[SealedColumn.KeyPart]] = []
        var next: [SealedColumn.KeyPart]?
        repeat {
            let page = try await rows.values(of: column, after: next)
            sizes.append(page.values.count)
            keys += page.values.map(\.key)
            next = page.next
        } while next != nil
        #expect(sizes == [3, 3, 1])
        #expect(Set(keys.map { $0[0].blob }).count == 7)
    }
}

@Suite struct KeysetsTableTests {
    private func row(_ byte: UInt8, number: Int) -> StoredKeyset {
        StoredKeyset(
            masterID: [UInt8](repeating: byte, count: 8), number: number, createdAt: Fixture.now,
            sealed: [UInt8](repeating: byte, count: 100))
    }

    @Test func `replaces what was read, and nothing else`() async throws {
        let table = KeysetsTable(try Fixture.database())
        let (first, second) = (row(1, number: 1), row(2, number: 2))
        #expect(try await table.keysets() == [])
        try await table.replaceKeysets([], with: [first])
        try await table.replaceKeysets([first], with: [first, second])
        #expect(try await table.keysets() == [first, second])
        await #expect(throws: StorageFault.self) { try await table.replaceKeysets([first], with: [second]) }
        await #expect(throws: StorageFault.self) { try await table.replaceKeysets([], with: [second]) }
        #expect(try await table.keysets() == [first, second])
        try await table.replaceKeysets([first, second], with: [second])
        #expect(try await table.keysets() == [second])
    }

    @Test func `leaves no byte of a removed keyset in any file`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let table = KeysetsTable(database)
        let (first, second) = (row(0xA7, number: 1), row(0xB7, number: 2))
        try await table.replaceKeysets([], with: [first, second])
        func files() throws -> Int { try folder.contents().values.count { $0.firstRange(of: first.sealed) != nil } }
        #expect(try files() > 0)
        try await table.replaceKeysets([first, second], with: [second])
        #expect(try files() == 0)
        await sqlite.close()
        #expect(try files() == 0)
    }
}
