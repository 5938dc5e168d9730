internal import Possession

/// How verifications are run: the vendor's numbers.
enum VerificationRules {
    /// Digits, unless the backend makes the code.
    static let codeLength = 6
    /// Life of a verification, and of each code in it.
    static let lifetimeSeconds = 600
    static let sends = 5
    /// Codes that may be tried, the right one included.
    static let checks = 5

    /// The session that an order begins.
    /// - Parameters:
    ///   - channel: that carries its first message.
    ///   - brand: the service.
    static func session(
        of order: VerificationOrder, by channel: OutgoingMessage.Channel, for brand: Brand
    ) throws(Policy.Defect) -> PlatformService.SessionOrder {
        var session = PlatformService.SessionOrder(.twilioVerify, flow: .mobile)
        session.checks = .code
        session.phoneNumber = order.to
        // The vendor sends the same code again; here each message has its own, and all of them are taken.
        session.code = try Policy.Code(
            length: order.codeLength(for: brand), lifetimeSeconds: lifetimeSeconds, tries: checks,
            earlierCodes: sends - 1)
        session.sends = sends
        session.lifetimeSeconds = lifetimeSeconds
        session.channels = [channel]
        session.letsBackendVouch = order.customCode != nil
        session.locale = order.locale
        session.brand = SessionBrand(brand.id, name: order.friendlyName ?? brand.name)
        return session
    }

    /// Whether a session has ended by wrong codes, and holds its number until it would have expired.
    static func isUsedUp(_ session: Session, at now: Timestamp) -> Bool {
        session.outcome == .failed && now < session.expiresAt
    }

    /// Whether a new call for its number is about this session.
    static func stands(_ session: Session, at now: Timestamp) -> Bool {
        !session.isDone || isUsedUp(session, at: now)
    }

    /// Whole seconds until a new verification may begin for the number.
    static func secondsLeft(of session: Session, at now: Timestamp) -> Int {
        max(1, Int((session.expiresAt.milliseconds - now.milliseconds + 999) / 1000))
    }
}
