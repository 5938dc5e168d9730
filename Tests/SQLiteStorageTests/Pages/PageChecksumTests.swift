import Foundation
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// DUR-09: a page that is not what was written is told, wherever in the file it is, and a sound one never is.
@Suite struct PageChecksumTests {
    // MARK: Damage

    /// Bytes of the first page that a copy by the engine's backup changes, and that mean nothing here: the schema's number
    /// and the version of the engine.
    private static let unchecked = [40..<44, 96..<100]

    @Test(arguments: [1, 9]) func `tells each single bit of a page`(page: Int) async throws {
        let (pages, _) = try await Pages.filled()
        let connection = try SQLiteConnection(path: pages.path, .reader)
        _ = try connection.header()
        let start = (page - 1) * Pages.bytes
        let original = Array(try pages.content[start..<start + Pages.bytes])
        let file = try OpenFile(pages.path, .writing)
        for offset in 0..<Pages.bytes {
            let isChecked = page > 1 || !Self.unchecked.contains { $0.contains(offset) }
            for bit: UInt8 in 0..<8 {
                try file.write([original[offset] ^ 1 << bit], at: start + offset)
                let found = try connection.damagedPages(in: page..<page + 1)
                #expect(found == (isChecked ? [page] : []), "bit \(bit) of byte \(offset)")
            }
            try file.write([original[offset]], at: start + offset)
        }
        #expect(try pages.damaged() == [])
    }

    @Test func `a start tells a bit of any page, and leaves the files as they are`() async throws {
        let (pages, _) = try await Pages.filled()
        var chance = Chance(state: 7)
        for page in 1...(try pages.count) {
            let offset = (page - 1) * Pages.bytes + Int.random(in: 100..<Pages.bytes, using: &chance)
            let bit = Int.random(in: 0..<8, using: &chance)
            try pages.flip(bit, ofByte: offset)
            let before = try pages.folder.contents()
            guard case .damaged(_, let reason) = try await pages.refusal() else {
                Issue.record("byte \(offset), bit \(bit)")
                return
            }
            #expect(reason.hasPrefix("page \(page)"), "\(reason)")
            #expect(try pages.folder.contents()["holdfast.db"] == before["holdfast.db"])
            try pages.flip(bit, ofByte: offset)
        }
        #expect(try await pages.refusal() == nil)
    }

    @Test(arguments: ["swapped", "zeros", "torn", "of another time and place", "cut", "gone"])
    func `tells a page that is whole and not its own`(damage: String) async throws {
        let (pages, _) = try await Pages.filled()
        let content = try pages.content
        func page(_ number: Int) -> [UInt8] { Array(content[(number - 1) * Pages.bytes..<number * Pages.bytes]) }
        let last = try pages.count
        switch damage {
        case "swapped":
            try pages.write(page(last), at: (last - 2) * Pages.bytes)
            try pages.write(page(last - 1), at: (last - 1) * Pages.bytes)
            #expect(try pages.damaged() == [last - 1, last])
        case "zeros":
            try pages.write([UInt8](repeating: 0, count: Pages.bytes), at: 4 * Pages.bytes)
            #expect(try pages.damaged() == [5])
        case "torn":
            try pages.write(Array(page(last - 1)[..<512]), at: (last - 1) * Pages.bytes)
            #expect(try pages.damaged() == [last])
        case "of another time and place":
            try pages.write(page(3), at: 5 * Pages.bytes)
            #expect(try pages.damaged() == [6])
        case "cut":
            try Data(content.dropLast(100)).write(to: URL(fileURLWithPath: pages.path))
            #expect(try pages.damaged() == [last])
        default:
            try Data(content.dropLast(2 * Pages.bytes)).write(to: URL(fileURLWithPath: pages.path))
        }
        guard case .damaged = try await pages.refusal() else {
            Issue.record("not told")
            return
        }
    }

