internal import Engine
internal import Possession
internal import Records

/// Table `session_keys` (migration 0020): the names that sessions are found by (`SessionName`).
///
/// `is_shared` is a literal in every statement, because each index covers only shared or only unshared keys.
struct SessionKeysTable: Sendable {
    private enum SQL {
        static let find: Statement = """
            SELECT correlation_id FROM session_keys WHERE key_digest = ?1 AND kind = ?2 AND is_shared = 0
            """
        static let findNewest: Statement = """
            SELECT correlation_id FROM session_keys
              WHERE key_digest = ?1 AND kind = ?2 AND client_id = ?3 AND product = ?4 AND is_shared = 1
              ORDER BY correlation_id DESC LIMIT 1
            """
        static let findAnswered: Statement = """
            SELECT k.correlation_id FROM session_keys k CROSS JOIN replayed_replies r
              WHERE k.key_digest = ?1 AND k.kind = ?2 AND k.client_id = ?3 AND k.product = ?4 AND k.is_shared = 1
                AND r.correlation_id = k.correlation_id AND r.path = ?5 AND r.request_id = ?6
              ORDER BY k.correlation_id DESC LIMIT 1
            """
        static let findAll: Statement = """
            SELECT correlation_id FROM session_keys
              WHERE key_digest = ?1 AND kind = ?2 AND client_id = ?3 AND product = ?4 AND is_shared = 1
                AND correlation_id < ?5
              ORDER BY correlation_id DESC LIMIT ?6
            """
        /// When a send is rolled back, an older link becomes the newest again; the session already has its key.
        static let add: Statement = """
            INSERT INTO session_keys (correlation_id, kind, key_digest, is_shared, client_id, product)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6)
              ON CONFLICT (correlation_id, kind, key_digest) DO NOTHING
            """
    }

    /// The keys of one session, as they are stored.
    struct Keys: Sendable {
        fileprivate let rows: [(kind: SessionName.Kind, digest: [UInt8])]
        fileprivate let client: ClientID
        fileprivate let product: ProductName
    }

    let sealing: Sealing

    func keys(_ names: [SessionName], of session: __shared Session) -> Keys {
        Keys(
            rows: names.map { ($0.kind, digest($0)) }, client: session.clientID,
            product: session.request.policy.product)
    }

    /// - Throws: `.duplicate` if another session has an unshared key of these.
    static func add(_ keys: Keys, of id: CorrelationID, _ connection: any Connection) throws(StorageFault) {
        for key in keys.rows {
            try connection.run(SQL.add) {
                $0.identifier(id)
                $0.text(key.kind.word)
                $0.blob(key.digest)
                $0.integer(key.kind.isShared ? 1 : 0)
                $0.text(keys.client.text)
                $0.text(keys.product.text)
            }
        }
    }

    /// The name under which one transaction at a time finds a session or starts the first one.
    func lock(of key: SessionKey, in fence: SessionFence) -> LockName {
        let (client, product) = fence.owner
        return switch key {
        case .auth(let id): LockName("session", id.bytes)
        case .correlation(let id): LockName("session", id.bytes)
        case .named(let name):
            LockName(
                "session_keys", Array(name.kind.word.utf8), digest(name), Array(client.text.utf8),
                Array(product.text.utf8))
        }
    }

    /// The session that a name finds; of several, the newest. The fence is checked only for a shared name: an unshared
    /// name finds one session, and the caller checks the fence when it opens it.
    func session(
        _ name: SessionName, in fence: SessionFence, _ connection: any Connection
    ) throws(StorageFault) -> CorrelationID? {
        try connection.first(name.kind.isShared ? SQL.findNewest : SQL.find) {
            $0.blob(digest(name))
            $0.text(name.kind.word)
            if name.kind.isShared { $0.owner(fence) }
        } _: { (row) throws(StorageFault) in
            try row.identifier("session_keys.correlation_id")
        }
    }

    /// The newest session of a shared name that has kept an answer under a retry key.
    func answered(
        _ name: SessionName, in fence: SessionFence, _ retry: RetryKey, _ connection: any Connection
    ) throws(StorageFault) -> CorrelationID? {
        try connection.first(SQL.findAnswered) {
            $0.blob(digest(name))
            $0.text(name.kind.word)
            $0.owner(fence)
            $0.text(retry.path)
            $0.text(retry.requestID)
        } _: { (row) throws(StorageFault) in
            try row.identifier("session_keys.correlation_id")
        }
    }

    /// All sessions with a shared name, the newest first.
    func sessions(
        _ name: SessionName, in fence: SessionFence, before: CorrelationID, most: Int, _ connection: any Connection
    ) throws(StorageFault) -> [CorrelationID] {
        try connection.all(SQL.findAll) {
            $0.blob(digest(name))
            $0.text(name.kind.word)
            $0.owner(fence)
            $0.identifier(before)
            $0.integer(most)
        } _: { (row) throws(StorageFault) in
            try row.identifier("session_keys.correlation_id")
        }
    }

    private func digest(_ name: SessionName) -> [UInt8] {
        switch name.value {
        case .digest(let bytes): bytes
        case .target(let target): sealing.blindIndex(target)
        }
    }
}

extension Parameters {
    fileprivate mutating func owner(_ fence: SessionFence) {
        let (client, product) = fence.owner
        text(client.text)
        text(product.text)
    }
}
