internal import Locks
internal import Engine
internal import Possession
internal import Storage

/// Records commits outside the database, so that a start can detect a missing commit. Used only on the writer's queue.
extension Writer {
    /// Returns when the transaction is durable and recorded.
    func commitNoted(_ connection: SQLiteConnection) throws(StorageFault) {
        guard let commits else { return try connection.commit() }
        let before = loggedPages.pointee
        do throws(StorageFault) {
            try commits.addMark(connection)
            try connection.commit()
        } catch {
            commits.forgetMark()
            throw error
        }
        let pages = loggedPages.pointee
        commits.note(frames: pages == before ? nil : Int(pages), connection)
        reportUnrecorded(commits)
    }

    private func reportUnrecorded(_ commits: CommitRecord) {
        let unnoted = commits.unnoted
        guard unnoted > 0 || reportsUnrecorded else { return }
        reportsUnrecorded = unnoted > 0
        counters.withLock { $0.unnotedCommits = unnoted }
    }

    /// Makes sure that the next start will find the recorded commits.
    func tendCommits() {
        guard connection != nil, let commits else { return }
        commits.tend()
        reportUnrecorded(commits)
    }

    enum Marking { case done, diskFull, refused }

    /// Writes the mark before the log is moved, so that afterwards the database itself records up to which commit it is
    /// complete. Commits made during the start have no mark of their own.
    func markLog(_ connection: SQLiteConnection) -> Marking {
        guard let commits, commits.isBehind else { return .done }
        // Does not wait for other writers: a checkpoint never waits.
        connection.waitForWriters(false)
        defer { connection.waitForWriters(true) }
        do throws(StorageFault) {
            try connection.begin()
            try commits.saveMark(connection)
            try commitNoted(connection)
            return .done
        } catch {
            connection.rollBack()
            commits.forgetMark()
            return connection.takeRefusal() == .diskFull ? .diskFull : .refused
        }
    }
}
