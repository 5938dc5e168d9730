internal import Dispatch
internal import Locks
internal import Possession
internal import Storage

/// The write-ahead log: when it is moved to the database, and when it is emptied. Used only on the writer's queue.
extension Writer {
    /// A page in the WAL has a header of 24 bytes (sqlite.org/fileformat2.html section 4).
    static let bytesPerLoggedPage = 4096 + 24

    /// The only function that starts regular checkpoints: two connections that checkpoint can damage the file in this
    /// SQLite version (DUR-04).
    func keepLogSmall() {
        let pages = Int(loggedPages.pointee)
        guard let connection, connection.fatal == nil else { return }
        guard let mode = plan.mode(pages: pages, at: uptime()) else { return }
        checkpoint(connection, owesTruncation ? .truncate : mode)
    }

    /// Never waits, so that a long reader does not delay writes. `false`: pages were left in the WAL.
    @discardableResult
    func checkpoint(_ connection: SQLiteConnection, _ mode: SQLiteConnection.Checkpoint) -> Bool {
        let start = uptime()
        let marking = markLog(connection)
        guard marking != .refused else {
            // Another process writes, or SQLite has failed.
            plan.left(pages: Int(loggedPages.pointee), at: start, isHeld: false)
            stopIfFatal(connection)
            return false
        }
        // On a full disk, moving pages makes space. The log file keeps its bytes meanwhile, because the witness refers
        // to them.
        let (wanted, mode) = (mode, marking == .done || mode != .truncate ? mode : .restart)
        var isEmptied = false
        var isTruncated = false
        var isHeld = false
        var isDiskFull = false
        do throws(SQLiteFailure) {
            isEmptied = try connection.checkpoint(mode == .truncate ? .restart : mode) == 0
            isHeld = !isEmptied
            if mode == .truncate && isEmptied { isTruncated = try truncateMoved(connection) }
        } catch {
            // A failure that is not fatal, such as a full disk, leaves all pages in the WAL; a later round tries again.
            isDiskFull = error.refusal == .diskFull
        }
        let now = uptime()
        if isEmptied {
            loggedPages.pointee = 0
            plan.emptied()
            if marking == .done { commits?.logMoved() }
            if isTruncated {
                commits?.logEmptied()
                owesTruncation = false
            }
        } else {
            plan.left(pages: Int(loggedPages.pointee), at: now, isHeld: isHeld)
        }
        // Even if it ended early: the last reader may end before the next commit.
        if marking == .diskFull { commits?.logMovedUnmarked() }
        counters.withLock { counters in
            if isDiskFull || marking == .diskFull { counters.isDiskFull = true }
            counters.checkpoints += 1
            counters.checkpointSeconds += Double(now - start) / 1e9
            counters.logHeldSince = plan.heldSince
            if isTruncated { counters.logBytes = Int(loggedPages.pointee) * Writer.bytesPerLoggedPage }
        }
        stopIfFatal(connection)
        return isEmptied && mode == wanted && (isTruncated || mode != .truncate)
    }

    /// Truncates the log after all of it was moved to the database file. `true`: its file has no bytes, durably, so
    /// that erased data is gone and no later start finds a rest.
    private func truncateMoved(_ connection: SQLiteConnection) throws(SQLiteFailure) -> Bool {
        // If the witness cannot be synced, truncation continues: at worst, a start after a power loss refuses such a
        // rest.
        try? commits?.logIsAboutToGo()
        guard try connection.checkpoint(.truncate) == 0 else { return false }
        connection.syncLog()
        return true
    }

    /// Does work that is due without a batch: commits may be rare, and a reader may have ended. Called about once a
    /// second.
    func tend() {
        queue.async {
            self.tendCommits()
            if let connection = self.connection { self.stopIfFatal(connection) }
            if let connection = self.connection, connection.fatal == nil, self.timeToMark() != nil { self.commit([]) }
            if self.owesTruncation, let connection = self.connection, connection.fatal == nil {
                self.checkpoint(connection, .truncate)
            } else {
                self.keepLogSmall()
            }
        }
    }

    /// Which of these pages are damaged in the database file, after all of the log was moved to it. `nil`: a reader
    /// keeps the log, or writes have stopped.
    ///
    /// Called on a thread of the lowest priority, which waits. The work runs on the writer's queue, because all changes
    /// wait for it.
    func damagedPages(among numbers: [Int]) throws(SQLiteFailure) -> [Int]? {
        let answer = Locked<Result<[Int]?, SQLiteFailure>?>(nil)
        queue.async {
            let result = self.damagedPagesNow(among: numbers)
            answer.withLock { $0 = result }
        }
        while true {
            if let answer = answer.withLock({ $0 }) { return try answer.get() }
            BackgroundThread.pause(milliseconds: 1)
        }
    }

    private func damagedPagesNow(among numbers: [Int]) -> Result<[Int]?, SQLiteFailure> {
        guard let connection, connection.fatal == nil, checkpoint(connection, .restart) else { return .success(nil) }
        do throws(SQLiteFailure) { return .success(try connection.damagedPages(among: numbers)) } catch {
            return .failure(error)
        }
    }

    /// Empties the WAL, so that erased data is in no file (DAT-05). One truncation serves all callers within
    /// `truncationGap`. While a reader keeps the WAL, it returns after some tries, and the writer keeps trying.
    func truncateLog() async {
        await withUnsafeContinuation { waiter in
            let mustPlan = erasers.withLock { erasers in
                erasers.waiting.append(waiter)
                defer { erasers.isPlanned = true }
                return !erasers.isPlanned
            }
            if mustPlan { queue.async { self.planTruncation() } }
        }
    }

    private func planTruncation() {
        let gap = UInt64(max(0, limits.truncationGap.wholeMilliseconds)) * 1_000_000
        let now = uptime()
        let due = lastTruncation.map { $0 &+ gap } ?? now
        let wait = due > now ? min(gap, due - now) : 0
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: wait))) {
            self.truncate(triesLeft: Writer.truncationTries)
        }
    }

    /// Our own readers end within microseconds.
    private static let truncationTries = 10
    private static let truncationPause = DispatchTimeInterval.milliseconds(10)

    private func truncate(triesLeft: Int) {
        // A caller that arrives from here on may have written after this truncation, so it gets the next one.
        let waiting = erasers.withLock { erasers in
            defer { erasers = Erasers() }
            return erasers.waiting
        }
        attemptTruncation(triesLeft: triesLeft, for: waiting)
    }

    private func attemptTruncation(triesLeft: Int, for waiting: [UnsafeContinuation<Void, Never>]) {
        lastTruncation = uptime()
        if let connection, connection.fatal == nil, !checkpoint(connection, .truncate) {
            owesTruncation = true
            if triesLeft > 0 {
                return queue.asyncAfter(deadline: .now() + Writer.truncationPause) {
                    self.attemptTruncation(triesLeft: triesLeft - 1, for: waiting)
                }
            }
        }
        for waiter in waiting { waiter.resume() }
    }
}
