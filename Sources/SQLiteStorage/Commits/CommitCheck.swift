internal import Engine
internal import Possession
internal import Storage

/// Compares the files of a database with the commits that were acknowledged, before anything is changed. It reads:
///
/// - the witness: the last acknowledged commit, and its place in which log
/// - the log file itself, before SQLite drops a damaged part of it
/// - the database file without its log: an older copy under a newer log would become a mixture of both
/// - the database as SQLite sees it, with as much of the log as SQLite accepts
struct CommitCheck {
    let witness: WitnessFile.Reading
    let writtenAt: String?
    private(set) var log: LogScan
    /// Mark of the file without its log. `nil`: the file cannot be read that way, as in the middle of a checkpoint.
    let file: CommitMark?
    /// The mark that SQLite sees, with the log.
    private(set) var database = CommitMark.none
    /// The database is being created.
    var isNew = false

    /// Reads the files, and empties the log if only an unneeded rest of it is left.
    /// - Throws: the system's refusal to empty it.
    init(clearingLogOf databasePath: String, witnessPath: String) throws(SystemFiles.Refusal) {
        self.init(witnessPath: witnessPath, databasePath: databasePath)
        guard isLogLeftOver else { return }
        try OpenFile(databasePath + "-wal", .writing).empty()
        self.init(witnessPath: witnessPath, databasePath: databasePath)
    }

    init(witnessPath: String, databasePath: String) {
        witness = WitnessFile.read(witnessPath)
        writtenAt = SystemFiles.changeTime(of: witnessPath)
        let watched = if case .found(let witness) = witness { witness.log.frames } else { 0 }
        log = LogScan(path: databasePath + "-wal", watching: watched)
        file = SQLiteConnection.readingFileOnly(databasePath).flatMap { try? CommitMarkTable.find($0) }
    }

    mutating func read(_ connection: SQLiteConnection) throws(StorageFault) {
        database = try CommitMarkTable.find(connection)
    }

    /// The log is a damaged rest of a log that was completely moved to the file. A power loss can leave that if the
    /// length of a file is not durable at once. SQLite must not accept its first frames: their pages are older than
    /// those of the file.
    var isLogLeftOver: Bool {
        guard case .found(let witness) = witness, let file, file.commits >= witness.commitsInFile else { return false }
        let (moved, noted) = (witness.moved, witness.log)
        guard moved != .none, log.header == .sound, log.end.salts == moved.salts else { return false }
        // SQLite may have continued in the same log.
        guard log.lastFrame <= moved.frames, noted.salts != moved.salts || noted.frames <= moved.frames else {
            return false
        }
        return log.end.frames < moved.frames
    }

    /// The acknowledged commits that are missing; `nil`: none.
    var loss: CommitLoss? {
        guard !isNew else { return nil }
        if case .found(let witness) = witness {
            let isSameLog = !witness.log.isNone && log.header == .sound && log.end.salts == witness.log.salts
            let found = isSameLog ? lossInLog(witness) : lossWithoutLog(witness)
            if let found { return found }
        }
        if log.header == .damaged { return loss(.unknown, .damagedLogHeader) }
        if log.durableCommitsCutOff > 0, let frame = log.brokenFrame {
            return loss(.atLeast(log.durableCommitsCutOff), .damagedLog(frame: frame, of: log.framesInFile))
        }
        return nil
    }

    private func lossInLog(_ witness: Witness) -> CommitLoss? {
        guard log.end.frames >= witness.log.frames else {
            let missing = max(1, witness.log.commits - log.end.commits)
            let cause: CommitLoss.Cause =
                if let frame = log.firstNotTaken {
                    .damagedLog(frame: frame, of: max(log.framesInFile, witness.log.frames))
                } else {
                    .shortLog(frames: log.end.frames, of: witness.log.frames)
                }
            return loss(after: witness.commits - missing, to: witness.commits, cause)
        }
        guard log.watchedChecksum == witness.log.checksum else { return loss(.unknown, .otherHistory) }
        // The log contains the commits after that.
        guard let file, file.commits < witness.commitsInFile else { return nil }
        return loss(after: file.commits, to: witness.commitsInFile, .olderDatabaseUnderLog)
    }

