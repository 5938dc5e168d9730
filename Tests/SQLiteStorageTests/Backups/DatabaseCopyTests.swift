import Foundation
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Copies of a database that is in use (DUR-17).
@Suite struct DatabaseCopyTests {
    private let folder: TemporaryFolder
    private let directory: DataDirectory

    init() throws {
        folder = try TemporaryFolder()
        directory = try DataDirectory(folder.path + "/data")
    }

    private var copy: String { folder.path + "/copy.db" }

    private func rows(_ facts: DatabaseFacts, _ table: String) -> Int? {
        facts.tables.first { $0.name == table }?.rows
    }

    @Test func `has what is in the log and not in the file yet, with sound checksums`() async throws {
        let database = try Fixture.sqlite(.directory(directory))
        let sessions = Fixture.sessions(database)
        for _ in 0..<50 { try await sessions.insert(Fixture.session()) }
        try DatabaseCopy.make(from: directory.databasePath, to: copy)
        let facts = try DatabaseCopy.check(copy)
        #expect(rows(facts, "sessions") == 50 && rows(facts, "session_events") == 50 && rows(facts, "people") == 0)
        #expect(facts.migration == (try MigrationFile.all(in: Fixture.migrations).count))
        #expect(facts.bytes % 4096 == 0 && facts.commits > 50)
        // A later session is not in the copy, and the server goes on.
        try await sessions.insert(Fixture.session())
        #expect(try DatabaseCopy.check(copy) == facts)
        await database.close()
    }

    @Test func `is one moment while others write`() async throws {
        let database = try Fixture.sqlite(.directory(directory))
        let sessions = Fixture.sessions(database)
        let writing = Task {
            var count = 0
            while !Task.isCancelled {
                try await sessions.insert(Fixture.session())
                count += 1
            }
            return count
        }
        var last = 0
        for number in 0..<10 {
            let path = folder.path + "/copy-\(number).db"
            try DatabaseCopy.make(from: directory.databasePath, to: path)
            let facts = try DatabaseCopy.check(path)
            let found = try #require(rows(facts, "sessions"))
            // Each session is stored with its first event.
            #expect(found == rows(facts, "session_events") && found >= last)
            last = found
        }
        writing.cancel()
        #expect(try await writing.value >= last)
        #expect(try await database.checkIntegrity { Fixture.now } == .sound)
        await database.close()
    }

    @Test func `is not made of a damaged page`() async throws {
        let (pages, sessions) = try await Pages.filled()
        let leaf = try pages.leaf(of: sessions[0])
        try pages.flip(2, ofByte: leaf * Pages.bytes - 40)
        let fault = #expect(throws: OpeningFault.self) { try DatabaseCopy.make(from: pages.path, to: copy) }
        guard case .damaged(_, let reason) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(reason.contains("page \(leaf) is damaged"))
    }

    @Test func `is refused when a byte of it changes, or its end is missing`() async throws {
        let database = try Fixture.sqlite(.directory(directory))
        for _ in 0..<20 { try await Fixture.sessions(database).insert(Fixture.session()) }
        await database.close()
        try DatabaseCopy.make(from: directory.databasePath, to: copy)
        let sound = Array(try Data(contentsOf: URL(fileURLWithPath: copy)))
        for index in stride(from: 0, to: sound.count, by: 1009) {
            var spoiled = sound
            spoiled[index] ^= 4
            try Data(spoiled).write(to: URL(fileURLWithPath: copy))
            #expect(throws: OpeningFault.self, "byte \(index)") { try DatabaseCopy.check(copy) }
        }
        for count in [sound.count - 1, sound.count - 4096, 4096, 100, 0] {
            try Data(sound.prefix(count)).write(to: URL(fileURLWithPath: copy))
            #expect(throws: OpeningFault.self, "\(count) bytes") { try DatabaseCopy.check(copy) }
        }
    }

    @Test func `is not made of what is missing, or of another program's database`() throws {
        #expect(throws: OpeningFault.lost(path: directory.databasePath)) {
            try DatabaseCopy.make(from: directory.databasePath, to: copy)
        }
        let foreign = folder.path + "/foreign.db"
        try SQLiteConnection(path: foreign, .writer).runScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        #expect(throws: OpeningFault.foreign(path: foreign, applicationID: 0)) {
            try DatabaseCopy.make(from: foreign, to: copy)
        }
    }
}
