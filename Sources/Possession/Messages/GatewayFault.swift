/// The carrier did not take the message.
package struct GatewayFault: Error, Sendable, Equatable {
    /// Kind of failure, by the action that it requires.
    package enum Kind: String, Sendable, CaseIterable {
        /// The gateway failed, not the message: use another gateway now, this one later.
        case busy
        /// The request was sent, and no response came. The message may have been delivered.
        case unsure
        /// This gateway does not serve this number or sender: use another gateway.
        case route
        /// No gateway reaches this number on this channel, or this address.
        case number
        /// The recipient has opted out.
        case refused
        /// Credentials, balance or quota: the operator must act, and another gateway must be used meanwhile.
        case account
        /// The request was malformed: our fault.
        case ours
    }

    package let kind: Kind
    /// For the log. It has no number and no content of the message.
    package let reason: String
    /// The carrier's own code, if it is safe for a log.
    package let code: String?
    /// How long the gateway asks to be left alone.
    package let retryAfter: Duration?
    /// Gateways that were asked, in order. The last refusal is this fault.
    package var refusals: [GatewayRefusal] = []
    /// The message was not tried again, because another server may have taken it. It has not failed.
    package private(set) var isGivenUp = false

    /// The fault of a message whose `OutgoingMessage.isKept` has become false.
    package static let givenUp: GatewayFault = {
        var fault = GatewayFault("another server may have taken the message", kind: .busy)
        fault.isGivenUp = true
        return fault
    }()

    package init(_ reason: String, kind: Kind = .route, code: String? = nil, retryAfter: Duration? = nil) {
        self.kind = kind
        self.reason = reason
        self.code = code
        self.retryAfter = retryAfter
    }
}
