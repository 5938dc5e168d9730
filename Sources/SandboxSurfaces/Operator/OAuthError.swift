internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// An error of OAuth and OpenID Connect: `authorize` returns it by redirect (RFC 6749 section 4.1.2.1), the token
/// endpoint as JSON (section 5.2).
enum OAuthError: SurfaceError, Sendable, Equatable {
    case invalidRequest(String)
    case unsupportedResponseType
    case invalidScope
    case unsupportedGrantType
    case invalidClient
    case invalidGrant
    case serverError

    init(_ defect: BodyDefect) {
        switch defect {
        case .mediaType, .tooLarge, .empty: self = .invalidRequest(defect.message)
        case .malformed, .repeated:
            self = .invalidRequest("the body is not form-encoded, or a parameter is there twice")
        }
    }

    init(_ defect: FieldDefect) { self = .invalidRequest(defect.message) }

    private var entry: (status: Int, name: String, description: String) {
        switch self {
        case .invalidRequest(let reason): (400, "invalid_request", reason)
        case .unsupportedResponseType: (400, "unsupported_response_type", "response_type must be code")
        case .invalidScope:
            (400, "invalid_scope", "scope must be one known purpose and one API scope, and openid with a code only")
        case .unsupportedGrantType:
            (
                400, "unsupported_grant_type",
                "grant_type must be authorization_code or urn:ietf:params:oauth:grant-type:jwt-bearer"
            )
        case .invalidClient: (401, "invalid_client", "the client is not authenticated")
        case .invalidGrant:
            (400, "invalid_grant", "the code or token is not valid, or not for this redirect_uri and verifier")
        case .serverError: (500, "server_error", "the operator cannot answer now")
        }
    }

    var response: Response {
        let entry = entry
        var object = JSONObject()
        object.set("error", entry.name)
        object.set("error_description", entry.description)
        var response = Response.json(entry.status, object)
        response.error = entry.name
        return response
    }

    /// Internal faults are reported where they happen.
    var report: String? { nil }

    /// The query parameters of the redirect.
    var fields: [(name: String, value: String)] {
        [(name: "error", value: entry.name), (name: "error_description", value: entry.description)]
    }
}
