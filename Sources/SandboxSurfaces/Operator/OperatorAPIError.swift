internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// An error of CAMARA Number Verification: `{"status":403,"code":"PERMISSION_DENIED","message":"..."}`.
enum OperatorAPIError: SurfaceError, Sendable, Equatable {
    case invalidArgument(String)
    case unauthenticated
    case permissionDenied
    case notOnNetwork
    case gatewayTimeout

    init(_ defect: BodyDefect) { self = .invalidArgument(defect.message) }

    init(_ defect: FieldDefect) { self = .invalidArgument(defect.message) }

    private var entry: (status: Int, code: String, message: String) {
        switch self {
        case .invalidArgument(let reason): (400, "INVALID_ARGUMENT", reason)
        case .unauthenticated: (401, "UNAUTHENTICATED", "the access token is missing, used, expired or unknown")
        case .permissionDenied: (403, "PERMISSION_DENIED", "the access token is not for this call")
        case .notOnNetwork:
            (
                403, "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK",
                "the device did not come over this network"
            )
        case .gatewayTimeout: (504, "TIMEOUT", "the network did not answer in time")
        }
    }

    var response: Response {
        let entry = entry
        var object = JSONObject()
        object.set("status", entry.status)
        object.set("code", entry.code)
        object.set("message", entry.message)
        var response = Response.json(entry.status, object)
        response.error = entry.code
        if self == .unauthenticated { response.add("WWW-Authenticate", "Bearer error=\"invalid_token\"") }
        return response
    }

    var report: String? { nil }
}
