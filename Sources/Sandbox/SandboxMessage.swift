package import Possession

/// A message the sandbox "sent": kept in memory, shown to the developer, and the one place that shows codes (contract
/// section 8).
package struct SandboxMessage: Sendable, Equatable {
    /// Grows with every message; what `after` names.
    package let id: String
    package let to: Target
    package let channel: OutgoingMessage.Channel
    /// The subject of an e-mail.
    package let subject: String?
    package let text: String
    package let code: String?
    package let link: String?
    package let correlationID: CorrelationID
    package let sentAt: Timestamp

    package init(
        id: String, to target: Target, channel: OutgoingMessage.Channel, subject: String? = nil, text: String,
        code: String? = nil, link: String? = nil, correlationID: CorrelationID, sentAt: Timestamp
    ) {
        self.id = id
        to = target
        self.channel = channel
        self.subject = subject
        self.text = text
        self.code = code
        self.link = link
        self.correlationID = correlationID
        self.sentAt = sentAt
    }
}

/// The messages of the sandbox, newest last. Whoever implements it says when one was sent, so that a long poll can
/// wait.
package protocol SandboxInbox: Sendable {
    /// The messages to a number or an address (all without), newer than the message `id` (all without, or when it is
    /// not known any more).
    func messages(to: Target?, after id: String?) -> [SandboxMessage]
    /// Removes the messages to a number or an address, arrived or on their way: those of the named sessions, or,
    /// without any named, all. How many.
    func forget(_ target: Target, of sessions: Set<CorrelationID>?) -> Int
    /// How long until the next message that is on its way arrives, by the sandbox clock; `nil`: none is. Ask before the
    /// messages, else one that arrives in between is missed.
    var untilNextArrival: Duration? { get }
}

/// For an inbox that messages reach at once.
extension SandboxInbox {
    package var untilNextArrival: Duration? { nil }
}

/// The sandbox's notion of now: the system clock and an offset that only grows, except by `reset`.
package protocol SandboxClock: Sendable {
    /// Seconds ahead of the system clock.
    var offsetSeconds: Int64 { get }
    func now() -> Timestamp
    /// `false`, and nothing changes, when `seconds` is negative or the offset would leave its range.
    func advance(seconds: Int64) -> Bool
    func reset()
}
