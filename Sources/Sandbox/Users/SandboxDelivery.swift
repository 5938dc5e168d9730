package import Possession

/// The carrier's treatment of the messages of a sandbox user, on each channel.
package struct SandboxDelivery: Sendable, Equatable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// The message arrives, and the carrier reports it.
        case ok
        /// The carrier refuses it at once.
        case fail
        /// The carrier accepts it, and later reports that it did not arrive.
        case undelivered
        /// The message arrives, and the carrier reports nothing.
        case silent
    }

    package static let ok = SandboxDelivery(.ok)
    package static let fail = SandboxDelivery(.fail)
    package static let undelivered = SandboxDelivery(.undelivered)
    package static let silent = SandboxDelivery(.silent)

    /// The outcome on every channel that `byChannel` does not name.
    private let usual: Outcome
    /// As named in the users file; empty if it has one outcome for all channels.
    private let byChannel: [OutgoingMessage.Channel: Outcome]

    init(_ outcome: Outcome) {
        usual = outcome
        byChannel = [:]
    }

    /// Messages on other channels arrive.
    package init(_ byChannel: [OutgoingMessage.Channel: Outcome]) {
        usual = .ok
        self.byChannel = byChannel
    }

    package func outcome(on channel: OutgoingMessage.Channel) -> Outcome { byChannel[channel] ?? usual }

    /// The outcome for all channels; `nil` if the users file names channels.
    package var everywhere: Outcome? { byChannel.isEmpty ? usual : nil }

    /// The outcome of a channel in the users file; `nil`: none is named.
    package func named(_ channel: OutgoingMessage.Channel) -> Outcome? { byChannel[channel] }
}
