/// A message as it is stored with the change that promises it, until a carrier has it (DUR-14).
package struct OutboundMessage: Sendable, Equatable, CustomStringConvertible {
    /// Where a message stands. Only a queued one holds its number and what it carries: they are forgotten with the
    /// outcome.
    package enum State: String, Sendable, CaseIterable {
        case queued
        /// A carrier took it.
        case sent
        /// A carrier refused it, and its send was given back.
        case failed
        /// It was too late to be of use when it could be sent, and its send was given back.
        case expired
    }

    /// Grows with time. Carriers get it as idempotency key.
    package let id: MessageID
    package let correlationID: CorrelationID
    package let pending: Session.PendingMessage
    /// Retry key of the call that asked for it: its kept reply changes if the message is not sent.
    package var retry: RetryKey?
    /// Ways that had taken the same content and did not deliver it: it goes by none of them again.
    package let avoids: [AvoidedWay]

    package init(
        id: MessageID, correlationID: CorrelationID, pending: Session.PendingMessage, retry: RetryKey? = nil,
        avoids: [AvoidedWay] = []
    ) {
        self.avoids = avoids
        self.id = id
        self.correlationID = correlationID
        self.pending = pending
        self.retry = retry
    }

    package var description: String { "<message \(id.text), \(pending)>" }
}
