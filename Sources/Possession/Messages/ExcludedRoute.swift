internal import Text

/// A gateway and channel that took a message and did not deliver it.
package struct ExcludedRoute: Sendable, Equatable {
    /// `nil`: every gateway of the channel.
    package let gateway: String?
    /// `nil`: every channel of the gateway, because the channel was not recorded.
    package let channel: OutgoingMessage.Channel?

    package init(_ gateway: String, _ channel: OutgoingMessage.Channel? = nil) {
        self.gateway = gateway
        self.channel = channel
    }

    /// Every gateway of a channel: there was no receipt for a message on it.
    package init(every channel: OutgoingMessage.Channel) {
        gateway = nil
        self.channel = channel
    }

    package func covers(_ gateway: String, _ channel: OutgoingMessage.Channel) -> Bool {
        (self.gateway?.isSame(as: gateway) ?? true) && (self.channel ?? channel) == channel
    }

    package static func == (one: ExcludedRoute, other: ExcludedRoute) -> Bool {
        guard one.channel == other.channel else { return false }
        guard let gateway = one.gateway, let another = other.gateway else { return one.gateway == other.gateway }
        return gateway.isSame(as: another)
    }
}

extension OutgoingMessage {
    /// Whether this gateway took the same content on this channel and did not deliver it.
    package func avoids(_ gateway: String, on channel: Channel) -> Bool {
        avoids.contains { $0.covers(gateway, channel) }
    }
}
