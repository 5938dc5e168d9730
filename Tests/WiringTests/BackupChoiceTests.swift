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

    @Test func `takes what was made last, whatever the files are called`() throws {
        try put("holdfast-20260924T141320Z.backup", madeAt: 10)
        try put("holdfast-20260921T141320Z.backup", madeAt: 12)
        try put("before-upgrade.backup", madeAt: 11)
        try put("holdfast-20260925T141320Z.backup.part", madeAt: 13)
        let choice = try choose()
        #expect(choice.reader.manifest.madeAt == Timestamp(seconds: 12 * 86_400))
        #expect(choice.notes == ["the newest in \(folder) is holdfast-20260921T141320Z.backup"])
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
