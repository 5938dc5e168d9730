internal import Possession
internal import SurfaceKit

/// The channels that the messages of one call may use.
struct Channels: Sendable {
    /// Channels of a new window, in the caller's order; `nil`: the server's order.
    let all: [OutgoingMessage.Channel]?
    /// The only channel for this call's message; `nil`: the channels of the window.
    let only: OutgoingMessage.Channel?

    /// An e-mail has only one channel.
    static let ofEmail = Channels()

    private init() { (all, only) = (nil, nil) }

    /// The channels of a message to a number.
    /// - Parameter enabled: the channels that the server carries.
    /// - Throws: `.channelNotEnabled`.
    init(_ options: VerificationOptions, _ enabled: [OutgoingMessage.Channel]) throws(PreludeError) {
        if options.method == .voice {
            guard enabled.contains(.voice) else { throw .channelNotEnabled(param: "options.method") }
            only = .voice
        } else {
            // This is only a preference: if the server does not carry the channel, the message uses another one.
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
