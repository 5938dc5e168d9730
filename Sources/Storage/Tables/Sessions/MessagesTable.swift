internal import Locks
package import Engine
package import Possession
package import Records

/// Table `messages` (migrations 0001, 0006, 0013, 0019 and 0031): the outbox (DUR-14), and the results of its messages.
///
/// A queued message belongs to the process whose number is its `holder`. A message with another number has no owner: only
/// one process uses SQLite, and with PostgreSQL the number is that of a server which was not removed (table `servers`).
package struct MessagesTable: Outbox {
    private static let column: StaticString = "messages.message_sealed"

    private enum SQL {
        static let insert: Statement = """
            INSERT INTO messages (correlation_id, message_id, state, holder, message_sealed)
              VALUES (?1, ?2, 'queued', ?3, ?4)
            """
        static let standing: Statement = """
            SELECT message_id, state, carrier_end, gateway, channel, receipt_due_ms IS NOT NULL, refusals FROM messages
              WHERE correlation_id = ?1 AND message_id = ?2
            """
        static let standings: Statement = """
            SELECT message_id, state, carrier_end, gateway, channel, receipt_due_ms IS NOT NULL, refusals FROM messages
              WHERE correlation_id = ?1 ORDER BY message_id
            """
        static let settle: Statement = """
            UPDATE messages SET state = ?3, holder = NULL, message_sealed = NULL, refusals = ?4
              WHERE correlation_id = ?1 AND message_id = ?2 AND state = 'queued'
            """
        static let settleAll: Statement = """
            UPDATE messages SET state = ?1, holder = NULL, message_sealed = NULL WHERE state = 'queued'
            """
        static let keep: Statement = """
            UPDATE messages SET again_sealed = ?3, again_until_ms = ?4
              WHERE correlation_id = ?1 AND message_id = ?2 AND carrier_end IS DISTINCT FROM 'delivered'
                AND EXISTS (SELECT 1 FROM sessions WHERE correlation_id = ?1 AND phase <> 'done')
            """
        static let kept: Statement = """
            SELECT correlation_id, message_id, again_sealed FROM messages
              WHERE correlation_id = ?1 AND message_id = ?2 AND again_sealed IS NOT NULL
            """
        static let keptOf: Statement = """
            SELECT correlation_id, message_id, again_sealed FROM messages
              WHERE correlation_id = ?1 AND again_sealed IS NOT NULL
            """
        static let forget: Statement = """
            UPDATE messages SET again_sealed = NULL, again_until_ms = NULL
              WHERE correlation_id = ?1 AND again_until_ms IS NOT NULL
            """
        static let forgetAll: Statement = """
            UPDATE messages SET again_sealed = NULL, again_until_ms = NULL WHERE again_until_ms IS NOT NULL
            """
        static let forgetLate: Statement = """
            UPDATE messages SET again_sealed = NULL, again_until_ms = NULL WHERE (correlation_id, message_id) IN
              (SELECT correlation_id, message_id FROM messages INDEXED BY messages_again
                 WHERE again_until_ms IS NOT NULL AND again_until_ms <= ?1 ORDER BY again_until_ms LIMIT ?2)
              AND again_until_ms <= ?1
            """
        static let end: Statement = """
            UPDATE messages
              SET carrier_end = ?3, again_sealed = NULL, again_until_ms = NULL, receipt_due_ms = NULL,
                gateway = CASE state WHEN 'queued' THEN ?4 ELSE gateway END
              WHERE correlation_id = ?1 AND message_id = ?2
                AND (carrier_end IS NULL OR state = 'queued' OR carrier_end = 'delivered' AND ?3 <> 'delivered')
            """
        static let heard: Statement = """
            UPDATE messages SET receipt_due_ms = NULL WHERE correlation_id = ?1 AND message_id = ?2
            """
        static let heardAll: Statement = """
            UPDATE messages SET receipt_due_ms = NULL WHERE receipt_due_ms IS NOT NULL
            """
        static let overdue: Statement = """
            SELECT correlation_id, message_id FROM messages INDEXED BY messages_receipt_due
              WHERE receipt_due_ms IS NOT NULL AND receipt_due_ms <= ?1 ORDER BY receipt_due_ms LIMIT ?2
            """
        static let hold: Statement = """
            UPDATE messages SET holder = ?3 WHERE correlation_id = ?1 AND message_id = ?2 AND state = 'queued'
            """
        static let isAnyLeft = Statement(
            """
            SELECT 1 FROM messages WHERE state = 'queued' AND holder IS DISTINCT FROM ?1 LIMIT 1
            """,
            postgres: """
                SELECT 1 FROM messages WHERE state = 'queued' AND holder IS DISTINCT FROM ?1
                  AND NOT EXISTS (SELECT FROM servers WHERE number = holder) LIMIT 1
                """)
        static let left = Statement(
            """
            SELECT correlation_id, message_id, message_sealed FROM messages
              WHERE state = 'queued' AND holder IS DISTINCT FROM ?1 ORDER BY message_id LIMIT ?2
            """,
            postgres: """
                SELECT correlation_id, message_id, message_sealed FROM messages
                  WHERE state = 'queued' AND holder IS DISTINCT FROM ?1
                    AND NOT EXISTS (SELECT FROM servers WHERE number = holder) ORDER BY message_id LIMIT ?2
                """)
        static let queuedOf: Statement = """
            SELECT correlation_id, message_id, message_sealed FROM messages WHERE correlation_id = ?1 AND state = 'queued'
            """
    }

    private let database: Database
    private let sealing: Sealing
    private let holder: Int64
    private let notes: MessageNotes
    /// Whether this process has kept the content of a sent message. Until then, and if no other server uses the database,
    /// there is nothing to delete at once; content kept by an earlier process is deleted when its time is over.
    private let hasKept = Locked(false)

    /// - Parameter holder: a number that only this process uses.
    package init(_ database: Database, sealing: Sealing, holder: Int64) {
        self.database = database
        self.sealing = sealing
        self.holder = holder
        notes = MessageNotes(database, sealing: sealing)
    }

    // MARK: The outbox

    package func noteSent(
        _ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent]
    ) {
        if keeps { hasKept.withLock { $0 = true } }
        notes.record(.sent(acceptance, keeps ? message : nil, webhooks), of: MessageKey(message))
    }

    package func release(_ message: OutboundMessage) { notes.record(.release, of: MessageKey(message)) }

    /// Returns when the results of a message that this process has noted are recorded, or refused a second time.
    func finishNotes(of message: MessageID) async { await notes.finish(of: message) }

    package func keepsMessages() async -> Bool { await database.keepsPlace() }

    package var surelyKeepsMessages: Bool { database.surelyKeepsPlace }

    package func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages {
        let (holder, sealing) = (holder, sealing)
        let owed = notes.refused()
        if owed.isEmpty {
            // There is almost never any, and a read needs no turn of the writer.
            let isAnyLeft = try await database.read { (connection) throws(StorageFault) in
                try connection.first(SQL.isAnyLeft, { $0.integer(holder) }) { (_) throws(StorageFault) in true } != nil
            }
            guard isAnyLeft else { return QueuedMessages() }
        }
        let taken = try await database.transaction { (connection) throws(StorageFault) in
            for (key, note) in owed { try note.write(of: key, sealing, connection) }
            let rows = try connection.all(SQL.left.locking) {
                $0.integer(holder)
                $0.integer(max(0, limit))
            } _: { (row) throws(StorageFault) in
                try QueuedRow(&row)
            }
            var taken = QueuedMessages()
            for row in rows {
                try Self.hold(row.id, of: row.session, by: holder, connection)
                do throws(StorageFault) { taken.messages.append(try row.message(sealing)) } catch {
                    guard case .corrupt = error else { throw error }
                    taken.unreadable += 1
                }
            }
            return taken
        }
        notes.forgetRefused(owed.keys)
        return taken
    }

    package func standings(of session: CorrelationID) async throws(StorageFault) -> [MessageStanding] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.standings) {
                $0.identifier(session)
            } _: { (row) throws(StorageFault) in
                try MessageStanding(&row)
            }
        }
    }

    package func overdue(at now: Timestamp, limit: Int) async throws(StorageFault) -> [OverdueReceipt] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.overdue) {
                $0.time(now)
                $0.integer(limit)
            } _: { (row) throws(StorageFault) in
                OverdueReceipt(
                    session: try row.identifier("messages.correlation_id"),
                    message: try row.identifier("messages.message_id"))
            }
        }
    }

    // MARK: Parts of an update

    func add(_ message: OutboundMessage, _ connection: any Connection) throws(StorageFault) {
        let sealed = try message.sealed(with: sealing)
        try connection.run(SQL.insert) {
            $0.identifier(message.correlationID)
            $0.identifier(message.id)
            $0.integer(holder)
            $0.blob(sealed)
        }
    }

    static func standing(
        of id: MessageID, of session: CorrelationID, _ connection: any Connection
    ) throws(StorageFault) -> MessageStanding? {
        try connection.first(SQL.standing.locking) {
            $0.identifier(session)
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try MessageStanding(&row)
        }
    }

    /// Stores the end that a receipt reports. The first end stays, unless the message is still queued, or a failure
    /// follows a delivery.
    /// - Parameter gateway: the one that reported the end of a queued message.
    static func end(
        _ id: MessageID, of session: CorrelationID, as end: MessageReceipt.End, by gateway: String?,
        _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.end) {
            $0.identifier(session)
            $0.identifier(id)
            $0.text(end.rawValue)
            $0.text(gateway)
        }
    }

    /// A settled message stays unchanged.
    static func finish(
        _ id: MessageID, of session: CorrelationID, as state: OutboundMessage.State, after refusals: [GatewayRefusal],
        _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.settle) {
            $0.identifier(session)
            $0.identifier(id)
            $0.text(state.rawValue)
            $0.text(StoredRefusals.text(refusals))
        }
    }

    /// Call when the gateway has reported on a message, or the time for that is over.
    static func noteHeard(
        _ id: MessageID, of session: CorrelationID, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.heard) {
            $0.identifier(session)
            $0.identifier(id)
        }
    }

    /// A sent message with its content; `nil` if the content is not kept.
    func kept(
        _ id: MessageID, of session: CorrelationID, _ connection: any Connection
    ) throws(StorageFault) -> OutboundMessage? {
        let kept = try connection.first(SQL.kept) {
            $0.identifier(session)
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try QueuedRow(&row, "messages.again_sealed").message(sealing, as: .again)
        }
        // An earlier process may have kept it.
        if kept != nil { hasKept.withLock { $0 = true } }
        return kept
    }

    static func keep(
        _ message: OutboundMessage, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        let sealed = try message.sealed(with: sealing, as: .again)
        try connection.run(SQL.keep) {
            $0.identifier(message.correlationID)
            $0.identifier(message.id)
            $0.blob(sealed)
            $0.time(message.pending.usefulUntil)
        }
    }

    /// Deletes the content of a session's sent messages, because the person no longer waits for them.
    func forgetKept(of session: CorrelationID, _ connection: any Connection) throws(StorageFault) {
        if database.runsAlone { guard hasKept.withLock({ $0 }) else { return } }
        try connection.run(SQL.forget) { $0.identifier(session) }
    }

    /// The same for every session.
    static func forgetAllKept(_ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.forgetAll) { _ in }
    }

    /// The same for content that has expired; returns how many messages.
    static func forgetKept(upTo end: Timestamp, limit: Int, _ connection: any Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.forgetLate) {
            $0.time(end)
            $0.integer(limit)
        }
        return connection.changes
    }

    /// Stops waiting for receipts of all messages.
    static func forgetAllDue(_ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.heardAll) { _ in }
    }

    /// Settles every queued message; returns how many.
    static func finishAll(as state: OutboundMessage.State, _ connection: any Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.settleAll) { $0.text(state.rawValue) }
        return connection.changes
    }

    static func hold(
        _ id: MessageID, of session: CorrelationID, by holder: Int64?, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.hold) {
            $0.identifier(session)
            $0.identifier(id)
            $0.integer(holder)
        }
    }

    /// The numbers and addresses in a session's messages. A message that cannot be opened is skipped.
    static func targets(
        of session: CorrelationID, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> [Target] {
        let rows = try connection.all(SQL.queuedOf) {
            $0.identifier(session)
        } _: { (row) throws(StorageFault) in
            try QueuedRow(&row)
        }
        let kept = try connection.all(SQL.keptOf) {
            $0.identifier(session)
        } _: { (row) throws(StorageFault) in
            try QueuedRow(&row, "messages.again_sealed")
        }
        var targets: [Target] = []
        for (row, column) in rows.map({ ($0, OutboundMessage.Column.message) }) + kept.map({ ($0, .again) }) {
            do throws(StorageFault) { targets += try row.message(sealing, as: column).pending.targets } catch {
                guard case .corrupt = error else { throw error }
            }
        }
        return targets
    }
}

