internal import Dispatch
internal import Engine
internal import Locks
package import Possession
internal import Storage

/// A server in table `servers`. No two servers have the same.
package struct ServerID: Sendable, Equatable {
    package let number: Int64
    package let startedAt: Timestamp

    package init(number: Int64, startedAt: Timestamp) {
        self.number = number
        self.startedAt = startedAt
    }
}

/// The place of a server at its database: its row in `servers`. A thread keeps it alive, and follows what other servers
/// change.
///
/// Another server removes a row that was not kept alive. The rows of the lanes go with it, and without its lane's row no
/// transaction is stored: so a server that was paused changes nothing that another one has taken over.
final class ServerPlace: @unchecked Sendable {
    // Sendable: only the thread uses `session` and `steady` once it runs, and all other state is locked.

    private enum SQL {
        /// A heartbeat waits for a standby, as the lanes' commits do. Otherwise a former primary that was cut off would
        /// acknowledge it, while other servers have removed this one on the new primary.
        static let settings =
            "SET lock_timeout = '2s'; SET statement_timeout = '3s'; SET synchronous_commit = on"
        /// Servers share the lock. The key is a number of this program.
        static let share: StaticString = "SELECT pg_try_advisory_lock_shared(5189011401)::text"
        static let lockAlone: StaticString = "SELECT pg_try_advisory_lock(5189011401)::text"
        static let unlock: StaticString = "SELECT pg_advisory_unlock_all()::text"
        static let enter: StaticString = """
            INSERT INTO servers (started_at_ms, alive_until_ms, record_level)
              VALUES ($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint, $3::bigint)
              RETURNING number
            """
        /// Servers that run, and that write other records.
        static let countUnlike: StaticString = """
            SELECT count(*) FROM servers WHERE record_level <> $1::bigint
              AND alive_until_ms >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """
        /// Waits for the transactions that these servers still have under way.
        static let removeOthers: StaticString = "DELETE FROM servers WHERE number <> $1::bigint RETURNING number"
        static let removeFormer: StaticString = """
            DELETE FROM servers WHERE number = $1::bigint AND started_at_ms = $2::bigint RETURNING number
            """
        /// A transaction of a server that was paused would keep its locks, and no timeout ends one in the middle of an
        /// exchange.
        static let endSilent: StaticString = """
            SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                JOIN servers ON application_name = 'holdfast ' || number
              WHERE datname = current_database() AND usename = current_user AND number <> $1::bigint
                AND alive_until_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """
        static let removeSilent: StaticString = """
            DELETE FROM servers WHERE number <> $1::bigint
              AND alive_until_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint RETURNING number
            """
        static let leave: StaticString = "DELETE FROM servers WHERE number = $1::bigint RETURNING number"
        static let beat: StaticString = """
            WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms),
              alive AS (UPDATE servers SET alive_until_ms = now_ms + $2::bigint, caches_seen = NULLIF($3, '')::bigint
                FROM clock
                WHERE number = $1::bigint RETURNING number)
            SELECT now_ms, (SELECT count(*) FROM alive), (SELECT count(*) FROM servers),
                (SELECT min(caches_seen) FROM servers WHERE number <> $1::bigint),
                (SELECT count(*) FROM servers WHERE number <> $1::bigint AND alive_until_ms < now_ms), part, version
              FROM clock, cache_versions
            """
    }

    /// The answer of the database to a heartbeat.
    private struct Beat {
        /// The clock of the database, in milliseconds.
        let now: Int64
        let isAlive: Bool
        let servers: Int
        /// The least of the other servers that have caches; `nil`: there are none.
        let seenByOthers: Int64?
        /// How many of the others did not send a heartbeat in time.
        let silent: Int
        var versions: [CachedPart: Int64] = [:]
        /// The sum of all versions. It includes parts that this build does not know.
        var sum: Int64 = 0

        init?(_ rows: [[String?]]) {
            guard let first = rows.first, first.count == 7, let now = first[0].flatMap({ Int64($0) }),
                let servers = first[2].flatMap({ Int($0) }), let silent = first[4].flatMap({ Int($0) })
            else { return nil }
            self.now = now
            self.servers = servers
            self.silent = silent
            isAlive = first[1] == "1"
            seenByOthers = first[3].flatMap { Int64($0) }
            for row in rows {
                guard let name = row[5], let version = row[6].flatMap({ Int64($0) }) else { return nil }
                if let part = CachedPart(rawValue: name) { versions[part] = version }
                sum += version
            }
        }
    }

