package import Engine
package import Possession

/// The outbox of an `InMemoryStore`, as one process has it.
package struct InMemoryOutbox: Outbox {
    /// The process that makes the changes of the store.
    static let firstHolder = 0

    private let store: InMemoryStore
    private let holder: Int

    /// - Parameter holder: the number of the process; the store's own is 0.
    package init(_ store: InMemoryStore, holder: Int = 0) {
        self.store = store
        self.holder = holder
    }

    package func noteSent(
        _ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent]
    ) {
        let isChanged = change(message) {
            if $0.end != .delivered, $0.acceptance?.gateway != acceptance.gateway { $0.end = nil }
            $0.state = .sent
            $0.isKept = keeps
            $0.acceptance = acceptance
            $0.refusals = acceptance.refusals
            switch $0.end {
            case nil: $0.receiptDue = acceptance.receiptDue
            case .delivered: $0.receiptDue = nil
            case .undelivered, .expired: $0.receiptDue = Timestamp(milliseconds: 0)
            }
        }
        if isChanged { store.withWebhooks { $0.add(webhooks) } }
    }

    package func release(_ message: OutboundMessage) {
        _ = change(message) { $0.holder = nil }
    }

    package func keepsMessages() async -> Bool { true }

    package var surelyKeepsMessages: Bool { true }

    /// Changes a message that is queued, even when the store is told to fail.
    private func change(
        _ message: OutboundMessage, _ body: @Sendable (inout InMemoryStore.StoredMessage) -> Void
    ) -> Bool {
        store.withMessages { messages in
            guard var stored = messages[message.id], stored.state == .queued else { return false }
            body(&stored)
            messages[message.id] = stored
            return true
        }
    }

    package func standings(of session: CorrelationID) async throws(StorageFault) -> [MessageStanding] {
        try store.withContent { content in
            content.messages.values.filter { $0.message.correlationID == session }.map {
                MessageStanding(
                    id: $0.message.id, state: $0.state, gateway: $0.acceptance?.gateway,
                    channel: $0.acceptance?.channel, end: $0.end, awaitsReceipt: $0.receiptDue != nil,
                    refusals: $0.refusals)
            }.sorted { $0.id < $1.id }
        }
    }

    package func overdue(at now: Timestamp, limit: Int) async throws(StorageFault) -> [OverdueReceipt] {
        try store.withContent { content in
            let late = content.messages.values.compactMap { stored in
                stored.receiptDue.map { (stored.message, due: $0) }
            }.filter { $0.due <= now }
            return late.sorted { $0.due < $1.due }.prefix(limit).map {
                OverdueReceipt(session: $0.0.correlationID, message: $0.0.id)
            }
        }
    }

    package func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages {
        try store.withContent { content in
            let left = content.messages.values.filter { $0.state == .queued && $0.holder != holder }
            var taken = QueuedMessages()
            taken.messages = Array(left.map(\.message).sorted { $0.id < $1.id }.prefix(limit))
            for message in taken.messages { content.messages[message.id]?.holder = holder }
            return taken
        }
    }
}

extension InMemoryStore {
    /// Where a message stands.
    package func state(of id: MessageID) -> OutboundMessage.State? {
        withMessages { $0[id]?.state }
    }
}
