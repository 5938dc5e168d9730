internal import Text

/// A way that had taken a message and did not deliver it: a gateway, and the channel that it used.
package struct AvoidedWay: Sendable, Equatable {
    /// `nil`: every gateway of the channel.
    package let gateway: String?
    /// `nil`: every channel of the gateway. So it is where the channel was not noted.
    package let channel: OutgoingMessage.Channel?

    package init(_ gateway: String, _ channel: OutgoingMessage.Channel? = nil) {
        self.gateway = gateway
        self.channel = channel
    }

    /// Every gateway of a channel: nobody said what became of a message that took it.
    package init(every channel: OutgoingMessage.Channel) {
        gateway = nil
        self.channel = channel
    }

    package func covers(_ gateway: String, _ channel: OutgoingMessage.Channel) -> Bool {
        (self.gateway?.isSame(as: gateway) ?? true) && (self.channel ?? channel) == channel
    }

    package static func == (one: AvoidedWay, other: AvoidedWay) -> Bool {
        guard one.channel == other.channel else { return false }
        guard let gateway = one.gateway, let another = other.gateway else { return one.gateway == other.gateway }
        return gateway.isSame(as: another)
    }
}

extension OutgoingMessage {
    /// Whether this gateway had the same content on this channel and did not deliver it.
    package func avoids(_ gateway: String, on channel: Channel) -> Bool {
        avoids.contains { $0.covers(gateway, channel) }
    }
}
