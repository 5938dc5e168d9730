package import Possession

/// The carrier's treatment of the messages of a sandbox user, on each channel.
package struct SandboxDelivery: Sendable, Equatable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// The message arrives, and the carrier says so.
        case ok
        /// The carrier refuses it at once.
        case fail
        /// The carrier takes it, and says later that it did not arrive.
        case undelivered
        /// The message arrives, and the carrier says nothing of it.
        case silent
    }

    package static let ok = SandboxDelivery(.ok)
    package static let fail = SandboxDelivery(.fail)
    package static let undelivered = SandboxDelivery(.undelivered)
    package static let silent = SandboxDelivery(.silent)

    /// The outcome on every channel that `byChannel` does not name.
    private let usual: Outcome
    /// As the users file names them; empty where it has one outcome for all.
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

    /// The one outcome for all channels; `nil` where the users file names channels.
    package var everywhere: Outcome? { byChannel.isEmpty ? usual : nil }

    /// The outcome that the users file names for a channel; `nil`: it names none.
    package func named(_ channel: OutgoingMessage.Channel) -> Outcome? { byChannel[channel] }
}
