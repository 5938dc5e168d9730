/// A message, stored with the change that causes it until a carrier has it (DUR-14).
package struct OutboundMessage: Sendable, Equatable, CustomStringConvertible {
    /// State of a message. Only a queued one has its number and content: they are deleted when the result is known.
    package enum State: String, Sendable, CaseIterable {
        case queued
        /// A carrier took it.
        case sent
        /// A carrier refused it, and it was taken back.
        case failed
        /// It expired before it could be sent, and was taken back.
        case expired
    }

    /// Grows with time. Carriers get it as idempotency key.
    package let id: MessageID
    package let correlationID: CorrelationID
    package let pending: Session.PendingMessage
    /// Retry key of the call that requested it: the stored reply changes if the message is not sent.
    package var retry: RetryKey?
    /// Routes that took the same content and did not deliver it. The message uses none of them.
    package let avoids: [ExcludedRoute]

    package init(
        id: MessageID, correlationID: CorrelationID, pending: Session.PendingMessage, retry: RetryKey? = nil,
        avoids: [ExcludedRoute] = []
    ) {
        self.avoids = avoids
        self.id = id
        self.correlationID = correlationID
        self.pending = pending
        self.retry = retry
    }

    package var description: String { "<message \(id.text), \(pending)>" }
}
