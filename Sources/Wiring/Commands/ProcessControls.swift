internal import Administration
internal import ArgumentParser
internal import Backups
internal import Clocks
internal import Possession
internal import SQLiteStorage
internal import StrictJSON

/// The commands about the server, as this process carries them out.
struct ProcessControls: ServerControls {
    func serve(
        _ options: ConfigurationOptions, flags: [String: String],
        accepted: (emptyDatabase: Bool, clock: Bool, lostCommits: Bool)
    ) async throws {
        let configuration = try options.readChecked(flags: flags).configuration
        var consent = StartConsent()
        consent.emptyDatabase = accepted.emptyDatabase
        consent.clock = accepted.clock
        consent.lostCommits = accepted.lostCommits
        do { try await ServerProcess(configuration, place: options.place(flags: flags), consent).run() } catch {
            throw error.printed
        }
    }

    func migrate(_ options: ConfigurationOptions, isDryRun: Bool) async throws -> String {
        let configuration = try options.read()
        if let database = configuration.database {
            do throws(StartFault) { return try configuration.migrate(database, isDryRun: isDryRun) } catch {
                throw error.printed
            }
        }
        let directory = configuration.data.directory
        let plan: MigrationPlan
        do throws(OpeningFault) {
            plan = try MigrationPlan(
                database: DataDirectory.databasePath(in: directory), migrations: configuration.data.migrations)
        } catch {
            printError(error.description)
            throw ExitCode.failure
        }
        if !isDryRun {
            do { await (try await Store.open(configuration)).close() } catch { throw error.printed }
        }
        return plan.sentence(directory, isApplied: !isDryRun)
    }

    func checkDatabase(_ options: ConfigurationOptions) async throws -> (report: String, warnings: [String]) {
        let configuration = try options.read()
        do throws(StartFault) {
            guard let database = configuration.database else {
                throw .configuration(
                    "database.url: is not set, so the database is SQLite: serve checks it at its start and each day")
            }
            return try configuration.check(database)
        } catch { throw error.printed }
    }

    func copyDatabase(_ options: ConfigurationOptions, from directory: String?) async throws -> [String] {
        let configuration = try options.read()
        do throws(StartFault) {
            guard let database = configuration.database else {
                throw .configuration("database.url: missing; it names the PostgreSQL that gets the data")
            }
            return try DatabaseMove(
                configuration: configuration, database: database,
                directory: directory ?? configuration.data.directory
            ).run()
        } catch { throw error.printed }
    }

    func revokeRestored(_ options: ConfigurationOptions) async throws -> [String] {
        let configuration = try options.read()
        do throws(StartFault) {
            guard let database = configuration.database else {
                throw .configuration("database.url: is not set, so the database is SQLite: holdfast restore revokes")
            }
            return try await configuration.revokeRestored(database)
        } catch { throw error.printed }
    }

    func backUp(
        _ options: ConfigurationOptions, to path: String, replaces: Bool, keep: Int?, workFolder: String?
    ) async throws -> (made: JSONObject, isNoted: Bool) {
        let configuration = try options.read()
        let start = SystemClock.steadyNanoseconds()
        let made: BackupRun.Made
        do throws(StartFault) {
            try configuration.refusePostgres("backup")
            let run = BackupRun(
                configuration: configuration, signals: await EndingSignals(), now: { SystemClock.now() })
            made = try run.make(to: path, replaces: replaces, keep: keep, workFolder: workFolder)
        } catch { throw error.printed }
        Installation(configuration).noteBackup(bytes: Int64(made.bytes), rows: Int64(made.manifest.rows))
        var object = JSONObject()
        object.set("backup", made.path)
        object.set("madeAt", made.manifest.madeAt.rfc3339)
        object.set("bytes", made.bytes)
        object.set("rows", made.manifest.rows)
        object.set("migration", made.manifest.migration)
        object.set("seconds", Int((SystemClock.steadyNanoseconds() - start) / 1_000_000_000))
        if !made.removed.isEmpty { object.set("removed", made.removed) }
        return (object, made.isNoted)
    }

    func restore(
        _ options: ConfigurationOptions, from path: String, masterKeyFile: String?, isDrill: Bool, workFolder: String?
    ) async throws -> [String] {
        let configuration = try options.read()
        let start = SystemClock.steadyNanoseconds()
        let rebuilt: Rebuilding.Rebuilt
        do throws(StartFault) {
            try configuration.refusePostgres("restore")
            let run = RestoreRun(
                configuration: configuration, signals: await EndingSignals(), now: { SystemClock.now() })
            rebuilt =
                isDrill
                ? try await run.drill(from: path, masterKeyFile: masterKeyFile, in: workFolder)
                : try await run.restore(from: path, masterKeyFile: masterKeyFile)
        } catch { throw error.printed }
        let seconds = Double(SystemClock.steadyNanoseconds() - start) / 1e9
        return rebuilt.lines(isDrill: isDrill, configuration.data.directory, seconds)
    }

    func check(_ options: ConfigurationOptions) throws -> (report: String, comments: [String], warnings: [String]) {
        let (configuration, warnings, comments) = try options.readChecked()
        return (configuration.report, comments, configuration.warnings + warnings)
    }

    var settings: [String] {
        ConfigurationKey.all.map { key in
            let variable = key.form == .object ? "" : "  \(ConfigurationSources.variable(key))\n"
            return "\(key.path)\n\(variable)  \(key.summary)\n  \(key.demand); default: \(key.standard)\n"
        }
    }

    func probeAddress(_ options: ConfigurationOptions) throws -> (host: String, port: UInt16)? {
        do { return try options.place().read().server.probeAddress } catch {
            printError("\(error)\nfix it, or say --port")
            throw ExitCode.failure
        }
    }
}

extension StartFault {
    /// Prints the reason, and gives the exit code for it.
    fileprivate var printed: ExitCode {
        printError(description)
        return exitCode
    }
}
