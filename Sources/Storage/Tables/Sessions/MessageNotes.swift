internal import Engine
internal import Locks
internal import Possession
internal import Records

/// A queued message, and its session.
struct MessageKey: Hashable, Sendable {
    let session: CorrelationID
    let message: MessageID

    init(_ message: OutboundMessage) {
        session = message.correlationID
        self.message = message.id
    }
}

/// A result of a message.
enum MessageNote: Sendable {
    /// With the message's content, if it is kept.
    case sent(Acceptance, OutboundMessage?, [NewWebhookEvent])
    case release
}

/// Records results of messages. The sender does not wait for the records.
struct MessageNotes: Sendable {
    /// Results that are not recorded yet.
    private struct State: Sendable {
        /// Notes that are being written, for each message.
        var open: [MessageID: OpenNotes] = [:]
        /// Notes that the database has refused.
        var refused: [MessageKey: MessageNote] = [:]

        /// Removes a refused note that a message was sent.
        mutating func takeSent(_ message: MessageID) -> (key: MessageKey, note: MessageNote)? {
            guard !refused.isEmpty, let (key, note) = refused.first(where: { $0.key.message == message }) else {
                return nil
            }
            guard case .sent = note else { return nil }
            refused[key] = nil
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
    private let state = Locked(State())

    init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Writes a result. If the database refuses it, it is written when messages are taken the next time: a message with
    /// the result `.sent` is not sent again while this process lives.
    func record(_ note: MessageNote, of key: MessageKey) {
        state.withLock { $0.open[key.message, default: OpenNotes()].count += 1 }
        database.submit { [sealing] (connection) throws(StorageFault) in
            try note.write(of: key, sealing, connection)
        } whenEnded: { [state] isDone in
            let waiters = state.withLock { state in
                if !isDone { state.refused[key] = note }
                return state.end(key.message)
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    func refused() -> [MessageKey: MessageNote] { state.withLock { $0.refused } }

    func forgetRefused(_ keys: some Sequence<MessageKey>) {
        state.withLock { state in for key in keys { state.refused[key] = nil } }
    }

    /// Returns when the results of a message are recorded, or refused a second time. An engine that runs transactions side
    /// by side could otherwise run a change that follows a note before the note.
    func finish(of message: MessageID) async {
        if !database.runsAlone { await waitForOpen(of: message) }
        guard let refused = state.withLock({ $0.takeSent(message) }) else { return }
        record(refused.note, of: refused.key)
        if !database.runsAlone { await waitForOpen(of: message) }
    }

    private func waitForOpen(of message: MessageID) async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { $0.open[message]?.waiters.append(waiter) != nil }
            if !isOpen { waiter.resume() }
        }
    }
}

extension MessageNote {
    private enum SQL {
        static let session: Statement = "SELECT phase FROM sessions WHERE correlation_id = ?1"
        static let state: Statement = "SELECT state FROM messages WHERE correlation_id = ?1 AND message_id = ?2"
        /// A receipt that came first has already settled the message, without a name.
        static let settle: Statement = """
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
    }

    /// Call it again after a refusal, until it returns.
    func write(of key: MessageKey, _ sealing: Sealing, _ connection: any Connection) throws(StorageFault) {
        switch self {
        case .release: try MessagesTable.hold(key.message, of: key.session, by: nil, connection)
        case .sent(let acceptance, let kept, let webhooks):
            // A message that is already settled, or was removed with its session, is not reported again.
            let isReported =
                if kept != nil || !webhooks.isEmpty { try isQueued(key, isKept: kept != nil, connection) } else {
                    false
                }
            try connection.run(SQL.settle) {
                $0.identifier(key.session)
                $0.identifier(key.message)
                $0.text(acceptance.gateway)
                $0.text(acceptance.id)
                $0.text(acceptance.channel?.rawValue)
                $0.text(StoredRefusals.text(acceptance.refusals))
                $0.time(acceptance.receiptDue)
            }
            guard isReported else { return }
            try WebhookEventsTable.add(webhooks, sealing: sealing, connection)
            if let kept { try MessagesTable.keep(kept, sealing, connection) }
        }
    }

    private func isQueued(
        _ key: MessageKey, isKept: Bool, _ connection: any Connection
    ) throws(StorageFault) -> Bool {
        // Before the message, as every change of the session locks them.
        if isKept {
            _ = try connection.first(SQL.session.locking) {
                $0.identifier(key.session)
            } _: { (row) throws(StorageFault) in
                try row.text("sessions.phase")
            }
        }
        let state = try connection.first(SQL.state.locking) {
            $0.identifier(key.session)
            $0.identifier(key.message)
        } _: { (row) throws(StorageFault) -> OutboundMessage.State in
            try row.choice("messages.state")
        }
        return state == .queued
    }
}
