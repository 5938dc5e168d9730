/// A gateway that did not take a message, and why.
package struct GatewayRefusal: Sendable, Equatable {
    /// Its configured name; `nil`: no gateway was asked.
    package let gateway: String?
    package let channel: OutgoingMessage.Channel?
    /// `circuit_open` and `full`: the gateway was skipped. Otherwise the kind of its fault.
    package let outcome: String
    /// The carrier's own code.
    package let code: String?
    /// As in the log. It has no number and no content of the message.
    package let reason: String

    package init(
        gateway: String? = nil, channel: OutgoingMessage.Channel? = nil, outcome: String, code: String? = nil,
        reason: String
    ) {
        self.gateway = gateway
        self.channel = channel
        self.outcome = outcome
        self.code = code
        self.reason = reason
    }
}
