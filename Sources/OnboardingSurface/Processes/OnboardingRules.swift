internal import Possession

/// How processes are run: the vendor's numbers.
enum OnboardingRules {
    static let codeLength = 8
    /// A code is good for so many seconds.
    static let codeSeconds = 300
    /// Codes that may be tried in a process, the right one included, over all that were sent.
    static let tries = 5
    /// Messages of one process. The vendor has no such number.
    static let sends = 20
    /// From one message to the next, in seconds.
    static let pauseSeconds = 30
    /// From the start of a process to its end, in seconds.
    static let lifetimeSeconds = 10_800

    /// - Parameters:
    ///   - recipient: an unknown person where the credentials name nobody.
    ///   - tellsNothingOfMessages: as `Policy` has it.
    static func order(
        to recipient: Recipient, for caller: OnboardingCaller, tellsNothingOfMessages: Bool
    ) -> VerificationOrder {
        var order = VerificationOrder(.onboarding, to: recipient)
        order.code = .init(length: codeLength, lifetimeSeconds: codeSeconds, tries: tries)
        order.window = .init(sends: sends, lifetimeSeconds: lifetimeSeconds)
        order.tellsNothingOfMessages = tellsNothingOfMessages
        order.message = message(for: caller)
        return order
    }

    /// The code that a call asks for.
    static func message(for caller: OnboardingCaller) -> OrderedMessage {
        var message = OrderedMessage(by: .stranger, from: caller.address)
        message.languages = caller.languages
        message.resend = .after(seconds: pauseSeconds)
        return message
    }
}
