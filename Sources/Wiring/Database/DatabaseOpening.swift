internal import Administration
internal import Clocks
internal import HTTPServer
internal import Locks
internal import Possession
internal import SQLiteStorage
internal import Storage
internal import Tokens

/// A database that was just opened, and the master key that opens its keys.
struct OpenedDatabase {
    let watched: any WatchedDatabase
    let master: MasterKey
    /// For the operator.
    var warnings: [String] = []
    /// The latest time that an earlier run has recorded; `nil`: unknown.
    var clockMark: Timestamp?
}

/// Opens the database of a configuration, and reads or makes its master key. Each engine has an extension of its own.
struct DatabaseOpening {
    let configuration: Configuration
    /// The machine's clock. It continues from the time of the last stop.
    let clock: ForwardClock
    /// The risks that the operator has accepted.
    let consent: StartConsent
    let random: SystemRandom
    /// Called once if it is unknown what is stored. The process must end.
    let onFatal: @Sendable (String) -> Void
    /// Called at first and each minute with the reason why a database cannot be used yet; `nil`: the caller does not
    /// wait for it.
    var noteWait: (@Sendable (String) -> Void)?

    func open() async throws(StartFault) -> OpenedDatabase {
        let directory: DataDirectory
        do throws(OpeningFault) { directory = try DataDirectory(configuration.data.directory) } catch {
            throw .failed(error.description)
        }
        guard let settings = configuration.database else { return try await openSQLite(in: directory) }
        return try await openPostgres(settings, in: directory)
    }

    /// - Parameter isNew: the database is new, so a missing key is made. A new key could not open the data of an old
    ///   one.
    func masterKey(isNew: Bool) throws(StartFault) -> MasterKey {
        let path = configuration.keys.masterKeyFile
        do throws(KeyFileFault) {
            if isNew && !FirstStart.exists(path) { return try MasterKey.create(path, randomBytes: random.randomBytes) }
            return try MasterKey.load(path)
        } catch { throw .failed(error.reason) }
    }
}
