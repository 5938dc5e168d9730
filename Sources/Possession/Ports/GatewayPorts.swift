/// A message to a phone: what a carrier, or the sandbox inbox, is handed.
package struct OutgoingMessage: Sendable, CustomStringConvertible {
    package enum Channel: String, Sendable { case sms }

    package let to: PhoneNumber
    package let channel: Channel
    package let text: String
    /// For the sandbox inbox alone, beside the text that carries it anyway.
    package let code: OTP?
    /// The instant link's URL, for the sandbox inbox alone as well: it lets whoever has it decide.
    package let link: String?
    package let correlationID: CorrelationID
    package let sentAt: Timestamp

    package init(
        to: PhoneNumber, channel: Channel, text: String, code: OTP?, link: String? = nil,
        correlationID: CorrelationID, sentAt: Timestamp
    ) {
        self.to = to
        self.channel = channel
        self.text = text
        self.code = code
        self.link = link
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
