/// The messages that are stored and not yet with a carrier.
///
/// A message gets in by a change of its session (`SessionChange.message`), and is then in the hands of whoever made the
/// change. It is settled once: by `noteSent`, or by a change that gives its send back (`SessionChange.messageState`).
/// Messages that a process was sending when it ended are free to be taken again.
package protocol Outbox: Sendable {
    /// Notes that a carrier has taken a message, which one, and on which channel. Returns at once, and the note is durable a little later:
    /// a process that ends before leaves the message queued, and it goes out again under the same idempotency key.
    ///
    /// A failure that the same gateway has told already makes the message overdue at once; one of another gateway is
    /// forgotten.
    /// - Parameters:
    ///   - keeps: what it holds is kept, until its carrier says how it ended, the session is over or sends another one, or
    ///     its code or link expires.
    ///   - webhooks: what the tenant's endpoints are told of it.
    func noteSent(_ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent])

    /// Puts a message back that the caller has in hand and cannot settle. Returns at once.
    func release(_ message: OutboundMessage)

    /// Takes messages that no task is sending, oldest first, at most `limit`. No message is taken twice before it
    /// is released. One that cannot be read is counted, and stays as it is.
    func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages

    /// Outcomes of the messages of a session, oldest first.
    func standings(of session: CorrelationID) async throws(StorageFault) -> [MessageStanding]

    /// Messages of which no receipt has come in their gateway's time, and those that failed before they were noted as sent, the
    /// longest due first, at most `limit`.
    func overdue(at now: Timestamp, limit: Int) async throws(StorageFault) -> [OverdueReceipt]
}

/// A message that a gateway took and has said nothing of in its time (`Acceptance.receiptDue`).
package struct OverdueReceipt: Sendable, Equatable {
    package let session: CorrelationID
    package let message: MessageID

    package init(session: CorrelationID, message: MessageID) {
        self.session = session
        self.message = message
    }
}

/// Where a message stands. It holds nothing of what the message says, nor to whom.
package struct MessageStanding: Sendable, Equatable {
    package let id: MessageID
    package let state: OutboundMessage.State
    /// The gateway that took it, where gateways have names.
    package let gateway: String?
    /// The channel that it took, where the gateway named it.
    package let channel: OutgoingMessage.Channel?
    /// How its carrier says that it ended.
    package let end: MessageReceipt.End?
    /// Its gateway has a time for the first receipt, and none has come.
    package let awaitsReceipt: Bool
    /// Gateways that did not take it, in order.
    package let refusals: [GatewayRefusal]

    package init(
        id: MessageID, state: OutboundMessage.State, gateway: String? = nil,
        channel: OutgoingMessage.Channel? = nil, end: MessageReceipt.End? = nil, awaitsReceipt: Bool = false,
        refusals: [GatewayRefusal] = []
    ) {
        self.id = id
        self.state = state
        self.gateway = gateway
        self.channel = channel
        self.end = end
        self.awaitsReceipt = awaitsReceipt
        self.refusals = refusals
    }
}

extension Outbox {
    package func noteSent(_ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool = false) {
        noteSent(message, acceptance, keeps: keeps, webhooks: [])
    }
}

package struct QueuedMessages: Sendable, Equatable {
    package var messages: [OutboundMessage] = []
    /// Damaged ones among them.
    package var unreadable = 0

    package init() {}

    package var isEmpty: Bool { messages.isEmpty && unreadable == 0 }
}