extension MessageStanding {
    /// The columns of `SQL.standing` and `SQL.standings`, in their order.
    fileprivate init(_ row: inout Row) throws(StorageFault) {
        let id: MessageID = try row.identifier("messages.message_id")
        let state: OutboundMessage.State = try row.choice("messages.state")
        let end: MessageReceipt.End? = try row.optionalChoice("messages.carrier_end")
        let gateway = try row.optionalText("messages.gateway")
        let channel: OutgoingMessage.Channel? = try row.optionalChoice("messages.channel")
        let awaits = try row.integer("messages.receipt_due_ms") != 0
        self.init(
            id: id, state: state, gateway: gateway, channel: channel, end: end, awaitsReceipt: awaits,
            refusals: try StoredRefusals.refusals(row.optionalText("messages.refusals")))
    }
}

/// A message row as it was read, with its sealed content.
private struct QueuedRow {
    let session: CorrelationID
    let id: MessageID
    private let sealed: [UInt8]

    /// The columns of `SQL.left` and similar statements, in order.
    init(_ row: inout Row, _ column: StaticString = "messages.message_sealed") throws(StorageFault) {
        session = try row.identifier("messages.correlation_id")
        id = try row.identifier("messages.message_id")
        sealed = try row.blob(column)
    }

    func message(
        _ sealing: Sealing, as column: OutboundMessage.Column = .message
    ) throws(StorageFault) -> OutboundMessage {
        try OutboundMessage(id: id, correlationID: session, sealed: sealed, with: sealing, as: column)
    }
}
