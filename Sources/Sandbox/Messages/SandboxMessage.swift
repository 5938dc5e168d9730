package import Possession

/// A "sent" message of the sandbox: kept in memory and shown to the developer. Codes are shown only here (contract
/// section 8).
package struct SandboxMessage: Sendable, Equatable {
    /// Grows with every message; `after` refers to it.
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

/// The messages of the sandbox, newest last. An implementation reports when a message was sent, so that a long poll can
/// wait.
package protocol SandboxInbox: Sendable {
    /// The messages to a number or an address (`nil`: to all), newer than the message `id` (all if it is `nil` or
    /// unknown).
    func messages(to: Target?, after id: String?) -> [SandboxMessage]
    /// Removes the messages to a number or an address, arrived or not: those of the named sessions, or all if `nil`.
    /// Returns how many.
    func forget(_ target: Target, of sessions: Set<CorrelationID>?) -> Int
    /// How long until the next message arrives, by the sandbox clock; `nil`: none is pending. Read it before the
    /// messages; otherwise a message that arrives in between is missed.
    var untilNextArrival: Duration? { get }
}

/// For an inbox whose messages arrive at once.
extension SandboxInbox {
    package var untilNextArrival: Duration? { nil }
}

/// The sandbox's current time: the system clock plus an offset that only grows, except by `reset`.
package protocol SandboxClock: Sendable {
    /// Seconds ahead of the system clock.
    var offsetSeconds: Int64 { get }
    func now() -> Timestamp
    /// Returns `false`, and changes nothing, when `seconds` is negative or the offset would leave its range.
    func advance(seconds: Int64) -> Bool
    func reset()
}
