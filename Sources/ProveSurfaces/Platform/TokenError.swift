internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// Why `POST /token` returns no token. In addition to code and message, the answer has the OAuth error name (RFC 6749
/// section 5.2): `{"code":8002,"message":"...","error":"invalid_client","error_description":"..."}`.
enum TokenError: SurfaceError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case unsupportedGrantType
    case invalidClient
    /// The same answer as for the surface's other calls: OAuth has no name for it.
    case platform(PlatformError)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    var response: Response {
        var response = body
        if self == .invalidClient { response.add("WWW-Authenticate", "Basic realm=\"token\", charset=\"UTF-8\"") }
        return response
    }

    private var body: Response {
        switch self {
        case .body(let defect): named(PlatformError.status(of: defect), 8001, "invalid_request", defect.message)
        case .field(let defect): named(400, 8001, "invalid_request", defect.message)
        case .unsupportedGrantType:
            named(400, 8001, "unsupported_grant_type", "field 'grant_type' must be client_credentials")
        case .invalidClient: named(401, 8002, "invalid_client", "the client credentials are not valid")
        case .platform(let error): error.response
        }
    }

    var report: String? {
        if case .platform(let error) = self { error.report } else { nil }
    }

    private func named(_ status: Int, _ code: Int, _ name: String, _ message: String) -> Response {
        var object = JSONObject()
        object.set("code", code)
        object.set("message", message)
        object.set("error", name)
        object.set("error_description", Self.oauthText(message))
        var response = Response.json(status, object)
        response.error = name
        return response
    }

    /// The characters that RFC 6749 section 5.2 allows in `error_description`: printable ASCII without quotes and
    /// backslashes.
    static func oauthText(_ message: String) -> String {
        String(
            decoding: message.utf8.filter { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }, as: UTF8.self)
    }
}
