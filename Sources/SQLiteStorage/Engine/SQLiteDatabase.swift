internal import Locks
internal import Dispatch
package import Engine
package import Possession
package import Storage

/// The SQLite file of one server process: how it is opened, watched, checked and closed. The stores use `database`.
package final class SQLiteDatabase: Sendable {
    /// For the stores.
    package let database: Database
    private let engine: SQLiteEngine
    private let uptime: @Sendable () -> UInt64
    private let probe: Locked<(at: UInt64, result: Result<Void, StorageFault>)?>
    let limits: SQLiteLimits
    /// Pages that reads have found damaged since the start.
    package let damagedPages = DamagedPages()
    /// Held until the database is closed.
    private let directory: Locked<DataDirectory?>
    /// Identities of the opened files.
    private let files: OwnFiles?
    private let check: Locked<RunningWork>
    private let sizing: Locked<RunningWork>
    /// Whether the start read the whole file and found it sound.
    package let wasChecked: Bool
    /// Whether the last process left a write-ahead log: it did not shut down properly.
    package let endedBadly: Bool
    /// The start's message about commits, for the operator; `nil`: all acknowledged commits are there.
    package let commitNote: String?

    /// Where a database lives.
    package enum Place: Sendable {
        case directory(DataDirectory)
        /// For tests: lost when the process ends.
        case memory
    }

    /// Opens and migrates a database.
    /// - Parameters:
    ///   - migrations: folder of the numbered `.sql` files.
    ///   - now: wall clock, for the record of applied migrations.
    ///   - home: the event loop of the calling thread, if it is one.
    ///   - mayBeNew: a missing or empty file is created; otherwise it is refused as lost.
    ///   - acceptsLostCommits: start even if acknowledged commits are missing; otherwise that is refused.
    ///   - uptime: monotonic nanoseconds.
    ///   - clock: the latest time that the server has used, for the mark that a restart begins with; `nil`: not yet
    ///     known.
    ///   - onFatal: called once, from the writer, when an I/O error makes it unknown what is on the disk: the process
    /// must stop.
    /// - Throws: why the database cannot be used. The files are then unchanged, except for migrations already applied.
    package init(
        _ place: Place, migrations: String, now: Timestamp, limits: SQLiteLimits = SQLiteLimits(),
        mayBeNew: Bool = true, acceptsLostCommits: Bool = false,
        home: @escaping Database.HomeFinder = { nil },
        uptime: @escaping @Sendable () -> UInt64 = SQLiteDatabase.monotonicNanoseconds,
        clock: @escaping @Sendable () -> ClockReading? = { nil },
        onFatal: @escaping @Sendable (String) -> Void
    ) throws(OpeningFault) {
        let path: String
        let readers: Readers?
        switch place {
        case .directory(let directory):
            self.directory = Locked(directory)
            path = directory.databasePath
            readers = Readers(path: path, idleLimit: limits.idleReaders, noting: damagedPages)
        case .memory:
            directory = Locked(nil)
            path = ":memory:"
            readers = nil
        }
        var opening = Opening(
            path: path, inMemory: readers == nil, mayBeNew: mayBeNew, mostBytesToCheck: limits.bytesCheckedAtStart)
        if case .directory(let directory) = place { opening.witnessPath = directory.witnessPath }
        opening.acceptsLostCommits = acceptsLostCommits
        opening.damaged = damagedPages
        wasChecked = opening.checksAll
        endedBadly = readers != nil && SystemFiles.size(of: path + "-wal") > 0
        check = Locked(RunningWork())
        sizing = Locked(RunningWork())
        var commits: CommitCheck?
        let connection = try opening.open(migrations: migrations, now: now, commits: &commits)
        if endedBadly && !wasChecked {
            // Cleared before a proper shutdown hides the crash: this process may end before its check, or never check.
            try opening.step { () throws(StorageFault) in try IntegrityCheckTable.save(nil, connection) }
        }
        if commits?.loss != nil {
            // Signatures of the lost commits would be accepted again.
            _ = try opening.step { () throws(StorageFault) in
                try ActivationsTable.blockAll(for: .restored, at: now, connection)
            }
        }
        commitNote = commits?.note
        let record = try opening.record(&commits, connection)
        connection.limits = limits.storage
        if case .directory(let directory) = place { try DataDirectory.restrict(directory.witnessPath) }
        if case .directory(let directory) = place { files = OwnFiles(in: directory) } else { files = nil }
        engine = SQLiteEngine(
            Writer(connection, commits: record, limits: limits, uptime: uptime, clock: clock, onFatal: onFatal), readers
        )
        database = Database(engine, limits: limits.storage, home: home, uptime: uptime)
        self.limits = limits
        self.uptime = uptime
        probe = Locked(nil)
    }

    package static let monotonicNanoseconds: @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }

    /// Version of the SQLite that is loaded, such as `3.40.1`.
    package static var engineVersion: String { SQLiteConnection.engineVersion }

    // MARK: Upkeep

    package func statistics() -> DatabaseStatistics { engine.writer.statistics() }

    /// Monotonic nanoseconds until a new change would begin.
    /// - Parameter changesAtWork: changes that have reached the server and are not finished.
    package func expectedWait(behind changesAtWork: Int) -> UInt64 {
        engine.writer.pace.wait(behind: changesAtWork, limit: limits.storage.transactionsPerBatch, at: uptime())
    }

    /// Does due work without a change, such as shrinking the log after its reader has ended. Call about once a second.
    package func tend() { engine.writer.tend() }

    /// The first of our files that was removed or replaced since it was opened. Data written to it is lost when this
    /// process ends.
    package func lostFile() -> LostFile? { engine.isClosed ? nil : files?.lost() }

    /// Refuses all further writes with `reason`.
    package func refuseWrites(_ reason: String) { engine.writer.refuseAll(.failed(code: 0, operation: reason)) }

    /// Lets waiting transactions finish, empties the WAL, closes all connections and releases the data directory. Later
    /// calls throw a fault.
    package func close() async {
        engine.beginClosing()
        await SQLiteDatabase.end(check)
        await SQLiteDatabase.end(sizing)
        await engine.close()
        directory.withLock { $0 = nil }
    }
}

