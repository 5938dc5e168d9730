internal import HTTPServer
internal import Possession

/// Why a call of the app surface gets no answer of its own, in the platform's shape (contract section 6).
enum AppError: Error, Sendable, Equatable {
    case platform(PlatformError)
    /// The flow is missing, unknown, expired, or not the one that `authId` names.
    case unknownFlow
    /// The page that asks is of no listed origin.
    case originNotAllowed

    init(_ refusal: PlatformRefusal) {
        switch refusal {
        case .unknownCorrelationID: self = .unknownFlow
        // The tenant of `app.clientId` is missing or revoked: nothing the caller could mend.
        case .unauthorized: self = .platform(.internalFault("app.clientId names no API client"))
        default: self = .platform(PlatformError(refusal))
        }
    }

    var response: Response {
        switch self {
        case .platform(let error): error.response
        case .unknownFlow: .coded(401, code: 8002, message: "there is no such flow, or it has ended: call /initialize")
        case .originNotAllowed: .coded(403, code: 8005, message: "this origin may not call")
        }
    }
}
