internal import Locks
internal import Possession

/// The place of a server at its database: its row in `servers`, and a lock that is held while it runs, so that no second
/// server begins by mistake.
///
/// The lock ends with its connection, so it is not enough. The rows of the lanes are: they belong to the row in
/// `servers`, a new server removes those of all others, and without its lane's row no transaction is stored.
final class ServerPlace: @unchecked Sendable {
    // Sendable: `session` is locked, and only one thread at a time uses what is in it (`isBusy`).

    private enum SQL {
        /// The rows of this session need not wait for a standby: the lanes' commits do.
        static let settings =
            "SET lock_timeout = '2s'; SET statement_timeout = '5s'; SET synchronous_commit = local"
        /// The key is a number of this program.
        static let lock: StaticString = "SELECT pg_try_advisory_lock(5189011401)::text"
        static let enter: StaticString = "INSERT INTO servers (started_at_ms) VALUES ($1::bigint) RETURNING number"
        /// Waits for the transactions that these servers still have under way.
        static let removeOthers: StaticString = "DELETE FROM servers WHERE number <> $1::bigint RETURNING number"
    }

    private struct State {
        var session: PostgresSession?
        var isBusy = false
        var isLeft = false
    }

    /// In table `servers`. The next server removes the row.
    let number: Int64
    private let address: PostgresAddress
    private let state: Locked<State>

    /// - Throws: `.unavailable`: another server runs, or the database cannot be reached.
    init(at address: PostgresAddress, now: Timestamp) throws(PostgresOpeningFault) {
        let session = try ServerPlace.locked(address)
        let found = try session.rows(SQL.enter, "\(now.milliseconds)").first?.first ?? nil
        guard let found, let number = Int64(found) else { throw .refused("table servers gives no number") }
        _ = try session.rows(SQL.removeOthers, "\(number)")
        self.number = number
        self.address = address
        state = Locked(State(session: session))
    }

    /// A session that holds the lock, so that no server runs.
    static func locked(_ address: PostgresAddress) throws(PostgresOpeningFault) -> PostgresSession {
        let session = try PostgresSession(address)
        try session.run(SQL.settings, "settings")
        guard try session.rows(SQL.lock).first?.first == "true" else {
            throw .unavailable("another server uses the database")
        }
        return session
    }

    /// Takes the lock again if its connection was lost, on a thread of its own.
    func keep() {
        let isMine = state.withLock { state in
            guard !state.isBusy, !state.isLeft else { return false }
            state.isBusy = true
            return true
        }
        guard isMine else { return }
        let isStarted = BackgroundThread.start(.equal) { self.keepLock() }
        if !isStarted { state.withLock { $0.isBusy = false } }
    }

    private func keepLock() {
        let session = state.withLock { $0.session }
        let isHeld = (try? session?.rows("SELECT 1")) != nil
        let kept = isHeld ? session : try? ServerPlace.locked(address)
        state.withLock { state in
            state.session = state.isLeft ? nil : kept
            state.isBusy = false
        }
    }

    /// Call when the last transaction has ended. The lock ends with its connection.
    func leave() {
        state.withLock { state in
            state.isLeft = true
            if !state.isBusy { state.session = nil }
        }
    }
}
