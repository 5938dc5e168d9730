internal import Engine
internal import Possession
internal import Storage

/// Counts commits and records each in the witness, once it is durable and before its caller gets the result. Used only
/// on the writer's queue.
///
/// SQLite's own running checksum over the log covers the pages that a commit has changed. Recording it costs a read of
/// 24 bytes and a write of 104. The mark adds a page to each commit: with it the database records how complete it is,
/// even after another program has moved the log to the file and written to it.
final class CommitRecord {
    private let file: WitnessFile
    private let pageBytes: Int
    private(set) var witness: Witness
    /// Position of the last commit, also while the witness expects no log.
    private var place: LogPosition
    /// The mark that belongs to the current transaction.
    private var pending: CommitMark?
    /// Rows that the connection had changed when it last committed.
    private var rowsSeen: Int
    /// Commits that could not be recorded since the last one that was.
    private(set) var unnoted = 0
    /// The file is missing at its path and could not be created again.
    private var isFileMissing = false

    /// - Parameter witness: the state of the files now. It is written at once.
    init(_ file: WitnessFile, _ witness: Witness, pageBytes: Int, rowsSeen: Int) throws(SystemFiles.Refusal) {
        self.file = file
        self.witness = witness
        place = witness.log
        self.pageBytes = pageBytes
        self.rowsSeen = rowsSeen
        try file.write(witness)
    }

    /// Whether the mark in the database is older than the last commit.
    var isBehind: Bool { witness.stored.commits < witness.commits }

    /// Adds the mark to a transaction that has changed something.
    func addMark(_ connection: SQLiteConnection) throws(StorageFault) {
        guard connection.totalChanges != rowsSeen else { return }
        try saveMark(connection)
    }

    func saveMark(_ connection: SQLiteConnection) throws(StorageFault) {
        let mark = witness.stored.next(commits: witness.commits + 1, after: place)
        try CommitMarkTable.save(mark, connection)
        pending = mark
    }

    /// Called when the transaction was rolled back.
    func forgetMark() { pending = nil }

    /// Records a durable commit.
    /// - Parameter frames: of the log, including this commit; `nil`: it changed nothing.
    func note(frames: Int?, _ connection: SQLiteConnection) {
        rowsSeen = connection.totalChanges
        let mark = pending
        pending = nil
        guard let frames else { return }
        witness.commits += 1
        if let mark { witness.stored = mark }
        if let end = connection.logEnd(frames: frames, pageBytes: pageBytes) {
            let isSameLog = end.salts == place.salts
            place = LogPosition(
                salts: end.salts, frames: frames, checksum: end.checksum, commits: isSameLog ? place.commits + 1 : 1)
            witness.log = place
            write()
        } else {
            place.commits += 1
            unnoted += 1
        }
    }

    /// Call when the whole log is in the database file and the next commit will start the log again.
    func logMoved() {
        witness.commitsInFile = witness.stored.commits
        guard !place.isNone else { return }
        witness.moved = MovedLog(salts: place.salts, frames: place.frames)
    }

    /// Call when the log was moved and its file is empty.
    func logEmptied() {
        askForNoLog()
    }

    /// Call when the log was moved and will be truncated. A power loss can leave some of its bytes, so the witness
    /// durably records that they are not needed.
    func logIsAboutToGo() throws(SystemFiles.Refusal) {
        logMoved()
        write()
        try sync()
    }

    /// Call when the log was moved as far as possible, without writing the mark first. The next commit may start the
    /// log again, and the mark in the file is then too old. So the next start expects nothing beyond the last mark.
    func logMovedUnmarked() {
        askForNoLog()
    }

    private func askForNoLog() {
        witness.log = .none
        write()
    }

    func write() {
        witness.sequence &+= 1
        do { try file.write(witness) } catch {
            unnoted += 1
            return
        }
        unnoted = isFileMissing ? unnoted + 1 : 0
    }

    func sync() throws(SystemFiles.Refusal) { try file.sync() }

    /// Creates the file again if it was removed or replaced: anything written to the old one is lost when this process
    /// ends.
    func tend() {
        guard file.isReplaced else { return }
        do { try file.reopen() } catch {
            isFileMissing = true
            unnoted = max(1, unnoted)
            return
        }
        isFileMissing = false
        // Writes both slots: a file that was put in its place may have slots from a later time.
        write()
        write()
    }
}
