internal import Locks
internal import Dispatch
package import Possession

/// The database of one server process: group-committed transactions and point reads.
///
/// Transactions run one after another on the writer's queue; each returns when its commit is on the disk. Its body is a
/// plain function of the connection, kept short: every other transaction waits for it.
package final class Database: Sendable {
    package typealias HomeFinder = @Sendable () -> (any CompletionExecutor)?

    private let writer: Writer
    /// `nil` in memory, where a second connection would see another database.
    private let readers: Readers?
    private let branches = Locked<[ObjectIdentifier: LoopDatabase]>([:])
    private let isClosed = Locked(false)
    private let home: HomeFinder
    private let uptime: @Sendable () -> UInt64
    private let probe: Locked<(at: UInt64, result: Result<Void, StorageFault>)?>
    let limits: StorageLimits
    /// Pages that reads have found damaged since the start.
    package let damagedPages = DamagedPages()
    /// Numbers that an erasure is removing just now.
    let erasing = NumbersBeingErased()
    /// Held until the database is closed.
    private let directory: Locked<DataDirectory?>
    /// The files as they were opened.
    private let files: OwnFiles?
    private let check: Locked<RunningWork>
    private let sizing: Locked<RunningWork>
    /// Whether the start has read the whole file, and found it sound.
    package let wasChecked: Bool
    /// Whether the last process has left a write-ahead log: it did not end in good order.
    package let endedBadly: Bool
    /// Finding of the start about commits, for the operator; `nil`: all that was promised is there.
    package let commitNote: String?

    /// Where a database lives.
    package enum Place: Sendable {
        case directory(DataDirectory)
        /// For tests: gone with the process.
        case memory
    }

    /// Opens and migrates a database.
    /// - Parameters:
    ///   - migrations: folder of the numbered `.sql` files.
    ///   - now: wall clock, for the record of applied migrations.
    ///   - home: the event loop of the calling thread, if it is one.
    ///   - mayBeNew: a file that is missing or empty is made; else it is refused as lost.
    ///   - acceptsLostCommits: go on when commits that were acknowledged are missing; else that is refused.
    ///   - uptime: monotonic nanoseconds.
    ///   - clock: the latest time that anybody was told, for the mark that a restart begins with; `nil`: not yet known.
    ///   - onFatal: called once, from the writer, when an I/O error makes it unknown what is on the disk: the process
    /// must stop.
    /// - Throws: why it cannot be used; the files are then as they were, but for migrations already applied.
    package init(
        _ place: Place, migrations: String, now: Timestamp, limits: StorageLimits = StorageLimits(),
        mayBeNew: Bool = true, acceptsLostCommits: Bool = false,
        home: @escaping HomeFinder = { nil }, uptime: @escaping @Sendable () -> UInt64 = Database.monotonicNanoseconds,
        clock: @escaping @Sendable () -> ClockReading? = { nil },
        onFatal: @escaping @Sendable (String) -> Void
    ) throws(OpeningFault) {
        let path: String
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
            // Before a good end hides the bad one: this process may end before it has checked, or never check.
            try opening.step { () throws(StorageFault) in try IntegrityCheckTable.save(nil, connection) }
        }
        if commits?.loss != nil {
            // Signatures of the commits that are gone would match again.
            _ = try opening.step { () throws(StorageFault) in
                try ActivationsTable.blockAll(for: .restored, at: now, connection)
            }
        }
        commitNote = commits?.note
        let record = try opening.record(&commits, connection)
        connection.limits = limits
        if case .directory(let directory) = place { try DataDirectory.restrict(directory.witnessPath) }
        if case .directory(let directory) = place { files = OwnFiles(in: directory) } else { files = nil }
        writer = Writer(
            connection, commits: record, limits: limits, uptime: uptime, clock: clock, onFatal: onFatal)
        self.limits = limits
        self.home = home
        self.uptime = uptime
        probe = Locked(nil)
    }

    package static let monotonicNanoseconds: @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }

    /// Version of the SQLite that is loaded, such as `3.40.1`.
    package static var engineVersion: String { Connection.engineVersion }

    // MARK: Work

    /// Runs `body` as one transaction and returns its result when that is durable. A thrown fault takes back what it
    /// wrote.
    ///
    /// It changes nothing but the database: when another transaction of its commit throws, it is run again.
    ///
    /// Nonisolated, so it stays on the calling task's executor; a cancelled task's transaction commits all the same.
    /// - Parameter isLong: it writes many items. No two of these share a commit, so that others wait for one at most.
    func transaction<Value: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        guard let scope = AuditScope.current, !scope.isStored else { return try await commit(isLong, body) }
        let (value, hasEntry) = try await commit(isLong) { (connection) throws(StorageFault) in
            try scope.run(body, connection)
        }
        if hasEntry { scope.noteStored() }
        return value
    }

    private func commit<Value: Sendable>(
        _ isLong: Bool, _ body: @escaping @Sendable (Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        let result = await withUnsafeContinuation { waiter in
            let home = self.home()
            let transaction = WaitingTransaction(
                home: home, submittedAt: uptime(), isLong: isLong, body: body, waiter: waiter)
            if let home { branch(of: home).submit(transaction) } else { writer.submit([transaction]) }
        }
        return try result.get()
    }

    /// Runs `body` as one transaction soon, together with one that somebody waits for if there is any, and returns at
    /// once. `orElse` is called if it was refused.
    ///
    /// As for `transaction`, it changes nothing but the database.
    func submit(
        _ body: @escaping @Sendable (Connection) throws(StorageFault) -> Void, orElse: @escaping @Sendable () -> Void
    ) {
        writer.submitUnawaited(UnawaitedTransaction(submittedAt: uptime(), body: body, orElse: orElse))
    }

    /// Runs `body` on a read-only connection, here and now. It sees every commit that has returned.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        guard let readers else { return try await transaction(body) }
        if isClosed.withLock({ $0 }) { throw .failed(code: 0, operation: "closed") }
        if let home = home() { return try branch(of: home).read(from: readers, body) }
        return try readers.read(body)
    }

    private func branch(of home: any CompletionExecutor) -> LoopDatabase {
        branches.withLock { branches in
            if let branch = branches[ObjectIdentifier(home)] { return branch }
            let branch = LoopDatabase(home: home, writer: writer)
            branches[ObjectIdentifier(home)] = branch
            return branch
        }
    }

    // MARK: Care

    package func statistics() -> DatabaseStatistics { writer.statistics() }

    /// How many monotonic nanoseconds pass until a change that comes now would begin.
    /// - Parameter changesAtWork: changes that have come to the server and are not done yet.
    package func expectedWait(behind changesAtWork: Int) -> UInt64 {
        writer.pace.wait(behind: changesAtWork, limit: limits.transactionsPerBatch, at: uptime())
    }

    /// Does what is due without a change, such as shrinking the log once its reader has gone. About once a second.
    package func tend() { writer.tend() }

    /// The first of our files that is not the one we opened any more: removed, or replaced. What is written then is lost
    /// with this process.
    package func lostFile() -> LostFile? { isClosed.withLock { $0 } ? nil : files?.lost() }

    /// Acknowledges nothing more, because `reason`.
    package func refuseWrites(_ reason: String) { writer.refuseAll(.failed(code: 0, operation: reason)) }

    /// Empties the WAL, so that erased rows are in no file any more (DAT-05).
    func truncateLog() async { await writer.truncateLog() }

    /// Lets waiting transactions finish, empties the WAL, closes all connections and gives up the data directory. Later
    /// calls get a fault.
    package func close() async {
        isClosed.withLock { $0 = true }
        await Database.end(check)
        await Database.end(sizing)
        for branch in branches.withLock({ Array($0.values) }) { branch.close() }
        readers?.close()
        await writer.close()
        branches.withLock { $0 = [:] }
        directory.withLock { $0 = nil }
    }
}

