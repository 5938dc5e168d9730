internal import Possession

/// How requests are run: the vendor's numbers where it has any.
enum OtplessRules {
    static let codeLength = 6
    /// Lifetimes of a code that a caller may choose, in seconds.
    static let lifetimes = 30...86_400
    static let lifetimeSeconds = 300
    /// Messages of one request, those of other channels included.
    static let sends = 5
    /// Codes that may be tried, the right one included.
    static let checks = 5
    /// How long after its end a request can be read, in seconds: as long as its token is good.
    static let resultSeconds = Int(OneTapToken.lifetime.components.seconds)
    /// How long an order can be sent again after the life of its first code, in seconds.
    static let resendSeconds = 600

    /// A request that an app is to begin lives as long, in seconds.
    static let createdLifetimes = 60...86_400
    static let createdSeconds = 900

    /// Asks for a code or a link.
    /// - Parameter channels: as `OtplessRequests.carriers` has them.
    static func order(
        _ call: CodeOrder, to recipient: Recipient, by channels: [OutgoingMessage.Channel]?
    ) -> VerificationOrder {
        let lifetime = call.expirySeconds ?? lifetimeSeconds
        var order = VerificationOrder(.otpless, to: recipient)
        // A message that is sent again has a code of its own, and all of them are taken.
        order.code = .init(
            length: call.codeLength ?? codeLength, lifetimeSeconds: lifetime, tries: checks, earlierCodes: sends - 1)
        order.window = .init(
            sends: sends, lifetimeSeconds: lifetime + (call.mayBeSentAgain ? resendSeconds : 0),
            resultLifetimeSeconds: resultSeconds)
        order.channels = channels
        order.wording.locale = call.locale
        order.metadata = call.metadata
        // Beside a number nothing is sent there.
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

    /// Has a link play a provider.
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
