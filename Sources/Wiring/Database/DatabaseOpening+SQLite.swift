internal import Administration
internal import Clocks
internal import HTTPServer
internal import Locks
internal import Possession
internal import SQLiteStorage
internal import Storage
internal import Tokens

extension DatabaseOpening {
    /// Opens and migrates the file of a data directory, or makes it at the first start.
    func openSQLite(in directory: DataDirectory) async throws(StartFault) -> OpenedDatabase {
        try MovedMark.check(in: directory.path)
        let mayBeNew = try FirstStart.begin(in: directory.path, database: directory.databasePath)
        try ModeMark.check(configuration.mode, in: directory.path)
        let exists = FirstStart.exists(directory.databasePath)
        // Check this before making a key, which would prevent a restore.
        if !mayBeNew && !consent.emptyDatabase && !exists {
            throw .data(OpeningFault.lost(path: directory.databasePath).description)
        }
        let master = try masterKey(isNew: !exists)
        // A start that fails before it knows the time of the last run must not record the machine's time.
        let isTimeKnown = Locked(false)
        let sqlite: SQLiteDatabase
        do throws(OpeningFault) {
            sqlite = try SQLiteDatabase(
                .directory(directory), migrations: configuration.data.migrations, now: SystemClock.now(),
                limits: limits, mayBeNew: mayBeNew || consent.emptyDatabase,
                acceptsLostCommits: consent.lostCommits, home: { EventLoop.current },
                clock: { [clock] in isTimeKnown.withLock { $0 } ? clock.reading : nil }, onFatal: onFatal)
        } catch {
            switch error {
            case .lost, .commitsLost, .damaged, .withoutChecksums: throw .data(error.description)
            default: throw .failed(error.description)
            }
        }
        FirstStart.end(in: directory.path)
        let mark: ClockMark?
        do { mark = try await ClockMarkTable(sqlite.database).find() } catch {
            await sqlite.close()
            throw .failed("storage: \(error)")
        }
        if let mark, !consent.clock { clock.raise(to: mark.start(at: clock.reading)) }
        isTimeKnown.withLock { $0 = true }
        return OpenedDatabase(
            watched: sqlite, master: master, warnings: [sqlite.commitNote].compactMap(\.self), clockMark: mark?.latest)
    }

    private var limits: SQLiteLimits {
        var limits = SQLiteLimits()
        limits.storage = configuration.storageLimits
        return limits
    }
}
