import Foundation
import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Acknowledged commits are checked at the start: every fault of the files that loses one is told.
@Suite struct LostCommitsTests {
    // MARK: The log

    @Test func `a flipped byte in the log is told, with the number of commits that it costs`() async throws {
        let run = try await Run.withTables()
        try await run.store(12)
        let files = try run.files()
        let frames = files.frames
        #expect(try await files.loss(run.sessions) == nil)
        // Each byte of the header; of every frame one of each number in its header, and one of its page.
        var offsets = Array(0..<32)
        for frame in 0..<frames {
            let start = 32 + frame * Files.frameBytes
            offsets += [0, 4, 8, 12, 16, 20].map { start + $0 + frame % 4 }
            offsets.append(start + 24 + frame * 331 % 4096)
        }
        var told = 0
        for (index, offset) in offsets.enumerated()
        where offset < 32 || index % 5 == 0 || offset > files.log.count - 9000 {
            var damaged = files
            damaged.log[offset] ^= 1 << UInt8(index % 8)
            guard let loss = try await damaged.loss(run.sessions) else { continue }
            told += 1
            guard offset >= 32 else { continue }
            let frame = (offset - 32) / Files.frameBytes + 1
            guard case .damagedLog(let broken, let all) = loss.cause, case .commits(let numbers) = loss.extent else {
                Issue.record("\(offset): \(loss)")
                continue
            }
            #expect(broken == frame && all == frames)
            let accepted = try Run(try damaged.folder(), acceptsLostCommits: true)
            let missing = try await accepted.missing(run.sessions)
            #expect(missing == numbers.count, "\(offset): \(missing) of \(numbers)")
            await accepted.database.close()
        }
        #expect(told > 50)
        await run.database.close()
    }

    @Test func `a log that ends early, is empty or is gone is told`() async throws {
        let run = try await Run.withTables()
        try await run.store(4)
        let files = try run.files()
        for frames in [0, 1, files.frames / 2, files.frames - 1] {
            var cut = files
            cut.log.removeLast((files.frames - frames) * Files.frameBytes)
            let loss = try #require(try await cut.loss(run.sessions))
            guard case .shortLog(let end, files.frames) = loss.cause else {
                Issue.record("\(loss)")
                continue
            }
            #expect(end <= frames)
        }
        var gone = files
        gone.log = []
        let loss = try #require(try await gone.loss(run.sessions))
        guard case .commits(let numbers) = loss.extent else {
            Issue.record("\(loss)")
            return
        }
        #expect(loss.cause == .missingLog && numbers.count == 4)
        await run.database.close()
    }

    @Test func `a commit that was durable and not noted is no loss, and neither is one that a power loss cut in two`()
        async throws
    {
        let run = try Run()
        try await run.store(3)
        let before = try run.files()
        try await run.store(1)
        var files = try run.files()
        files.witness = before.witness
        #expect(try await files.loss(run.sessions) == nil)
        for frame in before.frames..<files.frames { files.log[32 + frame * Files.frameBytes + 100] ^= 1 }
        #expect(try await files.loss(Array(run.sessions.dropLast())) == nil)
        await run.database.close()
    }

    @Test func `without a witness, commits that others were written after are told all the same`() async throws {
        let run = try Run()
        try await run.store(2)
        let before = try run.files()
        try await run.store(4)
        var files = try run.files()
        files.witness = before.witness
        files.log[32 + before.frames * Files.frameBytes + 100] ^= 1
        for witness in [before.witness, []] {
            files.witness = witness
            let loss = try #require(try await files.loss(run.sessions))
            #expect(loss.extent == .atLeast(3), "\(loss)")
        }
        await run.database.close()
    }

    @Test func `what a crash in the middle of a start, an end or a checkpoint leaves is no loss`() async throws {
        let folder = try TemporaryFolder()
        var all: [Session] = []
        var states: [(Files, [Session])] = []
        for round in 0..<3 {
            let run = try Run(folder) {
                $0.pagesBeforeCheckpoint = 20
                $0.pagesBeforeRestart = round == 1 ? 20 : 40
            }
            states.append((try run.files(), all))
            for _ in 0..<12 {
                try await run.store(1)
                states.append((try run.files(), all + run.sessions))
            }
            await run.database.truncateLog()
            states.append((try run.files(), all + run.sessions))
            try await run.store(1)
            all += run.sessions
            states.append((try run.files(), all))
            await run.database.close()
            states.append((try run.files(), all))
        }
        // Answers follow the witness, so it is that of the same moment or of an earlier one.
        for (index, (files, sessions)) in states.enumerated() {
            #expect(try await files.loss(sessions) == nil, "state \(index)")
            var late = files
            for back in [1, 4] where index >= back {
                late.witness = states[index - back].0.witness
                #expect(try await late.loss(sessions) == nil, "state \(index), witness of \(index - back)")
            }
        }
    }

