import Backups
import Foundation
import Possession
import Testing
import Tokens

@testable import Wiring

/// Which backup of a folder a restore takes.
@Suite final class BackupChoiceTests {
    private let folder = ServerFixture.freshDirectory()
    private let keys: BackupKeys
    private let otherKeys: BackupKeys

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let random = SystemRandom().randomBytes
        keys = try BackupKeys(MasterKey.create(folder + "/key", randomBytes: random))
        otherKeys = try BackupKeys(MasterKey.create(folder + "/other", randomBytes: random))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func put(_ name: String, madeAt day: Int64, mode: String = "live", _ keys: BackupKeys? = nil) throws {
        let manifest = BackupManifest(
            madeAt: Timestamp(seconds: day * 86_400), program: "1", mode: mode, migration: 1, commits: 1,
            databaseBytes: 3, tables: [])
        let salt = [UInt8](repeating: 7, count: BackupHeader.saltBytes)
        let writer = try BackupWriter(folder + "/" + name, keys ?? self.keys, salt: salt, manifest)
        try writer.write([1, 2, 3])
        try writer.finish()
    }

    private func choose(_ path: String? = nil) throws -> BackupChoice {
        try BackupChoice(path ?? folder, keys, mode: "live")
    }

    @Test func `takes what was made last, whatever names of their own the files have`() throws {
        try put("z.backup", madeAt: 10)
        try put("holdfast-19700113T000000Z.backup", madeAt: 12)
        try put("before-upgrade.backup", madeAt: 11)
        try put("holdfast-before-upgrade-1.backup", madeAt: 9)
        try put("holdfast-20260925T141320Z.backup.part", madeAt: 13)
        let choice = try choose()
        #expect(choice.reader.manifest.madeAt == Timestamp(seconds: 12 * 86_400))
        #expect(choice.notes == ["the newest in \(folder) is holdfast-19700113T000000Z.backup"])
        try put("a.backup", madeAt: 14)
        #expect(try choose().reader.manifest.madeAt == Timestamp(seconds: 14 * 86_400))
    }

    /// An old backup under a name of the future, and beside it nothing, an older one, or a newer one.
    @Test(arguments: [nil, 9, 11] as [Int64?]) func `an old backup does not win by a new name`(other: Int64?) throws {
        try put("holdfast-20990101T000000Z.backup", madeAt: 10)
        if let other {
            try put("holdfast-197001\(other + 1 < 10 ? "0" : "")\(other + 1)T000000Z.backup", madeAt: other)
        }
        #expect { try choose() } throws: { fault in
            "\(fault)".contains("holdfast-20990101T000000Z.backup was made at 1970-01-11T00:00:00")
        }
    }

    @Test func `a new backup is not hidden by an old name`() throws {
        try put("holdfast-19700111T000000Z.backup", madeAt: 10)
        try put("holdfast-19700105T000000Z.backup", madeAt: 12)
        #expect { try choose() } throws: { "\($0)".contains("one of the two is newer than holdfast-19700111T000000Z") }
    }

    @Test func `an old backup under another old name is passed over, and told`() throws {
        try put("holdfast-19700111T000000Z.backup", madeAt: 10)
        try put("holdfast-19700105T000000Z.backup", madeAt: 2)
        let choice = try choose()
        #expect(choice.reader.manifest.madeAt == Timestamp(seconds: 10 * 86_400) && choice.notes.count == 2)
        #expect(
            choice.notes.last?.hasSuffix("was made at 1970-01-03T00:00:00Z, which is not the time in its name") == true)
    }

    /// The backup was begun at midnight.
    @Test(arguments: [
        ("19700110T235859Z", false), ("19700110T235900Z", true), ("19700111T000000Z", true),
        ("19700111T000100Z", true), ("19700111T000101Z", false),
    ]) func `name and content may differ by a minute`(time: String, isTaken: Bool) throws {
        let name = "holdfast-\(time).backup"
        try put(name, madeAt: 10)
        if isTaken {
            #expect(try choose().notes == ["the newest in \(folder) is \(name)"])
        } else {
            #expect { try choose() } throws: { "\($0)".contains("which is not the time in its name") }
        }
        // A file that is named by its path is taken, with a note if its name is wrong.
        #expect(try choose(folder + "/" + name).notes.count == (isTaken ? 0 : 1))
    }

    @Test func `passes over what cannot be read, and says so`() throws {
        try put("a.backup", madeAt: 10)
        try put("b.backup", madeAt: 11, otherKeys)
        try put("c.backup", madeAt: 12, mode: "sandbox")
        try Data("holdfast backup".utf8).write(to: URL(fileURLWithPath: folder + "/d.backup"))
        let choice = try choose()
        #expect(choice.reader.manifest.madeAt == Timestamp(seconds: 10 * 86_400))
        #expect(choice.notes.count == 4 && choice.notes[0].hasSuffix(" is a.backup"))
        #expect(choice.notes[1].contains("b.backup is encrypted under master key"))
        #expect(choice.notes[2].contains("c.backup is of sandbox mode") && choice.notes[3].contains("d.backup is not"))
    }

    @Test func `takes no older backup where a newer one cannot be read`() throws {
        try put("holdfast-19700111T000000Z.backup", madeAt: 10)
        try put("holdfast-19700112T000001Z.backup", madeAt: 11, otherKeys)
        #expect { try choose() } throws: { "\($0)".contains("holdfast-19700112T000001Z.backup is newer than") }
        #expect(try choose(folder + "/holdfast-19700111T000000Z.backup").notes.isEmpty)
    }

    @Test func `takes the newest one where an older one cannot be read`() throws {
        try put("holdfast-19700111T000000Z.backup", madeAt: 10, otherKeys)
        try put("holdfast-19700112T000000Z.backup", madeAt: 11)
        #expect(try choose().notes.count == 2)
    }

    @Test func `has none in a folder without one that can be used, and says why`() throws {
        #expect { try choose() } throws: { "\($0)".contains("there is no backup in \(folder)") }
        try put("b.backup", madeAt: 11, otherKeys)
        #expect { try choose() } throws: { "\($0)".contains("b.backup is encrypted under master key") }
    }

    @Test func `takes the file that is named`() throws {
        try put("old", madeAt: 1)
        try put("new.backup", madeAt: 2)
        let choice = try choose(folder + "/old")
        #expect(choice.reader.manifest.madeAt == Timestamp(seconds: 86_400) && choice.notes.isEmpty)
        #expect { try choose(folder + "/none") } throws: { "\($0)".contains("none") }
    }
}
