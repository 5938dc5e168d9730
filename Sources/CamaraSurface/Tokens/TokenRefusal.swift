internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Why `POST /camara/token` issues no token (RFC 6749 section 5.2):
///
///     {"error":"invalid_client","error_description":"the client assertion is not valid"}
enum TokenRefusal: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case unsupportedGrantType
    /// A browser was sent here to ask a person for consent.
    case noAuthorizationFlow
    /// No client has such a key, or the assertion is invalid, or it was used before.
    case unauthorized
    /// The same as `.unauthorized`, with the reason.
    case assertion(ProofFault)
    case certificateMissing
    case invalidScope(String)
    /// The subject of the grant is malformed or unknown.
    case invalidGrant(String)
    case rateLimited(LimitHit)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    /// Sessions for tokens send no message, so only the number of a grant can be refused.
    init(_ refusal: SendRefusal) {
        switch refusal {
        case .malformedNumber: self = .invalidGrant("the number is not a possible phone number")
        case .numberNotServed, .countryClosed: self = .invalidGrant("the number is not served for this client")
        case .lineRefused(let reason): self = .invalidGrant("the number \(reason)")
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .clientRevoked: self = .unauthorized
        case .codeTooShort, .pageRefused, .callbackRefused, .retryKeyReused, .noSession, .over, .notAwaited,
            .sendsUsedUp, .notDelivered:
            self = .invalidGrant("nothing can be told about the number")
        case .engine(let fault): self.init(fault)
        }
    }

    private var entry: (status: Int, error: String, description: String) {
        switch self {
        case .body(let defect): (defect.status, "invalid_request", defect.message)
        case .field(let defect): (400, "invalid_request", defect.message)
        case .unsupportedGrantType:
            (400, "unsupported_grant_type", "field 'grant_type' must be client_credentials, or the JWT bearer grant")
        case .noAuthorizationFlow:
            (
                400, "unsupported_response_type",
                "there is no authorization flow here: tokens come from POST /camara/token"
            )
        case .unauthorized: (401, "invalid_client", "the client assertion is not valid, or was used before")
        case .assertion(let fault): (401, "invalid_client", "the client assertion is not valid: \(fault)")
        case .certificateMissing: (401, "invalid_client", "a client certificate of this API client is due")
        case .invalidScope(let reason): (400, "invalid_scope", "field 'scope' " + reason)
        case .invalidGrant(let reason): (400, "invalid_grant", reason)
        case .rateLimited(let hit): (429, "temporarily_unavailable", hit.message)
        case .overloaded: (503, "temporarily_unavailable", "the server is busy; try again")
        case .internalFault: (500, "server_error", "internal error")
        }
    }

    private var retryAfterSeconds: Int? {
        switch self {
        case .rateLimited(let hit): hit.retryAfterSeconds
        case .overloaded: 1
        default: nil
        }
    }

    var response: Response {
        let entry = entry
        var object = JSONObject()
        object.set("error", entry.error)
        object.set("error_description", entry.description)
        var response = Response.json(entry.status, object)
        response.error = entry.error
        if case .assertion(let fault) = self { response.reason = fault.description }
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let schema = Schema.record([
        must("error", .text(pattern: "^[a-z_]+$"), "The kind of error; stable."),
        must("error_description", .text(), "For developers: names the field and the reason."),
    ])
}
