internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// An error of OAuth and OpenID Connect: at `authorize` it goes back by redirect (RFC 6749 section 4.1.2.1), at the
/// token endpoint as JSON (section 5.2).
enum OAuthError: Error, Sendable, Equatable {
    case invalidRequest(String)
    case unsupportedResponseType
    case invalidScope
    case unsupportedGrantType
    case invalidClient
    case invalidGrant
    case serverError

    private var entry: (status: Int, name: String, description: String) {
        switch self {
        case .invalidRequest(let reason): (400, "invalid_request", reason)
        case .unsupportedResponseType: (400, "unsupported_response_type", "response_type must be code")
        case .invalidScope: (400, "invalid_scope", "scope must be openid, one known purpose and one API scope")
        case .unsupportedGrantType: (400, "unsupported_grant_type", "grant_type must be authorization_code")
        case .invalidClient: (401, "invalid_client", "the client is not authenticated")
        case .invalidGrant: (400, "invalid_grant", "the code is not valid, or not for this redirect_uri and verifier")
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

    /// What stands behind the `?` of the redirect.
    var fields: [(name: String, value: String)] {
        [(name: "error", value: entry.name), (name: "error_description", value: entry.description)]
    }
}
