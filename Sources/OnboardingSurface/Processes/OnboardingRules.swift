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

    /// The session of a process.
    /// - Parameters:
    ///   - target: of the person; `.nobody` where nobody is known.
    ///   - tellsNothingOfMessages: as `Policy` has it.
    static func session(
        to target: Target, tellsNothingOfMessages: Bool
    ) throws(Policy.Defect) -> PlatformService.SessionOrder {
        var session = PlatformService.SessionOrder(.onboarding, flow: .mobile)
        session.checks = .code
        switch target {
        case .number(let number): session.number = SubmittedNumber(asSent: number.e164, number: number)
        case .email(let address): session.mailbox = address
        case .nobody(let person): session.unknown = person
        }
        session.code = try Policy.Code(length: codeLength, lifetimeSeconds: codeSeconds, tries: tries)
        session.sends = sends
        session.lifetimeSeconds = lifetimeSeconds
        session.isAskedByAnyone = true
        session.tellsNothingOfMessages = tellsNothingOfMessages
        return session
    }
}