    /// The log is a different one or missing. Then the file must contain all commits from before the witness's log
    /// began.
    private func lossWithoutLog(_ witness: Witness) -> CommitLoss? {
        let needed = witness.log.isNone ? witness.stored.commits : witness.commits
        if database.commits < needed {
            if log.header == .damaged { return loss(after: database.commits, to: witness.commits, .damagedLogHeader) }
            let isBehindFile = database.commits < witness.commitsInFile
            return loss(
                after: database.commits, to: witness.commits,
                isBehindFile || witness.log.isNone ? .olderDatabase : .missingLog)
        }
        guard database.commits == witness.stored.commits, database.chain != witness.stored.chain else { return nil }
        return loss(.unknown, .otherHistory)
    }

    private func loss(after first: Int, to last: Int, _ cause: CommitLoss.Cause) -> CommitLoss {
        loss(first < last ? .commits(first + 1...last) : .unknown, cause)
    }

    private func loss(_ extent: CommitLoss.Extent, _ cause: CommitLoss.Cause) -> CommitLoss {
        CommitLoss(extent: extent, cause: cause, lastAt: writtenAt)
    }

    // MARK: Starting

    /// Message about a problem that does not prevent the start.
    var note: String? {
        if isNew { return nil }
        if let loss { return "the server goes on without commits that were acknowledged: \(loss)" }
        switch witness {
        case .found: return nil
        case .missing where database == .none: return nil
        case .missing:
            return
                "holdfast.commits is missing and was made again: whether acknowledged commits are missing could not be told at this start"
        case .damaged:
            return
                "holdfast.commits is damaged and was written again: whether acknowledged commits are missing could not be told at this start; look at the disk"
        }
    }

    /// The record with which the server starts, once the schema exists.
    mutating func record(_ path: String, _ connection: SQLiteConnection) throws(StorageFault) -> sending CommitRecord {
        let beginning = loss == nil ? next() : try startOver(connection)
        let (pageBytes, rows) = (try connection.pageSize(), connection.totalChanges)
        do throws(SystemFiles.Refusal) {
            let record = try CommitRecord(
                try WitnessFile(path: path), beginning, pageBytes: pageBytes, rowsSeen: rows)
            try record.sync()
            return record
        } catch { throw .failed(code: 0, operation: "\(path) cannot be written: \(error)") }
    }

    /// After an accepted loss: empties the old log, so that no later start finds the same loss.
    private func startOver(_ connection: SQLiteConnection) throws(StorageFault) -> Witness {
        var witness = Witness()
        if case .found(let last) = self.witness { witness = last }
        let commits = max(witness.commits, database.commits) + 1
        let mark = database.next(commits: commits, after: witness.log)
        try CommitMarkTable.save(mark, connection)
        let left: Int
        do throws(SQLiteFailure) { left = try connection.checkpoint(.truncate) } catch { throw error.fault }
        guard left == 0 else { throw .failed(code: 5, operation: "a checkpoint, as another process keeps the log") }
        return Witness(
            sequence: witness.sequence &+ 1, commits: commits, log: .none, stored: mark, commitsInFile: commits,
            moved: witness.moved)
    }

    private mutating func next() -> Witness {
        log.advance()
        var next = Witness(
            log: log.end.isNone ? .none : log.end, stored: database, commitsInFile: isNew ? 0 : file?.commits ?? 0)
        guard case .found(let witness) = witness else {
            next.commits = database.commits + next.log.commits
            return next
        }
        next.sequence = witness.sequence &+ 1
        next.moved = witness.moved
        if isNew {
            next.commits = next.log.commits
        } else if witness.log.salts == next.log.salts, !witness.log.isNone {
            next.commits = witness.commits + max(0, next.log.commits - witness.log.commits)
        } else {
            next.commits = max(witness.commits, database.commits) + next.log.commits
        }
        return next
    }
}
