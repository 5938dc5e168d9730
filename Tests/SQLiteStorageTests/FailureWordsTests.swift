import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Facts that a failure of SQLite tells, and data that it never tells (DAT-06).
@Suite struct FailureWordsTests {
    private static let secret = "+12001004014SECRET"

    private func database() async throws -> SQLiteDatabase {
        let database = try Fixture.sqlite()
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script(
                """
                CREATE TABLE words (
                    number INTEGER NOT NULL UNIQUE, word TEXT NOT NULL CHECK (length(word) < 10),
                    owner INTEGER REFERENCES words (number)
                ) STRICT;
                """)
        }
        return database
    }

    private func refusal(
        of statement: Statement, _ values: @escaping @Sendable (inout Parameters) -> Void, in database: SQLiteDatabase
    ) async -> StorageFault? {
        do throws(StorageFault) {
            try await database.transaction { (connection) throws(StorageFault) in try connection.run(statement, values)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("CHECK constraint failed: length(word) < 10", 1), ("NOT NULL constraint failed: words.word", 2),
        ("cannot store TEXT value in INTEGER column words.number", 3), ("FOREIGN KEY constraint failed", 4),
    ])
    func `tells SQLite's words and the statement, and no bound value`(words: String, place: Int) async throws {
        let database = try await database()
        let fault = await refusal(
            of: "INSERT INTO words (number, word,\n  owner) VALUES (?1, ?2, ?3)",
            {
                if place == 3 { $0.text(Self.secret) } else { $0.integer(4711) }
                if place == 1 { $0.text(Self.secret) } else { $0.text(place == 2 ? nil : "word") }
                $0.integer(place == 4 ? 47_110 : nil)
            }, in: database)
        let told = try #require(fault.map { "\($0)" })
        #expect(told.contains(words))
        #expect(told.hasSuffix("INSERT INTO words (number, word, owner) VALUES (?1, ?2, ?3)"))
        #expect(!told.contains("SECRET") && !told.contains("4711"), "\(told)")
    }

    @Test func `tells which statement was not understood`() async throws {
        let database = try await database()
        let fault = await refusal(of: "SELECT 1 FROM nowhere", { _ in }, in: database)
        #expect(
            fault == .failed(code: 1, operation: "prepare: no such table: nowhere; SELECT 1 FROM nowhere"))
    }
}
