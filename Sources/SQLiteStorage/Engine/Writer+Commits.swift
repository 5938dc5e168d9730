internal import Locks
internal import Possession

/// Notes on commits outside the database, so that a start can tell whether one is missing. On the writer's queue only.
extension Writer {
    /// Returns when the transaction is durable and noted.
    func commitNoted(_ connection: Connection) throws(StorageFault) {
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
        tellUnnoted(commits)
    }

    private func tellUnnoted(_ commits: CommitRecord) {
        let unnoted = commits.unnoted
        guard unnoted > 0 || tellsUnnoted else { return }
        tellsUnnoted = unnoted > 0
        counters.withLock { $0.unnotedCommits = unnoted }
    }

    /// Sees that the next start will find what was noted.
    func tendCommits() {
        guard connection != nil, let commits else { return }
        commits.tend()
        tellUnnoted(commits)
    }

    enum Marking { case done, diskFull, refused }

    /// Before the log is moved: afterwards the database says by itself up to which commit it has everything. Those that a
    /// start makes have no mark of their own.
    func markLog(_ connection: Connection) -> Marking {
        guard let commits, commits.isBehind else { return .done }
        // Others are not waited for: a checkpoint waits for nobody.
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
