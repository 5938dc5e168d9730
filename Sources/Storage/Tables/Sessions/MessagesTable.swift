internal import Locks
package import Engine
package import Possession
package import Records

/// Table `messages` (migrations 0001, 0006, 0013, 0019 and 0031): the outbox (DUR-14), and the results of its messages.
///
/// A queued message belongs to the process whose number is its `holder`. Only one process uses the database, so a
/// message with another number has no owner.
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
        static let session: Statement = "SELECT phase FROM sessions WHERE correlation_id = ?1"
        static let settle: Statement = """
            UPDATE messages SET state = ?3, holder = NULL, message_sealed = NULL, refusals = ?4
              WHERE correlation_id = ?1 AND message_id = ?2 AND state = 'queued'
            """
        static let settleSent: Statement = """
            UPDATE messages
              SET state = 'sent', holder = NULL, message_sealed = NULL, gateway = ?3, carrier_message_id = ?4, channel = ?5,
                refusals = ?6,
                carrier_end = CASE WHEN carrier_end = 'delivered' OR gateway IS NOT DISTINCT FROM ?3
                  THEN carrier_end END,
                receipt_due_ms = CASE WHEN carrier_end = 'delivered' THEN NULL
                  WHEN carrier_end IS NOT NULL AND gateway IS NOT DISTINCT FROM ?3 THEN 0 ELSE ?7 END
              WHERE correlation_id = ?1 AND message_id = ?2 AND state = 'queued'
            """
        /// A receipt that came first has already settled the message, without a name.
        static let settleOrName: Statement = """
            UPDATE messages
              SET state = CASE state WHEN 'queued' THEN 'sent' ELSE state END, holder = NULL, message_sealed = NULL,
                gateway = ?3, carrier_message_id = ?4, channel = ?5, refusals = ?6,
                carrier_end = CASE
                  WHEN state <> 'queued' OR carrier_end = 'delivered' OR gateway IS NOT DISTINCT FROM ?3
                  THEN carrier_end END,
                receipt_due_ms = CASE WHEN state <> 'queued' THEN receipt_due_ms WHEN carrier_end = 'delivered' THEN NULL
                  WHEN carrier_end IS NOT NULL AND gateway IS NOT DISTINCT FROM ?3 THEN 0 ELSE ?7 END
              WHERE correlation_id = ?1 AND message_id = ?2 AND (state = 'queued' OR ?3 IS NOT NULL OR ?5 IS NOT NULL)
            """
        static let settleAll: Statement = """
            UPDATE messages SET state = ?1, holder = NULL, message_sealed = NULL WHERE state = 'queued'
            """
        static let name: Statement = """
            UPDATE messages SET gateway = ?3, carrier_message_id = ?4, channel = ?5, refusals = ?6
              WHERE correlation_id = ?1 AND message_id = ?2
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
        static let isAnyLeft: Statement = """
            SELECT 1 FROM messages WHERE state = 'queued' AND holder IS DISTINCT FROM ?1 LIMIT 1
            """
        static let left: Statement = """
            SELECT correlation_id, message_id, message_sealed FROM messages
              WHERE state = 'queued' AND holder IS DISTINCT FROM ?1 ORDER BY message_id LIMIT ?2
            """
        static let queuedOf: Statement = """
            SELECT correlation_id, message_id, message_sealed FROM messages WHERE correlation_id = ?1 AND state = 'queued'
            """
    }

    /// A result of a message.
    private enum Note: Sendable {
        /// With the message's content, if it is kept.
        case sent(Acceptance, OutboundMessage?, [NewWebhookEvent])
        case release
    }

    /// Results that are not recorded yet.
    private struct Notes: Sendable {
        /// Notes that are being written, for each message.
        var open: [MessageID: OpenNotes] = [:]
        /// Notes that the database has refused.
        var owed: [MessageKey: Note] = [:]

        /// Removes a refused note that a message was sent.
        mutating func takeSent(_ message: MessageID) -> (key: MessageKey, note: Note)? {
            guard !owed.isEmpty, let (key, note) = owed.first(where: { $0.key.message == message }) else { return nil }
            guard case .sent = note else { return nil }
            owed[key] = nil
            return (key, note)
        }

        /// - Returns: the waiters, if it was the last note of the message.
        mutating func end(_ message: MessageID) -> [CheckedContinuation<Void, Never>] {
            open[message]?.count -= 1
            guard let notes = open[message], notes.count == 0 else { return [] }
            open[message] = nil
            return notes.waiters
        }
    }

    private struct OpenNotes: Sendable {
        var count = 0
        /// Changes that wait for the last one.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let database: Database
    private let sealing: Sealing
    private let holder: Int64
    private let notes = Locked(Notes())
    /// Whether this process has kept the content of a sent message. Until then there is nothing to delete at once;
    /// content kept by an earlier process is deleted when its time is over.
    private let hasKept = Locked(false)

    private struct MessageKey: Hashable, Sendable {
        let session: CorrelationID
        let message: MessageID

        init(_ message: OutboundMessage) {
            session = message.correlationID
            self.message = message.id
        }
    }

    /// - Parameter holder: a number that only this process uses.
    package init(_ database: Database, sealing: Sealing, holder: Int64) {
        self.database = database
        self.sealing = sealing
        self.holder = holder
    }

    // MARK: The outbox

    package func noteSent(
        _ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent]
    ) {
        if keeps { hasKept.withLock { $0 = true } }
        write(.sent(acceptance, keeps ? message : nil, webhooks), MessageKey(message))
    }

    package func release(_ message: OutboundMessage) { write(.release, MessageKey(message)) }

    /// Writes a result. If the database refuses it, it is written when messages are taken the next time: a message with
    /// the result `.sent` is not sent again while this process lives.
    private func write(_ note: Note, _ key: MessageKey) {
        notes.withLock { $0.open[key.message, default: OpenNotes()].count += 1 }
        database.submit { [sealing] (connection) throws(StorageFault) in
            try Self.write(note, key, sealing, connection)
        } whenEnded: { [notes] isDone in
            let waiters = notes.withLock { notes in
                if !isDone { notes.owed[key] = note }
                return notes.end(key.message)
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Returns when the results of a message that this process has noted are recorded, or refused a second time. An engine
    /// that runs transactions side by side could otherwise run a change that follows a note before the note.
    func finishNotes(of message: MessageID) async {
        if !database.runsAlone { await waitForNotes(of: message) }
        guard let refused = notes.withLock({ $0.takeSent(message) }) else { return }
        write(refused.note, refused.key)
        if !database.runsAlone { await waitForNotes(of: message) }
    }

    private func waitForNotes(of message: MessageID) async {
        await withCheckedContinuation { waiter in
            let isOpen = notes.withLock { $0.open[message]?.waiters.append(waiter) != nil }
            if !isOpen { waiter.resume() }
        }
    }

    private static func write(
        _ note: Note, _ key: MessageKey, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        switch note {
        case .sent(let acceptance, nil, let webhooks) where webhooks.isEmpty:
            try connection.run(SQL.settleOrName) {
                Self.bind(key, acceptance, &$0)
                $0.time(acceptance.receiptDue)
            }
        case .sent(let acceptance, let kept, let webhooks):
            // Before the message, as every change of the session locks them.
            if kept != nil {
                _ = try connection.first(SQL.session.locking) {
                    $0.identifier(key.session)
                } _: { (row) throws(StorageFault) in
                    try row.text("sessions.phase")
                }
            }
            try connection.run(SQL.settleSent) {
                Self.bind(key, acceptance, &$0)
                $0.time(acceptance.receiptDue)
            }
            // A message that is already settled, or was removed with its session, is not reported again.
            guard connection.changes == 1 else {
                // A receipt that came first has already settled it, without a name.
                guard acceptance.gateway != nil || acceptance.channel != nil else { return }
                return try connection.run(SQL.name) { Self.bind(key, acceptance, &$0) }
            }
            try WebhookEventsTable.add(webhooks, sealing: sealing, connection)
            if let kept { try keep(kept, sealing, connection) }
        case .release: try hold(key.message, of: key.session, by: nil, connection)
        }
    }

    /// The carrier's name for the message, and the gateways that refused it.
    private static func bind(_ key: MessageKey, _ acceptance: Acceptance, _ parameters: inout Parameters) {
        parameters.identifier(key.session)
        parameters.identifier(key.message)
        parameters.text(acceptance.gateway)
        parameters.text(acceptance.id)
        parameters.text(acceptance.channel?.rawValue)
        parameters.text(StoredRefusals.text(acceptance.refusals))
    }

    package func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages {
        let (holder, sealing) = (holder, sealing)
        let owed = notes.withLock { $0.owed }
        if owed.isEmpty {
            // There is almost never any, and a read needs no turn of the writer.
            let isAnyLeft = try await database.read { (connection) throws(StorageFault) in
                try connection.first(SQL.isAnyLeft, { $0.integer(holder) }) { (_) throws(StorageFault) in true } != nil
            }
            guard isAnyLeft else { return QueuedMessages() }
        }
        let taken = try await database.transaction { (connection) throws(StorageFault) in
            for (key, note) in owed { try Self.write(note, key, sealing, connection) }
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
        notes.withLock { left in for key in owed.keys { left.owed[key] = nil } }
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

    private static func keep(
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
        guard hasKept.withLock({ $0 }) else { return }
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

    private static func hold(
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