    private enum Need {
        /// A heartbeat.
        case heartbeat
        /// Until this server follows what is stored.
        case following
        /// Until all servers follow it.
        case followingAll
    }

    /// A caller that waits.
    private struct Waiter: Sendable {
        let need: Need
        let continuation: CheckedContinuation<Bool, Never>
        /// The sum of the versions at the first heartbeat that began after the call; `nil`: there was none yet.
        var sum: Int64?
        /// By `uptime`: the caller waits no longer.
        let end: UInt64
    }

    /// The tables of the caches keep the database, and so this place, too.
    private struct WeakCaches: Sendable {
        weak let caches: CacheVersions?
        init(_ caches: CacheVersions) { self.caches = caches }
    }

    private struct State: Sendable {
        var caches: WeakCaches?
        /// Sum of the versions that this server has followed; `nil`: it has no caches yet, and other servers do not wait
        /// for it.
        var seen: Int64?
        /// The least of all servers that have caches, at the last heartbeat.
        var seenByAll: Int64 = 0
        var isFollowing = false
        var waiters: [Waiter] = []
        /// By `uptime`: the beginning of the last heartbeat that found the row.
        var lastBeat: UInt64
        /// By `uptime`: since when this server has not read what others have changed; `nil`: it has read all.
        var behindSince: UInt64?
        var servers = 1
        var isLeaving = false
        var isRemoved = false
        var hasLeft = false
        var whenLeft: CheckedContinuation<Void, Never>?

        init(lastBeat: UInt64) {
            self.lastBeat = lastBeat
        }

        /// Removes the waiters that have what they need, and those that have waited too long.
        mutating func takeWaiters(at now: UInt64) -> (ready: [Waiter], late: [Waiter]) {
            let (ready, rest) = (waiters.filter(isReady), waiters.filter { !isReady($0) })
            waiters = rest.filter { now < $0.end }
            return (ready, rest.filter { now >= $0.end })
        }

        private func isReady(_ waiter: Waiter) -> Bool {
            guard let sum = waiter.sum else { return false }
            return switch waiter.need {
            case .heartbeat: true
            case .following: sum <= seen ?? .max
            case .followingAll: sum <= seenByAll
            }
        }
    }

    struct Times: Sendable {
        /// Milliseconds after its last heartbeat in which a server is not removed.
        var lifetime: Int64 = 5000
        /// Between two heartbeats. While a change waits for servers it is a tenth.
        var interval = Duration.milliseconds(500)

        /// A longer time between two heartbeats, in milliseconds of the database, says that the database or this server
        /// stood still. Others could not send theirs, so none of them is removed for a lifetime.
        fileprivate var longestGap: Int64 { lifetime / 2 }
        /// Nanoseconds in which a change waits for servers: two lifetimes.
        fileprivate var patience: UInt64 { UInt64(lifetime) * 2_000_000 }
        /// Nanoseconds after the beginning of a heartbeat in which the place is certainly kept: three fifths of a lifetime.
        /// The rest is for a thread that waits between this check and its act.
        fileprivate var certainty: UInt64 { UInt64(lifetime) * 600_000 }
    }

    /// Milliseconds without an answer after which a connection is lost. Longer than the timeouts of its statements: the
    /// wait for a standby has none.
    static let silence: Int32 = 4000

