internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// An error of CAMARA Number Verification: `{"status":403,"code":"PERMISSION_DENIED","message":"..."}`.
enum OperatorAPIError: Error, Sendable, Equatable {
    case invalidArgument(String)
    case unauthenticated
    case permissionDenied
    case notOnNetwork
    case gatewayTimeout

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

    private static let correlator = "x-correlator"

    /// Runs a call, gives its error the shape, and sends the correlator back.
    static func answer(
        _ request: Request, _ respond: (Request) async throws(OperatorAPIError) -> Response
    ) async -> Response {
        let correlator = request.headers[correlator]
        guard correlator.map(isCorrelator) ?? true, request.headers.count(Self.correlator) < 2 else {
            return OperatorAPIError.invalidArgument("x-correlator has another form").response
        }
        var response: Response
        do throws(OperatorAPIError) { response = try await respond(request) } catch { response = error.response }
        if let correlator { response.add(Self.correlator, correlator) }
        return response
    }

    /// CAMARA Commonalities: `^[a-zA-Z0-9-_:;.\/<>{}]{0,256}$`.
    private static func isCorrelator(_ text: String) -> Bool {
        text.utf8.count <= 256
            && text.utf8.allSatisfy { TextRule.isLetterOrDigit($0) || "-_:;./<>{}".utf8.contains($0) }
    }
}