    @Test func `a log that another program has moved to the database is no loss, and one that it lost is`() async throws
    {
        let run = try await Run.withTables()
        // With one frame and with more before it.
        for count in [1, 4] {
            try await run.store(count)
            let files = try run.files()
            let folder = try files.folder()
            do {
                let other = try SQLiteConnection(path: folder.path + "/holdfast.db", .writer)
                try other.configureWriter()
                #expect(try other.checkpoint(.truncate) == 0)
            }
            var moved = try Files(folder)
            #expect(moved.log.isEmpty && moved.noted == files.noted)
            #expect(try await moved.loss(run.sessions) == nil)
            moved.database = files.database
            #expect(try await moved.loss(run.sessions)?.cause == .missingLog)
        }
        await run.database.close()
    }

    @Test func `what a loss of power leaves of a log that was moved is no loss, and no page of it comes back`()
        async throws
    {
        let run = try await Run.withTables()
        try await run.store(12)
        let before = try run.files()
        await run.database.close()
        let after = try run.files()
        let noted = try #require(after.noted)
        // The engine moved it whole, with the mark and the time that an end adds.
        #expect(after.log.isEmpty && noted.moved.salts == before.noted?.log.salts)
        #expect(noted.moved.frames >= before.frames)
        let sizes = [1, 3, before.frames / 2]
        for kept in sizes {
            var rest = after
            // Its first frames, a hole, and the others: the engine would take the first.
            rest.log = before.log
            let start = 32 + kept * Files.frameBytes
            for index in start..<start + Files.frameBytes { rest.log[index] = 0 }
            #expect(try await rest.loss(run.sessions) == nil, "\(kept) frames")
            // The witness as it was just before the log went.
            var early = noted
            early.log = LogPosition(
                salts: noted.moved.salts, frames: noted.moved.frames, checksum: 1, commits: noted.commits)
            rest.witness = [UInt8](repeating: 0, count: WitnessForm.fileBytes)
            let slot = WitnessForm.offset(early.sequence)
            rest.witness.replaceSubrange(slot..<slot + WitnessForm.slotBytes, with: WitnessForm.bytes(early))
            #expect(try await rest.loss(run.sessions) == nil, "\(kept) frames, the witness before")
            // A log that went on after it was moved is needed, and so is one under an older database.
            early.moved.frames = before.frames - 1
            rest.witness.replaceSubrange(slot..<slot + WitnessForm.slotBytes, with: WitnessForm.bytes(early))
            #expect(try await rest.loss(run.sessions) != nil, "\(kept) frames, and more")
            rest.witness = after.witness
            rest.database = before.database
            #expect(try await rest.loss(run.sessions) != nil, "\(kept) frames, an older database")
        }
    }

    // MARK: The database

