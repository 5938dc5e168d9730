internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import Storage

/// The database of a server, as the parts that watch and close it see it. Each engine has its own.
protocol WatchedDatabase: StoreHealth {
    /// For the stores.
    var database: Database { get }

    /// Number of this server among those of the database; `nil`: it is the only one.
    var server: Int64? { get }

    /// Servers that use the database now.
    var servers: Int { get }

    /// Reads the caches now, and again when another server has changed their parts.
    func follow(_ caches: CacheVersions) async throws(StorageFault)

    /// Begins to exchange notes with the other servers of the database. Call once. It ends with `close`.
    func exchangeNotes(_ listener: WakeListener)

    /// Tells the other servers of the database soon. Call it when the change is durable.
    func tell(_ note: WakeNote)

    /// Monotonic nanoseconds until a new change would begin.
    /// - Parameter changesAtWork: changes that have reached the server and are not finished.
    func expectedWait(behind changesAtWork: Int) -> UInt64

    /// Looks for faults, and does due work without a change. Call about once a second.
    func check() async -> DatabaseCondition

    /// Why the database cannot be used, without any data; `nil`: it can.
    func reasonNotReady() async -> String?

    /// Checks the whole database for damage from time to time; `nil`: the engine does that itself.
    /// - Parameter wall: the machine's clock.
    func integrityWatch(wall: @escaping Now, logger: Logger) async throws(StorageFault) -> IntegrityWatch?

    /// - Returns: `nil`: the sizes cannot be measured.
    func tableSizes() async throws(StorageFault) -> [TableSize]?

    func collect(_ text: inout MetricsText)

    /// Lets waiting transactions finish, and disconnects. Later calls throw a fault.
    func close() async
}

/// The findings of a check of the database.
struct DatabaseCondition: Sendable {
    /// Faults that last.
    var faults: Set<Fault> = []
    /// Transactions refused since the start, by the fault that lasts while their number grows.
    var refused: [Fault: Int] = [:]
    /// Transactions refused since the start, for any reason.
    var allRefused = 0
    /// Data for the log, by fault.
    var details: [Fault: Logger.Metadata] = [:]
    /// Why this process must end: another one may use the same data.
    var reasonToEnd: String?
}
