internal import Engine
internal import Possession

/// The rules of processes, with the vendor's numbers.
enum OnboardingRules {
    static let codeLength = 8
    /// The lifetime of a code, in seconds.
    static let codeSeconds = 300
    /// Codes that may be tried in a process, over all its messages, including the right one.
    static let tries = 5
    /// Messages of one process. The vendor has no such limit.
    static let sends = 20
    /// The least time between two messages, in seconds.
    static let pauseSeconds = 30
    /// From the start of a process to its end, in seconds.
    static let lifetimeSeconds = 10_800

    /// - Parameters:
    ///   - recipient: an unknown person if the finder knows no such person.
    ///   - tellsNothingOfMessages: see `Policy`.
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

    /// The message with the code that a call asks for.
    static func message(for caller: OnboardingCaller) -> OrderedMessage {
        var message = OrderedMessage(by: .stranger, from: caller.address)
        message.languages = caller.languages
        message.resend = .after(seconds: pauseSeconds)
        return message
    }
}
