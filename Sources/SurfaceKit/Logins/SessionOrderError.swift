package import Possession

/// The errors of a surface whose callers begin sessions with a number that the surface has read before.
package protocol SessionOrderError: ClientLoginError {
    /// - Parameter reason: the end of a sentence about the number.
    static func number(_ reason: String) -> Self
    /// A code would be shorter than the API client may have.
    /// - Parameter reason: the end of a sentence about the member that says how long codes are.
    static func codeLength(_ reason: String) -> Self
    static var numberNotServed: Self { get }
    /// A limit stops what the session was to send.
    static func sendLimited(_ hit: LimitHit) -> Self
    /// A surface whose calls have retry keys has an error for it.
    static var retryKeyReused: Self { get }
}

extension SessionOrderError {
    package static func sendLimited(_ hit: LimitHit) -> Self { rateLimited(hit) }
    package static var retryKeyReused: Self { internalFault("a retry key without a call that takes one") }

    package init(_ fault: BackendAdmission.Fault) {
        switch fault {
        case .retryKeyReused: self = .retryKeyReused
        case .engine(let fault): self.init(fault)
        }
    }

    /// Translates a refusal of the engine to begin a session.
    package init(_ refusal: PlatformRefusal) {
        switch refusal {
        case .invalidField(.codeLength, let reason): self = .codeLength(reason)
        case .invalidField(_, let reason): self = .number(reason)
        case .numberNotServed, .otherProduct: self = .numberNotServed
        case .unauthorized: self = .unauthorized
        case .rateLimited(let hit): self = .sendLimited(hit)
        case .retryKeyReused: self = .retryKeyReused
        case .overloaded: self = .overloaded
        case .internalFault(let reason): self = .internalFault(reason)
        case .numberNeeded, .claimMissing, .stepNotAllowed, .stepTooEarly, .oldKeysSign, .unknownSession,
            .endedSession, .endedFlow, .notFound, .numberStopped, .sourceUnavailable:
            self = .internalFault("a session was not begun: \(refusal)")
        }
    }
}