    let id: ServerID
    /// In table `servers`.
    var number: Int64 { id.number }
    let address: PostgresAddress
    private let isAlone: Bool
    let times: Times
    let uptime: @Sendable () -> UInt64
    private var session: PostgresSession?
    /// The clock of the database at the first of the heartbeats without a gap, and at the last one.
    private var steady: (since: Int64, last: Int64)?
    private let state: Locked<State>
    private let woken = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - isAlone: no other server may run.
    ///   - former: a server that has ended, and may have left its row.
    ///   - recordLevel: the level of the records that this server writes (`RecordVersions.level`).
    ///   - uptime: monotonic nanoseconds.
    /// - Throws: `.unavailable`: another server runs alone, or this one cannot be alone, or one that runs writes other
    ///   records, or the database cannot be reached.
    init(
        at address: PostgresAddress, now: Timestamp, isAlone: Bool, replacing former: ServerID? = nil,
        recordLevel: Int64, times: Times = Times(), uptime: @escaping @Sendable () -> UInt64
    ) throws(PostgresOpeningFault) {
        let session = try ServerPlace.open(address)
        try ServerPlace.lock(session, isAlone: isAlone)
        state = Locked(State(lastBeat: uptime()))
        let found =
            try session.rows(
                SQL.enter, "\(now.milliseconds)", "\(times.lifetime)", "\(recordLevel)"
            ).first?.first ?? nil
        guard let found, let number = Int64(found) else { throw .refused("table servers gives no number") }
        if isAlone { _ = try session.rows(SQL.removeOthers, "\(number)") }
        if let former {
            _ = try session.rows(SQL.removeFormer, "\(former.number)", "\(former.startedAt.milliseconds)")
        }
        // Two that enter at the same time both see each other.
        guard try session.rows(SQL.countUnlike, "\(recordLevel)").first?.first == "0" else {
            _ = try session.rows(SQL.leave, "\(number)")
            throw .unavailable("a server of another version runs, and it writes other records: stop it first")
        }
        id = ServerID(number: number, startedAt: now)
        self.address = address
        self.isAlone = isAlone
        self.times = times
        self.uptime = uptime
        self.session = session
    }

    /// A session that holds the lock, so that no server runs. Its statements may take long.
    static func locked(_ address: PostgresAddress) throws(PostgresOpeningFault) -> PostgresSession {
        let session = try open(address)
        try lock(session, isAlone: true)
        session.longestSilence = -1
        return session
    }

    private static func open(_ address: PostgresAddress) throws(PostgresOpeningFault) -> PostgresSession {
        let session = try PostgresSession(address)
        session.longestSilence = silence
        try session.run(SQL.settings, "settings")
        return session
    }

    private static func lock(_ session: PostgresSession, isAlone: Bool) throws(PostgresOpeningFault) {
        guard try session.isTrue(isAlone ? SQL.lockAlone : SQL.share) else {
            throw .unavailable(
                isAlone ? "another server uses the database" : "another process needs the database alone")
        }
    }

    /// Whether this server cannot read again what other servers have changed: it may accept what they have revoked.
    var isBehind: Bool {
        let now = uptime()
        return state.withLock { state in state.behindSince.map { now &- $0 > times.patience } ?? false }
    }

    /// Servers at the last heartbeat.
    var servers: Int { state.withLock(\.servers) }

    /// Begins the heartbeats.
    /// - Parameter whenRemoved: called once, if another server has removed this one.
    func start(whenRemoved: @escaping @Sendable () -> Void) {
        let isStarted = BackgroundThread.start(.equal) { self.run(whenRemoved) }
        // Another server then removes this one, unless it is the only one.
        if !isStarted { state.withLock { $0.hasLeft = true } }
    }

    /// Reads the caches of this server now, and again when they have changed.
    /// - Throws: `.overloaded`: they were not read in time.
    func follow(_ caches: CacheVersions) async throws(StorageFault) {
        state.withLock { state in
            state.caches = WeakCaches(caches)
            // From now on others wait for this server. No sum is below 0.
            state.seen = -1
        }
        guard await wait(for: .following, within: times.patience) else { throw .overloaded }
    }

    /// Returns when all servers have followed the changes of caches that are stored.
    /// - Throws: `.overloaded`: a server was neither heard nor removed in time. The change is stored.
    func waitForServers() async throws(StorageFault) {
        guard await wait(for: .followingAll, within: times.patience) else { throw .overloaded }
    }

    /// Whether no other server can have removed this one. If the last heartbeat is old, it waits for another one.
    func isKept() async -> Bool {
        if isCertain { return true }
        return await wait(for: .heartbeat, within: times.certainty) && isCertain
    }

    /// Whether the last heartbeat is so new that no other server can have removed this one.
    var isCertain: Bool {
        let now = uptime()
        return state.withLock { !$0.isRemoved && !$0.hasLeft && now &- $0.lastBeat < times.certainty }
    }

