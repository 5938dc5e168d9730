internal import Engine
internal import Possession

/// The rules of requests: the vendor's numbers where the vendor has any.
enum OtplessRules {
    static let codeLength = 6
    /// Lifetimes of a code that a caller may choose, in seconds.
    static let lifetimes = 30...86_400
    static let lifetimeSeconds = 300
    /// Messages of one request, on all channels together.
    static let sends = 5
    /// Codes that may be tried, including the right one.
    static let checks = 5
    /// How long a request can be read after its end, in seconds: the lifetime of its token.
    static let resultSeconds = Int(OneTapToken.lifetime.components.seconds)
    /// How long an order can be sent again after its first code has expired, in seconds.
    static let resendSeconds = 600

    /// Lifetimes of a request that an app begins later, in seconds.
    static let createdLifetimes = 60...86_400
    static let createdSeconds = 900

    /// The order for a code or a link.
    /// - Parameter channels: from `OtplessVerifications.carriers`.
    static func order(
        _ call: CodeOrder, to recipient: Recipient, by channels: [OutgoingMessage.Channel]?
    ) -> VerificationOrder {
        let lifetime = call.expirySeconds ?? lifetimeSeconds
        var order = VerificationOrder(.otpless, to: recipient)
        // Each message has its own code, and each of these codes is accepted.
        order.code = .init(
            length: call.codeLength ?? codeLength, lifetimeSeconds: lifetime, tries: checks, earlierCodes: sends - 1)
        order.window = .init(
            sends: sends, lifetimeSeconds: lifetime + (call.mayBeSentAgain ? resendSeconds : 0),
            resultLifetimeSeconds: resultSeconds)
        order.channels = channels
        order.wording.locale = call.locale
        order.metadata = call.metadata
        // If there is also a number, no message goes to the address.
        if recipient.number != nil { order.emailAddress = call.email }
        order.references.clientRequestID = call.name?.text
        if let link = call.link {
            order.link = .init(
                exchange: SessionRequest.Exchange(challenge: link.challenge), page: link.page, lifetimeSeconds: lifetime
            )
            if !link.hasCode {
                order.checks = .link
                order.message.content = .link
            }
        }
        return order
    }

    /// The order for a link that opens a played provider.
    static func order(_ call: SocialOrder) -> VerificationOrder {
        let lifetime = call.expirySeconds ?? lifetimeSeconds
        var order = VerificationOrder(.otplessSocial, to: nil)
        order.checks = .link
        order.link = .init(
            exchange: SessionRequest.Exchange(challenge: nil), page: call.page, lifetimeSeconds: lifetime)
        order.window = .init(lifetimeSeconds: lifetime, resultLifetimeSeconds: resultSeconds)
        return order
    }
}
