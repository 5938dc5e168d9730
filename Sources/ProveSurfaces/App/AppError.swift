internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Why a call of the app surface failed, in the platform's shape (contract section 6).
enum AppError: SurfaceError, Sendable, Equatable {
    case platform(PlatformError)
    /// The request names no flow.
    case noFlow
    /// The flow is unknown, or not the one that `authId` names.
    case unknownFlow
    /// The flow has expired. Only the holder of its flow token gets this error.
    case endedFlow
    /// The calling page is not of a listed origin.
    case originNotAllowed
    /// The API client of `app.clientId` is missing or revoked: the operator must act, the caller cannot.
    case notSetUp

    init(_ defect: BodyDefect) { self = .platform(.body(defect)) }

    init(_ defect: FieldDefect) { self = .platform(.field(defect)) }

    init(_ refusal: PlatformRefusal) {
        switch refusal {
        case .unknownSession: self = .unknownFlow
        case .endedFlow, .endedSession: self = .endedFlow
        case .unauthorized: self = .notSetUp
        case .stepTooEarly(let first):
            self = .platform(.stepTooEarly(first: first == .complete ? "/finish" : "/verify"))
        default: self = .platform(PlatformError(refusal))
        }
    }

    var response: Response {
        switch self {
        case .platform(let error): error.response
        case .noFlow: .coded(401, code: 8002, message: Self.howToSendTheFlow)
        case .unknownFlow: .coded(401, code: 8002, message: "there is no such flow: call /initialize")
        case .endedFlow: .coded(401, code: 8002, message: "the flow has expired: call /initialize")
        case .originNotAllowed: .coded(403, code: 8005, message: "this origin may not call")
        // Not `internal error`, because the cause is known. Only the log names the API client (contract section 6).
        case .notSetUp:
            .coded(503, code: 8000, message: "the app is not set up on this server; the server's log says what to do")
        }
    }

    private static let howToSendTheFlow = """
        no flow came with the request: call /initialize first, then let the browser send its cookie (fetch with credentials: \
        "include") or send flowToken as Authorization: Bearer
        """

    /// Text for the log; `nil` for an error that the caller caused.
    var report: String? {
        switch self {
        case .platform(.internalFault(let reason)): reason
        case .notSetUp:
            "app.clientId names an API client that is missing or revoked: see `holdfast clients list`, then add it with "
                + "`holdfast clients add` or name another one"
        case .platform, .noFlow, .unknownFlow, .endedFlow, .originNotAllowed: nil
        }
    }
}
