internal import Dispatch
internal import Locks
internal import Possession

/// The write-ahead log: when it is moved to the database, and emptied. On the writer's queue only.
extension Writer {
    /// A page in the WAL has a header of 24 bytes (sqlite.org/fileformat2.html section 4).
    static let bytesPerLoggedPage = 4096 + 24

    /// The only place that checkpoints: two connections at it can damage the file in this engine's version (DUR-04).
    func keepLogSmall() {
        let pages = Int(loggedPages.pointee)
        guard let connection, connection.fatal == nil else { return }
        guard let mode = plan.mode(pages: pages, at: uptime()) else { return }
        checkpoint(connection, owesTruncation ? .truncate : mode)
    }

    /// Never waits for anybody, so that a reader that stays holds up no write. `false`: pages were left in the WAL.
    @discardableResult
    func checkpoint(_ connection: Connection, _ mode: Connection.Checkpoint) -> Bool {
        let start = uptime()
        var isEmptied = false
        var isHeld = false
        var isDiskFull = false
        do throws(SQLiteFailure) {
            isEmptied = try connection.checkpoint(mode) == 0
            isHeld = !isEmptied
        } catch {
            // A failure that is not fatal, a full disk, leaves all pages in the WAL: a later round tries again.
            isDiskFull = error.refusal == .diskFull
        }
        let now = uptime()
        if isEmptied {
            loggedPages.pointee = 0
            plan.emptied()
            if mode == .truncate { owesTruncation = false }
        } else {
            plan.left(pages: Int(loggedPages.pointee), at: now, isHeld: isHeld)
        }
        counters.withLock { counters in
            if isDiskFull { counters.isDiskFull = true }
            counters.checkpoints += 1
            counters.checkpointSeconds += Double(now - start) / 1e9
            counters.logHeldSince = plan.heldSince
            if mode == .truncate { counters.logBytes = Int(loggedPages.pointee) * Writer.bytesPerLoggedPage }
        }
        stopIfFatal(connection)
        return isEmptied
    }

    /// Makes up for what could not be done after a batch: nobody may write for long, and a reader has gone. Told about
    /// once a second.
    func tend() {
        queue.async {
            if let connection = self.connection, connection.fatal == nil, self.timeToMark() != nil { self.commit([]) }
            if self.owesTruncation, let connection = self.connection, connection.fatal == nil {
                self.checkpoint(connection, .truncate)
            } else {
                self.keepLogSmall()
            }
        }
    }

    /// Empties the WAL, so that what was erased is in no file any more (DAT-05). One truncation serves all who ask
    /// within `truncationGap`. While a reader keeps the WAL, it returns after some tries, and the writer goes on trying.
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

    /// Our own readers are gone within microseconds.
    private static let truncationTries = 10
    private static let truncationPause = DispatchTimeInterval.milliseconds(10)

    private func truncate(triesLeft: Int) {
        // Who asks from here on may have written after this truncation: they get the next.
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
