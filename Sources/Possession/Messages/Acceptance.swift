/// The carrier took a message.
package struct Acceptance: Sendable, Equatable {
    package static let maxIDBytes = 128

    /// The configured name of the gateway; `nil` if there is only one.
    package let gateway: String?
    /// The carrier's id of the message: 1 to 128 visible ASCII characters.
    package let id: String?
    package let channel: OutgoingMessage.Channel?
    /// The gateway did not respond, so it may have the message or not. The message is not given to another gateway, so
    /// that the person does not get it twice.
    package let isUnsure: Bool
    /// The gateway will report the end of the message, and another gateway could then send it.
    package let hasNextRoute: Bool
    /// When a first receipt from the gateway is due; `nil`: the gateway has no deadline.
    package let receiptDue: Timestamp?
    /// Gateways that were asked before and refused, in order.
    package var refusals: [GatewayRefusal] = []

    package init(
        gateway: String? = nil, id: String? = nil, channel: OutgoingMessage.Channel? = nil, isUnsure: Bool = false,
        hasNextRoute: Bool = false, receiptDue: Timestamp? = nil
    ) {
        self.gateway = gateway
        let isFit = id.map { id in
            (1...Self.maxIDBytes).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        self.id = isFit == true ? id : nil
        self.channel = channel
        self.isUnsure = isUnsure
        self.hasNextRoute = hasNextRoute
        self.receiptDue = receiptDue
    }
}