    /// - Parameter patience: nanoseconds.
    /// - Returns: whether it has come.
    private func wait(for need: Need, within patience: UInt64) async -> Bool {
        let end = uptime() &+ patience
        return await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard !state.isRemoved, !state.hasLeft, !state.isLeaving else { return false }
                state.waiters.append(Waiter(need: need, continuation: continuation, end: end))
                return true
            }
            if isWaiting { woken.signal() } else { continuation.resume(returning: false) }
        }
    }

    /// Removes the row soon.
    func stop() {
        state.withLock { $0.isLeaving = true }
        woken.signal()
    }

    /// Returns when the row is removed, if the database can be reached. Call when the last transaction has ended.
    func leave() async {
        await withCheckedContinuation { continuation in
            let hasLeft = state.withLock { state in
                if !state.hasLeft { state.whenLeft = continuation }
                return state.hasLeft
            }
            if hasLeft { continuation.resume() } else { stop() }
        }
    }

    // MARK: The thread

    private func run(_ whenRemoved: @Sendable () -> Void) {
        while !state.withLock({ $0.isLeaving || $0.isRemoved }) {
            do throws(PostgresOpeningFault) { try beat() } catch {
                session = nil
                steady = nil
            }
            let now = uptime()
            let (ready, late) = state.withLock { $0.takeWaiters(at: now) }
            for waiter in ready { waiter.continuation.resume(returning: true) }
            for waiter in late { waiter.continuation.resume(returning: false) }
            let isAwaited = state.withLock { !$0.waiters.isEmpty }
            let milliseconds = Int(times.interval.wholeMilliseconds)
            _ = woken.wait(timeout: .now() + .milliseconds(isAwaited ? max(1, milliseconds / 10) : milliseconds))
        }
        if state.withLock(\.isRemoved) { whenRemoved() } else { _ = try? session?.rows(SQL.leave, "\(number)") }
        // The end of a connection takes a moment to reach the database.
        _ = try? session?.rows(SQL.unlock)
        session = nil
        let (waiters, whenLeft) = state.withLock { state in
            state.hasLeft = true
            return (state.waiters, state.whenLeft.take())
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
        whenLeft?.resume()
    }

    private func beat() throws(PostgresOpeningFault) {
        let beginning = uptime()
        let (seen, known) = state.withLock { ($0.seen, $0.waiters.count) }
        let session = if let session { session } else { try reopened() }
        self.session = session
        let rows = try session.rows(SQL.beat, "\(number)", "\(times.lifetime)", seen.map { "\($0)" } ?? "")
        guard let beat = Beat(rows) else { throw .refused("table cache_versions is empty") }
        guard beat.isAlive else { return state.withLock { $0.isRemoved = true } }
        state.withLock { $0.lastBeat = beginning }
        try removeSilent(beat, session)
        let caches = state.withLock { state -> CacheVersions? in
            state.servers = beat.servers
            state.seenByAll = min(seen ?? .max, beat.seenByOthers ?? .max)
            // A waiter that came during the beat waits for the next one.
            for place in 0..<known where state.waiters[place].sum == nil { state.waiters[place].sum = beat.sum }
            state.behindSince = beat.sum == state.seen ? nil : state.behindSince ?? beginning
            guard beat.sum != state.seen, !state.isFollowing, let caches = state.caches?.caches else { return nil }
            state.isFollowing = true
            return caches
        }
        if let caches { follow(beat, caches) }
    }

    private func reopened() throws(PostgresOpeningFault) -> PostgresSession {
        let session = try ServerPlace.open(address)
        try ServerPlace.lock(session, isAlone: isAlone)
        return session
    }

    /// Removes servers that are silent, unless the silence may have been the database's.
    private func removeSilent(_ beat: Beat, _ session: PostgresSession) throws(PostgresOpeningFault) {
        let now = beat.now
        let since = if let steady, now - steady.last < times.longestGap { steady.since } else { now }
        steady = (since, now)
        guard beat.silent > 0, now - since >= times.lifetime else { return }
        _ = try session.rows(SQL.endSilent, "\(number)")
        _ = try session.rows(SQL.removeSilent, "\(number)")
    }

    private func follow(_ beat: Beat, _ caches: CacheVersions) {
        let (versions, sum) = (beat.versions, beat.sum)
        Task {
            let isFollowed: Bool
            do throws(StorageFault) {
                try await caches.follow(versions)
                isFollowed = true
            } catch { isFollowed = false }
            state.withLock { state in
                state.isFollowing = false
                if isFollowed { state.seen = sum }
            }
            if isFollowed { woken.signal() }
        }
    }
}

extension PostgresSession {
    /// Whether the only value of a query is true.
    fileprivate func isTrue(_ query: StaticString) throws(PostgresOpeningFault) -> Bool {
        try rows(query).first?.first == "true"
    }
}
