import Foundation
import Possession
import Testing

@testable import Wiring

/// Names of backups, and the note of the last one.
@Suite struct BackupTargetTests {
    private let folder = ServerFixture.freshDirectory()
    private let time = Timestamp(milliseconds: 1_790_000_000_123)

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func put(_ names: String...) throws {
        for name in names { try Data([1]).write(to: URL(fileURLWithPath: folder + "/" + name)) }
    }

    private var names: [String] { Folder.names(in: folder) }

    @Test func `in a folder it is named by its time, else as it is told`() {
        let target = BackupTarget(folder, at: time)
        #expect(target.path == folder + "/holdfast-20260921T141320Z.backup" && target.isInFolder)
        let file = BackupTarget(folder + "/mine", at: time)
        #expect(file.path == folder + "/mine" && !file.isInFolder && file.parent == folder)
        #expect(BackupTarget("mine", at: time).parent == "." && BackupTarget("/mine", at: time).parent == "/")
    }

    @Test func `keeps the newest of its own names, and nothing else is touched`() throws {
        let old = (1...4).map { "holdfast-2026092\($0)T141320Z.backup" }
        for name in old[..<3] { try put(name) }
        try put("holdfast-new.backup", "notes", "holdfast-20260920T141320Z.backup.part")
        let target = BackupTarget(folder, at: time.adding(.seconds(3 * 86_400)))
        #expect(target.path == folder + "/" + old[3])
        try put(old[3])
        #expect(target.removeOldest(keeping: 2) == Array(old[..<2]))
        #expect(target.removeOldest(keeping: 2) == [])
        target.removeLeftovers()
        #expect(names == [old[2], old[3], "holdfast-new.backup", "notes"])
    }

    @Test func `the one that was just made stays, whatever the clock has called it`() throws {
        let others = (2...4).map { "holdfast-2026092\($0)T141320Z.backup" }
        for name in others { try put(name) }
        let target = BackupTarget(folder, at: time)
        try put("holdfast-20260921T141320Z.backup")
        #expect(target.removeOldest(keeping: 1) == others)
        #expect(names == ["holdfast-20260921T141320Z.backup"])
    }

    @Test func `of one second each gets a name of its own`() throws {
        for second in 20...22 {
            let target = BackupTarget(folder, at: time)
            #expect(target.path == folder + "/holdfast-20260921T1413\(second)Z.backup")
            try put("holdfast-20260921T1413\(second)Z.backup")
        }
    }

    @Test func `the note of the last backup is read back, and a spoiled one is none`() throws {
        #expect(BackupNote.read(in: folder) == nil)
        let note = BackupNote.Backup(madeAt: time, bytes: 4711)
        #expect(BackupNote.write(note, in: folder))
        #expect(BackupNote.read(in: folder) == note && names == ["last-backup"])
        for text in ["", "1", "1 2 3", "-1 2", "1 -2", "a b", "1790000000123456789012 1"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/last-backup"))
            #expect(BackupNote.read(in: folder) == nil, "\(text)")
        }
        #expect(!BackupNote.write(note, in: folder + "/missing"))
    }

    @Test func `a move replaces nothing unless it is told to`() throws {
        try put("one", "two")
        #expect(throws: (any Error).self) {
            try Folder.move(folder + "/one", to: folder + "/two", replaces: false)
        }
        #expect(names == ["one", "two"])
        try Folder.move(folder + "/one", to: folder + "/two", replaces: true)
        try Folder.move(folder + "/two", to: folder + "/three", replaces: false)
        #expect(names == ["three"])
    }
}
