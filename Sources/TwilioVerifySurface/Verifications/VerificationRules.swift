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

    /// - Parameters:
    ///   - channel: that carries this message, and the first one of a new verification.
    ///   - brand: the service.
    static func order(
        _ form: VerificationForm, to recipient: Recipient, by channel: OutgoingMessage.Channel, for brand: Brand
    ) -> VerificationOrder {
        var order = VerificationOrder(.twilioVerify, to: recipient)
        // The vendor sends the same code again; here each message has its own, and all of them are taken.
        order.code = .init(
            length: form.codeLength(for: brand), lifetimeSeconds: lifetimeSeconds, tries: checks,
            earlierCodes: sends - 1)
        order.window = .init(sends: sends, lifetimeSeconds: lifetimeSeconds)
        order.channels = [channel]
        order.letsBackendVouch = form.customCode != nil
        order.wording.locale = form.locale
        order.wording.brand = SessionBrand(brand.id, name: form.friendlyName ?? brand.name)
        order.reuse = .untilExpiry
        order.message.content = .code(own: form.customCode)
        order.message.channel = channel
        order.message.address = form.deviceIP
        return order
    }
}
