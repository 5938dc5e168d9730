internal import Administration
internal import Clocks
internal import HTTPServer
internal import Possession
internal import PostgresStorage
internal import Records
internal import SQLiteStorage
internal import Storage
internal import Tokens

extension DatabaseOpening {
    /// How many seconds a command waits for a server that is just ending.
    private static let patience = 5
    /// Seconds between two log lines about a database that cannot be used yet.
    private static let reminder = 60

    /// Opens a PostgreSQL that has the tables of this build. A server waits until it can be used; a command gives up.
    func openPostgres(
        _ settings: Configuration.Database, in directory: DataDirectory
    ) async throws(StartFault) -> OpenedDatabase {
        try ModeMark.check(configuration.mode, in: directory.path)
        var expected = try configuration.expectation(settings)
        expected.acceptsCopy = consent.restoredDatabase
        let earlier = try consent.restoredDatabase ? nil : TimelineMark.read(in: directory.path)
        guard let address = earlier.map(settings.address.following(timeline:)) ?? settings.address else {
            throw .failed(
                "\(TimelineMark.path(in: directory.path)) is damaged: remove it if database.url names the primary")
        }
        var seconds = 0
        while true {
            let found: Result<(PostgresDatabase, warnings: [String]), PostgresOpeningFault>
            do throws(PostgresOpeningFault) {
                found = .success(try connect(address, settings, expected, ServerMark.read(in: directory.path)))
            } catch { found = .failure(error) }
            switch found {
            case .success((let postgres, let warnings)):
                let watched = WatchedPostgres(postgres, at: address, keptTimeline: earlier, directory)
                try watched.keepTimeline()
                if let server = postgres.id { try ServerMark.write(server, in: directory.path) }
                return try await opened(watched, warnings)
            case .failure(.refused(let reason)): throw .configuration("database.url: \(reason)")
            case .failure(.unavailable(let reason)):
                if noteWait == nil && seconds >= Self.patience { throw .failed("database.url: \(reason)") }
                if seconds % Self.reminder == 0 { noteWait?(reason) }
            }
            do { try await Task.sleep(for: .seconds(1)) } catch { throw .failed("the start was cancelled") }
            seconds += 1
        }
    }

    private func connect(
        _ address: PostgresAddress, _ settings: Configuration.Database, _ expected: PostgresInspection.Expectation,
        _ former: ServerID?
    ) throws(PostgresOpeningFault) -> (PostgresDatabase, warnings: [String]) {
        let inspection = try PostgresInspection(address, expected)
        let postgres = try PostgresDatabase(
            opening: settings.allowsNoStandby ? address : address.demandingStandby,
            isAlone: consent.restoredDatabase, replacing: former, recordLevel: RecordVersions.level,
            at: SystemClock.now(), lanes: settings.lanes, limits: configuration.storageLimits,
            home: { EventLoop.current }, uptime: SystemClock.steadyNanoseconds, onFatal: onFatal)
        return (postgres, inspection.warnings)
    }

    private func opened(
        _ postgres: WatchedPostgres, _ warnings: [String]
    ) async throws(StartFault) -> OpenedDatabase {
        do {
            // A database without a keyset has no data yet.
            let isNew = try await KeysetsTable(postgres.database).keysets().isEmpty
            return OpenedDatabase(watched: postgres, master: try masterKey(isNew: isNew), warnings: warnings)
        } catch {
            await postgres.close()
            throw error as? StartFault ?? .failed("storage: \(error)")
        }
    }
}
