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

    /// The session of a request for a code or a link.
    /// - Parameters:
    ///   - mailbox: where it goes in the place of a number.
    ///   - isAskedByAnyone: an app has asked for it, which shows no secret.
    static func session(
        of order: CodeOrder, to mailbox: EmailAddress?, by channels: [OutgoingMessage.Channel]?,
        isAskedByAnyone: Bool = false
    ) throws(Policy.Defect) -> PlatformService.SessionOrder {
        let lifetime = order.expirySeconds ?? lifetimeSeconds
        var session = PlatformService.SessionOrder(.otpless, flow: .mobile)
        session.checks = .code
        session.phoneNumber = order.number
        session.mailbox = mailbox
        // A message that is sent again has a code of its own, and all of them are taken.
        session.code = try Policy.Code(
            length: order.codeLength ?? codeLength, lifetimeSeconds: lifetime, tries: checks, earlierCodes: sends - 1)
        session.sends = sends
        session.lifetimeSeconds = lifetime + (order.mayBeSentAgain ? resendSeconds : 0)
        session.resultLifetimeSeconds = resultSeconds
        session.channels = channels
        session.isAskedByAnyone = isAskedByAnyone
        session.locale = order.locale
        session.metadata = order.metadata
        // Beside a number nothing is sent there.
        if mailbox == nil { session.emailAddress = order.email }
        session.references.clientRequestID = order.name?.text
        if let link = order.link {
            session.exchange = SessionRequest.Exchange(challenge: link.challenge)
            session.finalTargetURL = link.page
            session.linkLifetimeSeconds = lifetime
            if !link.hasCode { session.checks = .link }
        }
        return session
    }

    /// The session of a request whose link plays a provider.
    static func session(of order: SocialOrder) -> PlatformService.SessionOrder {
        let lifetime = order.expirySeconds ?? lifetimeSeconds
        var session = PlatformService.SessionOrder(.otplessSocial, flow: .mobile)
        session.checks = .link
        session.exchange = SessionRequest.Exchange(challenge: nil)
        session.finalTargetURL = order.page
        session.linkLifetimeSeconds = lifetime
        session.lifetimeSeconds = lifetime
        session.resultLifetimeSeconds = resultSeconds
        return session
    }
}
