internal import Text

/// A way that had taken a message and did not deliver it: a gateway, and the channel that it used.
package struct AvoidedWay: Sendable, Equatable {
    package let gateway: String
    /// `nil`: every channel of the gateway. So it is where the channel was not noted.
    package let channel: OutgoingMessage.Channel?

    package init(_ gateway: String, _ channel: OutgoingMessage.Channel? = nil) {
        self.gateway = gateway
        self.channel = channel
    }

    package func covers(_ gateway: String, _ channel: OutgoingMessage.Channel) -> Bool {
        self.gateway.isSame(as: gateway) && (self.channel ?? channel) == channel
    }

    package static func == (one: AvoidedWay, other: AvoidedWay) -> Bool {
        one.gateway.isSame(as: other.gateway) && one.channel == other.channel
    }
}

extension OutgoingMessage {
    /// Whether this gateway had the same content on this channel and did not deliver it.
    package func avoids(_ gateway: String, on channel: Channel) -> Bool {
        avoids.contains { $0.covers(gateway, channel) }
    }
}
