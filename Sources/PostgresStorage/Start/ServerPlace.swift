internal import Locks
internal import Possession

/// The place of a server at its database: its row in `servers`, and a lock that is held while it runs, so that no second
/// server begins by mistake.
///
/// The lock ends with its connection, so it alone keeps nobody out for sure. The rows of the lanes do: they belong to
/// the row in `servers`, a new server removes those of all others, and without its lane's row no transaction is stored.
final class ServerPlace: @unchecked Sendable {
    // Sendable: `session` is locked.

    private enum SQL {
        /// The key is a number of this program.
        static let lock: StaticString = "SELECT pg_try_advisory_lock(5189011401)::text"
        static let enter: StaticString = "INSERT INTO servers (started_at_ms) VALUES ($1::bigint) RETURNING number"
        /// Waits for the transactions that these servers still have under way.
        static let removeOthers: StaticString = "DELETE FROM servers WHERE number <> $1::bigint RETURNING number"
        static let remove: StaticString = "DELETE FROM servers WHERE number = $1::bigint RETURNING number"
    }

    /// In table `servers`.
    let number: Int64
    private let session: Locked<PostgresSession?>

    /// - Throws: `.unavailable`: another server runs, or the database cannot be reached.
    init(at address: PostgresAddress, now: Timestamp) throws(PostgresOpeningFault) {
        let session = try PostgresSession(address)
        guard try session.rows(SQL.lock).first?.first == "true" else {
            throw .unavailable("another server uses the database")
        }
        let found = try session.rows(SQL.enter, "\(now.milliseconds)").first?.first ?? nil
        guard let found, let number = Int64(found) else { throw .refused("table servers gives no number") }
        _ = try session.rows(SQL.removeOthers, "\(number)")
        self.number = number
        self.session = Locked(session)
    }

    /// Call when the last transaction has ended.
    func leave() {
        session.withLock { session in
            _ = try? session?.rows(SQL.remove, "\(number)")
            session = nil
        }
    }
}
