internal import Engine
internal import Possession

/// The rules of verifications, with the vendor's numbers.
enum TwilioRules {
    /// The number of digits, unless the backend makes the code.
    static let codeLength = 6
    /// The lifetime of a verification and of each of its codes.
    static let lifetimeSeconds = 600
    static let sends = 5
    /// Codes that may be tried, including the right one.
    static let checks = 5

    /// - Parameters:
    ///   - channel: the channel for this message, and first in the order of a new verification's channels.
    ///   - brand: the service.
    static func order(
        _ form: VerificationForm, to recipient: Recipient, by channel: OutgoingMessage.Channel, for brand: Brand
    ) -> VerificationOrder {
        var order = VerificationOrder(.twilioVerify, to: recipient)
        // The vendor sends the same code again. Here each message has its own code, and each of these codes is
        // accepted.
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
