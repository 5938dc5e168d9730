internal import Administration
internal import Clocks
internal import PostgresStorage
internal import SQLiteStorage
internal import Storage

/// The work of commands on a PostgreSQL.
extension Configuration {
    /// Applies the migrations that the database lacks, and grants the server's role what it needs.
    /// - Returns: a text that names them.
    func migrate(_ database: Database, isDryRun: Bool) throws(StartFault) -> String {
        let files: [MigrationFile]
        do throws(OpeningFault) { files = try MigrationFile.all(in: postgresMigrations) } catch {
            throw .configuration("data.migrations: \(error.description)")
        }
        do throws(PostgresOpeningFault) {
            let migration = try PostgresMigration(database.ownerAddress, files, mode: mode.rawValue)
            if !isDryRun { try migration.apply(grantingTo: database.address.role) }
            return MigrationPlan.sentence(
                "the database", from: migration.version, migration.pending.map(\.name), isApplied: !isDryRun)
        } catch { throw error.startFault(database.ownerURL == nil ? "database.url" : "database.ownerUrl") }
    }

    /// Whether a server of this configuration can use the database.
    func check(_ database: Database) throws(StartFault) -> (report: String, warnings: [String]) {
        let expected = try expectation(database)
        do throws(PostgresOpeningFault) {
            let inspection = try PostgresInspection(database.address, expected)
            return (
                "the database can be used: PostgreSQL \(inspection.version), migration \(expected.schema), role \(database.address.role)",
                inspection.warnings
            )
        } catch { throw error.startFault("database.url") }
    }

    /// Revokes what may have been used since the copy of the database was made, and makes the copy the database.
    /// - Returns: lines for the operator.
    func revokeRestored(_ database: Database) async throws(StartFault) -> [String] {
        var consent = StartConsent()
        consent.restoredDatabase = true
        let store = try await Store.open(self, consent: consent)
        let revocation: RestoredStore.Revocation
        do {
            revocation = try await RestoredStore(store, self, now: SystemClock.now).revoke(isDrill: false, detail: [])
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        // Last: until now no server uses a database that was restored into another PostgreSQL.
        do throws(PostgresOpeningFault) { try PostgresMigration.acceptCopy(database.ownerAddress) } catch {
            throw error.startFault(database.ownerURL == nil ? "database.url" : "database.ownerUrl")
        }
        return revocation.lines(isDrill: false) + ["a server may use the database now. Do again what counts:"]
            + RestoredStore.Revocation.tasks
    }

    /// - Throws: `.configuration`: the database is PostgreSQL, and the command is for SQLite.
    func refusePostgres(_ command: String) throws(StartFault) {
        guard database != nil else { return }
        throw .configuration(
            "holdfast \(command) is for SQLite, and database.url is set: use PostgreSQL's own tools, such as pg_basebackup and an archive of its log, and keep the master key apart"
        )
    }
}

extension PostgresOpeningFault {
    /// - Parameter setting: names the database that was tried.
    fileprivate func startFault(_ setting: String) -> StartFault {
        switch self {
        case .refused(let reason): .configuration("\(setting): \(reason)")
        case .unavailable(let reason): .failed("\(setting): \(reason)")
        }
    }
}