// MARK: Damage

extension SQLiteDatabase {
    /// Long work on its own thread, and the callers that wait for its end.
    private struct RunningWork {
        /// `nil`: no work is running.
        var cancel: (@Sendable () -> Void)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// When a check last found the whole file sound; `nil`: never, or damage was found since.
    package func lastCheck() async throws(StorageFault) -> Timestamp? {
        try await database.read { (connection) throws(StorageFault) in try IntegrityCheckTable.find(connection) }
    }

    /// Reads the whole file in the background and stores the finding. Only one check at a time; it ends early when its
    /// task is cancelled or the database is closed.
    package func checkIntegrity(now: Now) async throws(StorageFault) -> IntegrityFinding {
        guard let readers = engine.readers, !engine.isClosed else { return .cancelled }
        let check = IntegrityCheck(readers, limits: limits) { (pages) throws(SQLiteFailure) in
            try self.engine.writer.damagedPages(among: pages)
        }
        let ended = await SQLiteDatabase.run(self.check, cancel: check.cancel) { () throws(StorageFault) in
            try check.run()
        }
        guard let result = ended else { return .cancelled }
        let finding = try result.get()
        guard finding != .cancelled else { return finding }
        let passedAt = finding == .sound ? now() : nil
        if finding == .sound { damagedPages.forgetPages() }
        do throws(StorageFault) {
            try await database.transaction { (connection) throws(StorageFault) in
                try IntegrityCheckTable.save(passedAt, connection)
            }
        } catch {
            // Damage is reported even if it prevents storing the finding.
            if finding == .sound { throw error }
        }
        return finding
    }

    /// Runs `work` on a thread of the lowest priority, one at a time. It ends early when its task is cancelled or the
    /// database is closed.
    /// - Returns: `nil`: such work is already running.
    private static func run<Value: Sendable>(
        _ place: Locked<RunningWork>, cancel: @escaping @Sendable () -> Void,
        _ work: @escaping @Sendable () throws(StorageFault) -> Value
    ) async -> Result<Value, StorageFault>? {
        let isOnly = place.withLock { running in
            guard running.cancel == nil else { return false }
            running.cancel = cancel
            return true
        }
        guard isOnly else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isStarted = BackgroundThread.start(.least) {
                    let result: Result<Value, StorageFault>
                    do throws(StorageFault) { result = .success(try work()) } catch { result = .failure(error) }
                    ended(place)
                    waiter.resume(returning: result)
                }
                guard !isStarted else { return }
                ended(place)
                waiter.resume(returning: .failure(.failed(code: 0, operation: "a thread for long work")))
            }
        } onCancel: {
            cancel()
        }
    }

    private static func ended(_ place: Locked<RunningWork>) {
        let waiting = place.withLock { running in
            defer { running = RunningWork() }
            return running.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    private static func end(_ place: Locked<RunningWork>) async {
        await withCheckedContinuation { waiter in
            let cancel = place.withLock { running in
                if running.cancel != nil { running.waiting.append(waiter) }
                return running.cancel
            }
            if let cancel { cancel() } else { waiter.resume() }
        }
    }
}

// MARK: Sizes

extension SQLiteDatabase {
    /// How much each table holds, by name. Reads the whole file on a thread of the lowest priority, one table or index
    /// after the other. Only one count at a time; it ends early when its task is cancelled or the database is closed.
    /// - Returns: `nil`: it was cancelled, or the loaded SQLite lacks the statistics table (`ENABLE_DBSTAT_VTAB`).
    package func tableSizes() async throws(StorageFault) -> [TableSize]? {
        guard let readers = engine.readers, TableSizes.canBeTold, !engine.isClosed else { return nil }
        let sizes = TableSizes(readers, pause: limits.pauseBetweenCheckSteps)
        return try await SQLiteDatabase.run(sizing, cancel: sizes.cancel) { () throws(StorageFault) in try sizes.run()
        }?
        .get()
            ?? nil
    }
}

extension SQLiteDatabase: StoreHealth {
    /// Writes a row and reads it, at most once in `probeInterval`; in between it returns the last answer again. After
    /// the disk was full it writes as much as the largest change: a single page may fit when a session does not.
    package func probe() async throws(StorageFault) {
        let now = uptime()
        let interval = UInt64(max(0, limits.probeInterval.wholeMilliseconds)) * 1_000_000
        if let last = probe.withLock({ $0 }), now < last.at &+ interval { return try last.result.get() }
        let result: Result<Void, StorageFault>
        do throws(StorageFault) {
            let isLarge = engine.writer.statistics().isDiskFull
            let bytes = isLarge ? limits.probeBytes : 0
            try await database.transaction { (connection) throws(StorageFault) in
                try ProbesTable.write(fillerBytes: bytes, connection)
            }
            if isLarge {
                try await database.transaction { (connection) throws(StorageFault) in
                    try ProbesTable.write(fillerBytes: 0, connection)
                }
                engine.writer.hasRoom()
            }
            try await database.read { (connection) throws(StorageFault) in try ProbesTable.read(connection) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        probe.withLock { $0 = (now, result) }
        try result.get()
    }
}
