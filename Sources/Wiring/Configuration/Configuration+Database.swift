internal import Administration
internal import PostgresStorage
internal import SQLiteStorage
internal import Storage
internal import Tokens

extension Configuration {
    /// The limits of both engines.
    var storageLimits: StorageLimits {
        var limits = StorageLimits()
        limits.transactionsPerBatch = data.changesPerCommit
        limits.webhookBytesPerClient = webhooks.maxBytesPerClient
        return limits
    }

    /// The folder of the migrations for PostgreSQL.
    var postgresMigrations: String { data.migrations + "/postgresql" }

    /// The server needs this of a PostgreSQL. A sandbox accepts one that does not wait for its disk.
    /// - Throws: `.configuration`: the migrations cannot be read.
    func expectation(_ database: Database) throws(StartFault) -> PostgresInspection.Expectation {
        do throws(OpeningFault) {
            return PostgresInspection.Expectation(
                mode: mode.rawValue, schema: try MigrationFile.all(in: postgresMigrations).count,
                needsDisk: mode == .live, needsStandby: !database.allowsNoStandby)
        } catch { throw .configuration("data.migrations: \(error.description)") }
    }
}

extension Configuration.Database {
    /// With the role of the server.
    var address: PostgresAddress { Self.address(url, authoritiesFile, passwordFile) }

    /// With the role that owns the tables.
    var ownerAddress: PostgresAddress {
        guard let ownerURL else { return Self.address(url, authoritiesFile, ownerPasswordFile ?? passwordFile) }
        return Self.address(ownerURL, authoritiesFile, ownerPasswordFile)
    }

    private static func address(_ url: String, _ authorities: String?, _ passwordFile: String?) -> PostgresAddress {
        PostgresAddress(url, authoritiesFile: authorities) {
            // A file that cannot be read now is like a wrong password: the next try to connect reads it again.
            passwordFile.flatMap { try? SharedSecret.foreign($0) }
        }
    }
}