    @Test func `tells a page that belongs to nothing any more`() async throws {
        let (pages, _) = try await Pages.filled(200)
        let database = try pages.open()
        while try await Fixture.sessions(database).sweep(
            sessionsBefore: Fixture.now.adding(.seconds(1)), now: Fixture.now) > 0
        {}
        let free = try await database.transaction { (connection) throws(StorageFault) in
            try connection.first("PRAGMA freelist_count") { (row) throws(StorageFault) in try row.integer("free") }
        }
        await database.close()
        #expect(try #require(free) > 2)
        let content = try pages.content
        // The first page of the list is named in the head, and names the others.
        let trunk = content[32..<36].reduce(0) { $0 << 8 | Int($1) }
        let start = (trunk - 1) * Pages.bytes + 8
        let leaf = content[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        try pages.flip(3, ofByte: (leaf - 1) * Pages.bytes + 2000)
        #expect(try await pages.refusal() == .damaged(path: pages.path, reason: "page \(leaf)"))
        let unchecked = try pages.open(checks: false)
        #expect(try await unchecked.checkIntegrity { Fixture.now } == .damaged("page \(leaf)"))
        #expect(unchecked.damagedPages.text == "page \(leaf)")
        await unchecked.close()
    }

    // MARK: No false alarms

    @Test
    func `under writes, checkpoints, sweeps and truncations no page looks damaged, nor after a crash at any moment`()
        async throws
    {
        let pages = try Pages()
        let database = try pages.open(checks: false) {
            $0.pagesBeforeCheckpoint = 20
            $0.pagesBeforeRestart = 60
            $0.truncationGap = .zero
        }
        let sessions = Fixture.sessions(database)
        var chance = Chance(state: 11)
        let checks = Task {
            var findings: Set<String> = []
            while !Task.isCancelled { findings.insert("\(try await database.checkIntegrity { Fixture.now })") }
            return findings
        }
        let foreign = try SQLiteConnection(path: pages.path, .reader, vfs: "unix")
        for round in 0..<60 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Int.random(in: 1...8, using: &chance) {
                    group.addTask { try await sessions.insert(Fixture.session(at: Fixture.now)) }
                }
                try await group.waitForAll()
            }
            if round % 7 == 3 { await database.truncateLog() }
            if round % 13 == 6 {
                _ = try await sessions.sweep(sessionsBefore: Fixture.now.adding(.seconds(1)), now: Fixture.now)
            }
            _ = try foreign.header()
            if round % 10 == 9 {
                // The files that a crash leaves.
                let files = try Files.atOnce(pages.folder)
                #expect(try await Pages(files.folder()).refusal() == nil)
            }
        }
        checks.cancel()
        let findings = try await checks.value
        #expect(findings.isSubset(of: ["sound", "cancelled"]), "\(findings)")
        #expect(database.damagedPages.reads == 0)
        await database.close()
        #expect(try pages.damaged() == [])
    }

    @Test func `a page that a crash has torn is no damage while the log has it`() async throws {
        let (pages, sessions) = try await Pages.filled()
        let database = try pages.open()
        let session = sessions[30]
        _ = try await Fixture.sessions(database).update(session) { $0.session.cancel(at: Fixture.now) }
        let files = try Files(pages.folder)
        let leaf = try pages.leaf(of: session)
        await database.close()
        let crashed = try Pages(files.folder())
        try crashed.write([UInt8](repeating: 0x55, count: 1024), at: (leaf - 1) * Pages.bytes + 512)
        #expect(try crashed.damaged() == [leaf])
        let again = try crashed.open()
        #expect(try await again.checkIntegrity { Fixture.now } == .sound)
        #expect(try await Fixture.sessions(again).session(.auth(session.authID)) != nil)
        await again.close()
        #expect(try crashed.damaged() == [])
    }

    @Test func `pages keep their checksums through another program's checkpoint, and lose them by its writes`()
        async throws
    {
        let (pages, _) = try await Pages.filled()
        let database = try pages.open()
        for _ in 0..<20 { try await Fixture.sessions(database).insert(Fixture.session()) }
        let crashed = try Pages(try Files(pages.folder).folder())
        await database.close()
        do {
            let other = try SQLiteConnection(path: crashed.path, .writer, vfs: "unix")
            #expect(other.hasPageChecksums == nil)
            #expect(try other.checkpoint(.truncate) == 0)
        }
        #expect(try await crashed.refusal() == nil)
        do {
            let other = try SQLiteConnection(path: crashed.path, .writer, vfs: "unix")
            try other.runScript("DELETE FROM session_events")
            _ = try other.checkpoint(.truncate)
        }
        guard case .damaged = try await crashed.refusal() else {
            Issue.record("not told")
            return
        }
    }

    @Test func `VACUUM writes them too`() async throws {
        let (pages, sessions) = try await Pages.filled()
        do {
            let connection = try SQLiteConnection(path: pages.path, .writer)
            try connection.configureWriter()
            try connection.runScript("VACUUM")
            #expect(try connection.checkpoint(.truncate) == 0)
        }
        #expect(try pages.damaged() == [])
        let database = try pages.open(checks: false)
        #expect(try await Fixture.sessions(database).session(.auth(sessions[3].authID)) != nil)
        await database.close()
    }

    @Test func `refuses a database that has none, and leaves it as it is`() async throws {
        let pages = try Pages()
        do {
            let connection = try SQLiteConnection(path: pages.path, .writer, vfs: "unix")
            try connection.runScript("PRAGMA application_id = \(Opening.applicationID); CREATE TABLE theirs (a)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: pages.folder.path)
        let before = try pages.content
        #expect(try await pages.refusal() == .withoutChecksums(path: pages.path))
        #expect(try pages.content == before)
    }
}
