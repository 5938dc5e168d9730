internal import Possession

/// Counts commits and notes each in the witness, once it is durable and before anybody is told of it. On the writer's
/// queue only.
///
/// The engine's own running checksum over the log covers what a commit has changed. Noting it costs a read of 24 bytes and
/// a write of 88. The mark adds a page to each commit: by it the database says what it has, also when another program has
/// moved the log to the file, and written to it.
final class CommitRecord {
    private let file: WitnessFile
    private let pageBytes: Int
    private(set) var witness: Witness
    /// Where the last commit stands, also while the witness asks for no log.
    private var place: LogPosition
    /// The mark that is part of the transaction under way.
    private var pending: CommitMark?
    /// Rows that the connection had changed when it last committed.
    private var rowsSeen: Int
    /// Commits that could not be noted since the last one that was.
    private(set) var unnoted = 0
    /// The file is not at its place, and could not be made again there.
    private var isAway = false

    /// - Parameter witness: of what is in the files now. It is written at once.
    init(_ file: WitnessFile, _ witness: Witness, pageBytes: Int, rowsSeen: Int) throws(SystemFiles.Refusal) {
        self.file = file
        self.witness = witness
        place = witness.log
        self.pageBytes = pageBytes
        self.rowsSeen = rowsSeen
        try file.write(witness)
    }

    /// Whether the database does not say by itself up to which commit it has everything.
    var isBehind: Bool { witness.stored.commits < witness.commits }

    /// Adds the mark to a transaction that has changed something.
    func addMark(_ connection: Connection) throws(StorageFault) {
        guard connection.totalChanges != rowsSeen else { return }
        try saveMark(connection)
    }

    func saveMark(_ connection: Connection) throws(StorageFault) {
        let mark = witness.stored.next(commits: witness.commits + 1, after: place)
        try CommitMarkTable.save(mark, connection)
        pending = mark
    }

    /// The transaction was taken back.
    func forgetMark() { pending = nil }

    /// Notes a commit that is durable.
    /// - Parameter frames: of the log with it; `nil`: it changed nothing.
    func note(frames: Int?, _ connection: Connection) {
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

    /// All of the log is in the database's file, and the next commit begins it again.
    func logMoved() {
        witness.commitsInFile = witness.stored.commits
        guard !place.isNone else { return }
        witness.moved = MovedLog(salts: place.salts, frames: place.frames)
    }

    /// The log was moved, and has no bytes any more.
    func logEmptied() {
        askForNoLog()
    }

    /// The log was moved, and its bytes are about to go. A loss of power can leave some of them, so it is noted for good
    /// that nobody needs them.
    func logIsAboutToGo() throws(SystemFiles.Refusal) {
        logMoved()
        write()
        try sync()
    }

    /// The log was moved, as far as that was possible, without a mark before it: the next commit may begin the log again,
    /// and the file then says less than there is. So nothing is asked of it beyond the last mark.
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
        unnoted = isAway ? unnoted + 1 : 0
    }

    func sync() throws(SystemFiles.Refusal) { try file.sync() }

    /// Makes the file again where it was removed or replaced: what is written to the old one is gone with this process.
    func tend() {
        guard file.isReplaced else { return }
        do { try file.reopen() } catch {
            isAway = true
            unnoted = max(1, unnoted)
            return
        }
        isAway = false
        // Both slots: those of a file that was put in its place may be of a later time.
        write()
        write()
    }
}