    @Test func `an older copy of the database is told, alone and under the newer log`() async throws {
        let run = try Run()
        try await run.store(3)
        await run.database.close()
        let copy = try run.files()
        let later = try Run(run.folder)
        try await later.store(2)
        // Under the log of the same time it is the right file.
        var crashed = try later.files()
        crashed.database = copy.database
        #expect(try await crashed.loss(run.sessions + later.sessions) == nil)
        await later.database.close()

        var old = try later.files()
        old.database = copy.database
        #expect(old.log.isEmpty)
        let loss = try #require(try await old.loss(run.sessions + later.sessions))
        guard case .commits(let numbers) = loss.extent else {
            Issue.record("\(loss)")
            return
        }
        #expect(loss.cause == .olderDatabase && numbers.count == 2)

        let last = try Run(run.folder)
        try await last.store(1)
        var mixed = try last.files()
        mixed.database = copy.database
        #expect(try await mixed.loss(run.sessions)?.cause == .olderDatabaseUnderLog)
        let folder = try mixed.folder()
        #expect(throws: OpeningFault.self, "pages of two times are not gone on with") {
            _ = try Run(folder, acceptsLostCommits: true)
        }
        // The same without its log, and with a log of an earlier time.
        mixed.log = []
        #expect(try await mixed.loss(run.sessions) != nil)
        mixed = try last.files()
        mixed.log = crashed.log
        #expect(try await mixed.loss(run.sessions) != nil)
        await last.database.close()
    }

    @Test func `a database with as many commits and another history is told`() async throws {
        let (first, second) = (try Run(), try Run())
        for run in [first, second] {
            try await run.store(3)
            await run.database.close()
        }
        var files = try first.files()
        #expect(files.noted?.commits == (try second.files().noted?.commits))
        files.database = try second.files().database
        #expect(try await files.loss([])?.cause == .otherHistory)
    }

    @Test func `a restored database without a witness starts, and says that it could not be compared`() async throws {
        let run = try Run()
        try await run.store(3)
        #expect(run.database.commitNote == nil)
        await run.database.close()
        var files = try run.files()
        for witness in [[], [UInt8](repeating: 7, count: 8192)] {
            files.witness = witness
            let restored = try Run(try files.folder())
            #expect(restored.database.commitNote != nil)
            #expect(try await restored.missing(run.sessions) == 0)
            try await restored.store(1)
            let crashed = try restored.files()
            #expect(crashed.noted?.stored.commits == crashed.noted?.commits)
            #expect(try await crashed.loss(run.sessions + restored.sessions) == nil)
            await restored.database.close()
            let again = try Run(restored.folder)
            #expect(again.database.commitNote == nil)
            await again.database.close()
        }
    }

    @Test func `a new database in the place of a lost one begins again`() async throws {
        let run = try Run()
        try await run.store(3)
        await run.database.close()
        try FileManager.default.removeItem(atPath: run.folder.path + "/holdfast.db")
        let new = try Run(run.folder)
        #expect(new.database.commitNote == nil)
        try await new.store(1)
        #expect(try await new.files().loss(new.sessions) == nil)
        await new.database.close()
    }

    // MARK: Going on

    @Test func `a loss is accepted once, and then everything is as before`() async throws {
        let run = try await Run.withTables()
        try await run.store(8)
        var files = try run.files()
        files.log[32 + files.frames / 2 * Files.frameBytes + 100] ^= 1
        let folder = try files.folder()
        let accepted = try Run(folder, acceptsLostCommits: true)
        #expect(accepted.database.commitNote != nil)
        let missing = try await accepted.missing(run.sessions)
        #expect(missing > 0 && missing < 8)
        // Nothing of the log that was cut off is found by a later start.
        #expect(try await accepted.files().loss([]) == nil)
        try await accepted.store(2)
        #expect(try await accepted.files().loss(accepted.sessions) == nil)
        let noted = try #require(accepted.files().noted)
        #expect(noted.commits > (try #require(run.files().noted)).commits)
        await accepted.database.close()
        let again = try Run(folder)
        #expect(again.database.commitNote == nil)
        await again.database.close()
        await run.database.close()
    }

    @Test func `with a loss that is accepted, active activations are blocked, and stay so`() async throws {
        let run = try await Run.withTables()
        try await run.store(1)
        let session = run.sessions[0]
        let activation = Fixture.activation(of: session)
        _ = try await Fixture.sessions(run.database).update(session) { $0.activation = activation }
        try await run.store(3)
        var files = try run.files()
        files.log.removeLast(Files.frameBytes)
        let folder = try files.folder()
        for acceptsLostCommits in [true, false] {
            let next = try Run(folder, acceptsLostCommits: acceptsLostCommits)
            let table = ActivationsTable(next.database.database, sealing: Fixture.sealing)
            #expect(try await table.activation(activation.id)?.standing.reason == .restored)
            #expect(try await next.files().loss([]) == nil)
            await next.database.close()
        }
        let untouched = ActivationsTable(run.database.database, sealing: Fixture.sealing)
        #expect(try await untouched.activation(activation.id) == activation)
        await run.database.close()
    }

    @Test func `a loss is not accepted with a database that is damaged as well`() async throws {
        let run = try Run()
        try await run.store(40)
        await run.database.close()
        let later = try Run(run.folder)
        try await later.store(3)
        var files = try later.files()
        files.log[32 + Files.frameBytes + 100] ^= 1
        for index in files.database.count / 2..<files.database.count / 2 + 8192 { files.database[index] ^= 0xFF }
        let folder = try files.folder()
        let error = #expect(throws: OpeningFault.self) { _ = try Run(folder, acceptsLostCommits: true) }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await later.database.close()
    }

    // MARK: Counting

    @Test func `each commit counts once, also one whose batch was run again`() async throws {
        let run = try Run()
        try await run.store(1)
        let before = try #require(run.files().noted)
        let stall = Stall()
        let database = run.database
        async let held: Void = stall.hold(database)
        await stall.begun()
        async let good: Void = database.transaction { (connection) throws(StorageFault) in
            try ProbesTable.write(connection)
        }
        let failing = Task {
            try await database.transaction { (connection) throws(StorageFault) in
                try ProbesTable.write(connection)
                throw .corrupt(what: "a test")
            }
        }
        while database.statistics().waiting < 2 { await Task.yield() }
        stall.release()
        try await held
        try await good
        await #expect(throws: StorageFault.self) { try await failing.value }
        // One that changes nothing is none.
        try await database.transaction { _ in }
        let files = try run.files()
        let after = try #require(files.noted)
        #expect(after.commits == before.commits + 1 && after.log.commits == before.log.commits + 1)
        #expect(try await files.loss(run.sessions) == nil)
        await database.close()
    }

    @Test func `an end in good order leaves everything in the database, which says so`() async throws {
        let run = try Run()
        try await run.store(3)
        await run.database.close()
        let noted = try #require(run.files().noted)
        #expect(noted.log.isNone && noted.stored.commits == noted.commits && noted.commitsInFile == noted.commits)
        #expect(try run.files().log.isEmpty)
    }

    @Test func `a log that is to be moved while another process writes loses nothing`() async throws {
        let run = try Run()
        try await run.store(2)
        let other = try SQLiteConnection(path: run.folder.path + "/holdfast.db", .writer)
        try other.runScript("BEGIN IMMEDIATE")
        await run.database.truncateLog()
        #expect(try await run.files().loss(run.sessions) == nil)
        try other.runScript("ROLLBACK")
        run.database.tend()
        try await run.store(1)
        #expect(try await run.files().loss(run.sessions) == nil)
        await run.database.close()
    }

    @Test func `a log that is moved without a mark, on a full disk, is no loss at any moment`() async throws {
        let run = try await Run.withTables()
        await run.database.close()
        let path = run.folder.path + "/holdfast.db"
        var check = CommitCheck(witnessPath: run.folder.path + "/holdfast.commits", databasePath: path)
        let connection = try SQLiteConnection(path: path, .writer)
        try connection.configureWriter()
        try check.read(connection)
        let record = try check.record(run.folder.path + "/holdfast.commits", connection)
        var files: [Files] = []
        func commit(isMarked: Bool = false) throws {
            try connection.begin()
            try ProbesTable.write(connection)
            if isMarked { try record.addMark(connection) }
            try connection.commit()
            files.append(try run.files())
            record.note(frames: LogScan(path: path + "-wal").end.frames, connection)
            files.append(try run.files())
        }
        for restarts in [true, false, true] {
            for number in 0..<3 { try commit(isMarked: number == 0) }
            let reader = restarts ? nil : try SQLiteConnection(path: path, .reader)
            try reader?.runScript("BEGIN")
            _ = try reader?.header()
            #expect(record.isBehind)
            #expect(try connection.checkpoint(.restart) == 0 || !restarts)
            files.append(try run.files())
            record.logMovedUnmarked()
            files.append(try run.files())
        }
        try commit(isMarked: true)
        for (index, state) in files.enumerated() {
            for back in 0...min(index, 5) {
                var state = state
                state.witness = files[index - back].witness
                #expect(try await state.loss([]) == nil, "state \(index), witness of \(index - back)")
            }
        }
    }

    @Test func `a witness that cannot be made again is counted, until it can`() async throws {
        let run = try Run()
        let path = run.folder.path + "/holdfast.commits"
        try await run.store(1)
        #expect(run.database.statistics().unnotedCommits == 0)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        run.database.tend()
        try await run.store(2)
        #expect(run.database.statistics().unnotedCommits == 3)
        try FileManager.default.removeItem(atPath: path)
        run.database.tend()
        try await run.store(1)
        #expect(run.database.statistics().unnotedCommits == 0)
        #expect(try await run.files().loss(run.sessions) == nil)
        await run.database.close()
    }

    @Test func `a witness that is removed or replaced while in use is made again`() async throws {
        let run = try Run()
        let path = run.folder.path + "/holdfast.commits"
        try await run.store(1)
        for isReplaced in [false, true] {
            try FileManager.default.removeItem(atPath: path)
            if isReplaced { try Data([UInt8](repeating: 1, count: 9000)).write(to: URL(fileURLWithPath: path)) }
            run.database.tend()
            try await run.store(1)
            let files = try run.files()
            #expect(files.noted?.log.frames == files.frames)
            #expect(try await files.loss(run.sessions) == nil)
        }
        await run.database.close()
    }
}
