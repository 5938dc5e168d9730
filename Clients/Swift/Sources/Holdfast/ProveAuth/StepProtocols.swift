/// The names of the published guides, over `PossessionClient`. Each `execute` is called on a thread of the library, never on
/// the main one, and answers by its callback, then or later.

/// The session is over, however it went. Ask the backend for the result.
public protocol AuthFinishStep {
    func execute(authId: String) throws
}

public typealias ProveAuthFinishStep = AuthFinishStep

/// Asks for the number that the code is sent to.
public protocol OtpStartStep {
    func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: OtpStartStepCallback)
}

/// Asks for the code.
public protocol OtpFinishStep {
    func execute(otpError: ProveAuthError?, callback: OtpFinishStepCallback)
}

/// Asks for the number that the link is sent to.
public protocol InstantLinkStartStep {
    func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: InstantLinkStartStepCallback)
}

/// Offers another message while the link is waited for.
public protocol InstantLinkRetryStep {
    func execute(callback: InstantLinkRetryStepCallback)
}

/// Gets a token of the phone's operator, for Mobile Auth over Wi-Fi.
public protocol OperatorTokenStep {
    func execute(callback: OperatorTokenStepCallback)
}

public struct OtpStartInput: Sendable {
    public let phoneNumber: String

    public init(phoneNumber: String) {
        self.phoneNumber = phoneNumber
    }
}

public struct OtpFinishInput: Sendable {
    public let otp: String

    public init(otp: String) {
        self.otp = otp
    }
}

public struct InstantLinkStartInput: Sendable {
    public let phoneNumber: String

    public init(phoneNumber: String) {
        self.phoneNumber = phoneNumber
    }
}
