import Foundation

/// Why a step is run again, or why `authenticate` failed.
public enum ProveAuthError: LocalizedError, Sendable {
    /// The last code was wrong or too old.
    case otpValidationError(PossessionError)
    /// The last number cannot be used.
    case phoneNumberValidationError(PossessionError)
    /// A step gave up, or the app cancelled.
    case cancelled(PossessionError)
    /// Everything else; `PossessionError.name` tells what.
    case failed(PossessionError)
    /// `finishInstantLink` got a URL that is not meant for a session under way.
    case redirectUrlError
    /// The app's finish step threw this.
    case finishStepError(any Error)

    init(_ error: PossessionError) {
        switch error.name {
        case .otpMismatch, .otpExpired: self = .otpValidationError(error)
        case .phoneNumberRequired, .phoneNumberInvalid, .phoneNumberNotAllowed:
            self = .phoneNumberValidationError(error)
        case .cancelled: self = .cancelled(error)
        default: self = .failed(error)
        }
    }

    /// Error in the words of the protocol; `nil` for the last two cases.
    public var reason: PossessionError? {
        switch self {
        case .otpValidationError(let error), .phoneNumberValidationError(let error), .cancelled(let error),
            .failed(let error):
            error
        case .redirectUrlError, .finishStepError: nil
        }
    }

    /// 10001 for a wrong code; 0 for errors that are not the protocol's.
    public var code: Int { reason?.code ?? 0 }

    public var errorDescription: String? {
        switch self {
        case .redirectUrlError: "The link does not belong to this session."
        case .finishStepError(let error): error.localizedDescription
        default: reason?.message
        }
    }
}