// MARK: Damage

extension Database {
    /// Long work of a thread of its own, and those who wait for its end.
    private struct RunningWork {
        /// `nil`: none is under way.
        var cancel: (@Sendable () -> Void)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// When the whole file was last found sound after its start; `nil`: never, or damage was found since.
    package func lastCheck() async throws(StorageFault) -> Timestamp? {
        try await read { (connection) throws(StorageFault) in try IntegrityCheckTable.find(connection) }
    }

    /// Reads the whole file in the background, and stores what it found. One at a time; ends early with its task, or
    /// when the database is closed.
    package func checkIntegrity(now: Now) async throws(StorageFault) -> IntegrityFinding {
        guard let readers, !isClosed.withLock({ $0 }) else { return .cancelled }
        let check = IntegrityCheck(readers, limits: limits) { (pages) throws(SQLiteFailure) in
            try self.writer.damagedPages(among: pages)
        }
        let ended = await Database.run(self.check, cancel: check.cancel) { () throws(StorageFault) in try check.run() }
        guard let result = ended else { return .cancelled }
        let finding = try result.get()
        guard finding != .cancelled else { return finding }
        let passedAt = finding == .sound ? now() : nil
        if finding == .sound { damagedPages.forgetPages() }
        do throws(StorageFault) {
            try await transaction { (connection) throws(StorageFault) in
                try IntegrityCheckTable.save(passedAt, connection)
            }
        } catch {
            // The finding counts, also where it keeps the note from being written.
            if finding == .sound { throw error }
        }
        return finding
    }

    /// Runs `work` on a thread of the lowest priority, one at a time; ends early with its task, or when the database is
    /// closed.
    /// - Returns: `nil`: such work is under way already.
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

extension Database {
    /// How much each table holds, by its name. It reads the whole file on a thread of the lowest priority, one table or index
    /// after the other. One look at a time; ends early with its task, or when the database is closed.
    /// - Returns: `nil`: it was ended, or the loaded SQLite cannot tell (`ENABLE_DBSTAT_VTAB`).
    package func tableSizes() async throws(StorageFault) -> [TableSize]? {
        guard let readers, TableSizes.canBeTold, !isClosed.withLock({ $0 }) else { return nil }
        let sizes = TableSizes(readers, pause: limits.pauseBetweenCheckSteps)
        return try await Database.run(sizing, cancel: sizes.cancel) { () throws(StorageFault) in try sizes.run() }?
            .get()
            ?? nil
    }
}

extension Database: StoreHealth {
    /// Writes a row and reads it, at most once in `probeInterval`; in between it repeats the last answer. After the disk was full it
    /// writes as much as the largest change: a single page may fit where no session does.
    package func probe() async throws(StorageFault) {
        let now = uptime()
        let interval = UInt64(max(0, limits.probeInterval.wholeMilliseconds)) * 1_000_000
        if let last = probe.withLock({ $0 }), now < last.at &+ interval { return try last.result.get() }
        let result: Result<Void, StorageFault>
        do throws(StorageFault) {
            let isLarge = writer.statistics().isDiskFull
            let bytes = isLarge ? limits.probeBytes : 0
            try await transaction { (connection) throws(StorageFault) in
                try ProbesTable.write(fillerBytes: bytes, connection)
            }
            if isLarge {
                try await transaction { (connection) throws(StorageFault) in
                    try ProbesTable.write(fillerBytes: 0, connection)
                }
                writer.hasRoom()
            }
            try await read { (connection) throws(StorageFault) in try ProbesTable.read(connection) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        probe.withLock { $0 = (now, result) }
        try result.get()
    }
}
