package import Possession

/// Messages that are stored and not yet with a carrier.
///
/// A change of a session adds a message (`SessionChange.message`), and the task that made the change then handles it.
/// Its result is recorded once: by `noteSent`, or by a change that takes it back (`SessionChange.messageState`).
/// Messages that a process was sending when it ended can be taken again.
package protocol Outbox: Sendable {
    /// Records that a carrier has taken a message, which carrier, and on which channel. Returns at once; the record is
    /// durable a little later. A change that names the message (`ChangeInputs.message`) waits for it. If the process ends
    /// before that, the message stays queued and is sent again under the same idempotency key.
    ///
    /// If the same gateway has already reported a failure, the message is overdue at once. A failure of another gateway
    /// is dropped.
    /// - Parameters:
    ///   - keeps: whether its content is kept until its carrier reports its end, the session ends or sends another
    ///     message, or
    ///     its code or link expires.
    ///   - webhooks: events about it for the tenant's endpoints.
    func noteSent(_ message: OutboundMessage, _ acceptance: Acceptance, keeps: Bool, webhooks: [NewWebhookEvent])

    /// Returns a message that the caller has taken but cannot finish, so that it can be taken again. Returns at once.
    func release(_ message: OutboundMessage)

    /// Whether no other process can have taken this process's messages. Ask before a message goes to a carrier: a process
    /// that was paused may have lost them.
    func keepsMessages() async -> Bool

    /// The same from memory: also false if it is not known without waiting. Ask before a message goes to a carrier a
    /// second time.
    var surelyKeepsMessages: Bool { get }

    /// Takes messages that no task is sending, oldest first, at most `limit`. A message is taken again only after it
    /// was released. A message that cannot be read is counted and not changed.
    func takeQueued(limit: Int) async throws(StorageFault) -> QueuedMessages

    /// States of a session's messages, oldest first.
    func standings(of session: CorrelationID) async throws(StorageFault) -> [MessageStanding]

    /// Messages without a receipt in their gateway's time, and messages that failed before they were recorded as sent.
    /// The longest overdue first, at most `limit`.
    func overdue(at now: Timestamp, limit: Int) async throws(StorageFault) -> [OverdueReceipt]
}

/// A message that a gateway took without a receipt in its time (`Acceptance.receiptDue`).
package struct OverdueReceipt: Sendable, Equatable {
    package let session: CorrelationID
    package let message: MessageID

    package init(session: CorrelationID, message: MessageID) {
        self.session = session
        self.message = message
    }
}

/// State of a message, without its content and recipient.
package struct MessageStanding: Sendable, Equatable {
    package let id: MessageID
    package let state: OutboundMessage.State
    /// The gateway that took it, if gateways have names.
    package let gateway: String?
    /// Its channel, if the gateway named it.
    package let channel: OutgoingMessage.Channel?
    /// The end that its carrier reported.
    package let end: MessageReceipt.End?
    /// Its gateway has a deadline for the first receipt, and none has come.
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
    /// How many of them are damaged.
    package var unreadable = 0

    package init() {}

    package var isEmpty: Bool { messages.isEmpty && unreadable == 0 }
}
