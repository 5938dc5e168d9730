import Foundation
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// The files of a data directory at one moment, as a process that is killed then leaves them.
struct Files: Equatable {
    var database: [UInt8]
    var log: [UInt8]
    var witness: [UInt8]

    static let frameBytes = 4096 + 24
    var frames: Int { (log.count - 32) / Files.frameBytes }

    /// Reads the files of a folder in use.
    init(_ folder: TemporaryFolder) throws {
        let files = try folder.contents()
        database = files["holdfast.db"] ?? []
        log = files["holdfast.db-wal"] ?? []
        witness = files["holdfast.commits"] ?? []
    }

    /// Reads the files of a folder whose server may still be busy, as with a checkpoint after its answers: no file changed
    /// between the first and the last one that was read.
    static func atOnce(_ folder: TemporaryFolder) throws -> Files {
        var files = try Files(folder)
        while true {
            let again = try Files(folder)
            if again == files { return files }
            files = again
        }
    }

    /// A folder that has them. An empty file is none.
    func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, bytes) in [
            ("holdfast.db", database), ("holdfast.db-wal", log), ("holdfast.commits", witness), ("holdfast.lock", []),
        ] where !bytes.isEmpty || name == "holdfast.lock" {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        return folder
    }

    var noted: Witness? { WitnessForm.witness(witness) }
}

/// A database that stores sessions, each in a commit of its own.
final class Run {
    let folder: TemporaryFolder
    let database: SQLiteDatabase
    private(set) var sessions: [Session] = []

    init(
        _ folder: TemporaryFolder? = nil, acceptsLostCommits: Bool = false,
        _ change: (inout SQLiteLimits) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        var limits = SQLiteLimits()
        change(&limits)
        database = try SQLiteDatabase(
            .directory(DataDirectory(self.folder.path)), migrations: Fixture.migrations, now: Fixture.now,
            limits: limits, acceptsLostCommits: acceptsLostCommits, uptime: { 0 }, onFatal: { Issue.record("\($0)") })
    }

    /// One whose tables are in the database's file, so that its log has sessions only.
    static func withTables() async throws -> Run {
        let first = try Run()
        await first.database.close()
        return try Run(first.folder)
    }

    func store(_ count: Int) async throws {
        for _ in 0..<count {
            let session = Fixture.session()
            try await Fixture.sessions(database).insert(session)
            sessions.append(session)
        }
    }

    func files() throws -> Files { try Files(folder) }

    /// How many of the given sessions are not there.
    func missing(_ sessions: [Session]) async throws -> Int {
        var missing = 0
        for session in sessions
        where try await Fixture.sessions(database).session(.auth(session.authID)) != session.asStored { missing += 1 }
        return missing
    }
}

extension Files {
    /// Loss that a start tells; `nil`: it starts, and then all of the sessions are there.
    func loss(_ sessions: [Session]) async throws -> CommitLoss? {
        let folder = try folder()
        let before = try Files(folder)
        do throws(OpeningFault) {
            let database = try SQLiteDatabase(
                .directory(DataDirectory(folder.path)), migrations: Fixture.migrations, now: Fixture.now,
                onFatal: { _ in })
            for session in sessions {
                let found = try? await Fixture.sessions(database).session(.auth(session.authID))
                #expect(found == session.asStored, "lost in silence")
            }
            await database.close()
            return nil
        } catch {
            let after = try Files(folder)
            #expect(after.database == before.database && after.log == before.log && after.witness == before.witness)
            guard case .commitsLost(_, let loss) = error else { throw error }
            return loss
        }
    }
}
