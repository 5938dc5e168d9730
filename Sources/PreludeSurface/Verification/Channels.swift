internal import Possession
internal import SurfaceKit

/// The ways that the messages of one call may take.
struct Channels: Sendable {
    /// Channels of a new window, the preferred one first; `nil`: as the server has them.
    let all: [OutgoingMessage.Channel]?
    /// The one way of this call's message; `nil`: those of the window.
    let only: OutgoingMessage.Channel?

    /// An e-mail has one way.
    static let ofEmail = Channels()

    private init() { (all, only) = (nil, nil) }

    /// Those of messages to a number.
    /// - Parameter enabled: those that the server has.
    /// - Throws: `.channelNotEnabled`.
    init(_ options: VerificationOptions, _ enabled: [OutgoingMessage.Channel]) throws(PreludeError) {
        if options.method == .voice {
            guard enabled.contains(.voice) else { throw .channelNotEnabled(param: "options.method") }
            only = .voice
        } else {
            // A preference: where it cannot be met, the message goes another way.
            only = options.preferredChannel?.channel.flatMap { enabled.contains($0) ? $0 : nil }
        }
        guard let names = options.channels else {
            all = nil
            return
        }
        var all: [OutgoingMessage.Channel] = []
        for name in names {
            guard let channel = name.channel, enabled.contains(channel) else {
                throw .channelNotEnabled(param: "options.channels")
            }
            all.append(channel)
        }
        self.all = all
    }
}
