/// A message to a phone: what a carrier is handed.
package struct OutgoingMessage: Sendable, CustomStringConvertible {
    package enum Channel: String, Sendable { case sms }

    /// The idempotency key: a message may be handed over again after a crash, and a carrier that knows its id does not
    /// send it twice.
    package let id: MessageID
    package let to: PhoneNumber
    package let channel: Channel
    package let text: String
    /// Beside the text that carries it anyway, for carriers that take it apart.
    package let code: OTP?
    /// The instant link's URL, likewise. Whoever has it decides.
    package let link: String?
    /// The end of `link`.
    package let linkToken: String?
    package let correlationID: CorrelationID
    package let sentAt: Timestamp

    package init(
        id: MessageID, to: PhoneNumber, channel: Channel, text: String, code: OTP?, link: String? = nil,
        linkToken: String? = nil,
        correlationID: CorrelationID, sentAt: Timestamp
    ) {
        self.id = id
        self.to = to
        self.channel = channel
        self.text = text
        self.code = code
        self.link = link
        self.linkToken = linkToken
        self.correlationID = correlationID
        self.sentAt = sentAt
    }

    /// Without text, code and link.
    package var description: String { "<message to \(to)>" }
}

/// The carrier did not take the message.
package struct GatewayFault: Error, Sendable {
    package let reason: String
    package init(_ reason: String) { self.reason = reason }
}

/// Hands messages to a carrier; returns once it has taken them.
package protocol MessageGateway: Sendable {
    func send(_ message: OutgoingMessage) async throws(GatewayFault)
}
