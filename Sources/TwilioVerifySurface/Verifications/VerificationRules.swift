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

    /// Whether a new call for its number is about this session. One that wrong codes have ended holds its number until it would
    /// have expired.
    static func stands(_ session: Session, at now: Timestamp) -> Bool {
        !session.isDone || session.outcome == .failed && now < session.expiresAt
    }
}
