internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Why a call of an app's backend gets no answer of its own: `{"code":8001,"message":"field 'x' is missing"}`.
enum PlatformError: SurfaceError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// `wasSent`: a token was there, and is bad.
    case unauthorized(wasSent: Bool)
    case stepNotAllowed
    case numberNotServed
    case unknownCorrelationID
    case unknownAuthID
    case endedSession
    case endedAuthSession
    case otherProduct
    case notFound(what: String)
    case rateLimited(LimitHit)
    case numberStopped
    case sourceUnavailable
    case overloaded
    case internalFault(String)
    // Of `POST /token`, which adds OAuth's name of the error (RFC 6749 section 5.2).
    case tokenBody(BodyDefect)
    case tokenField(FieldDefect)
    case unsupportedGrantType
    case invalidClient

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ refusal: PlatformRefusal) {
        switch refusal {
        case .invalidField(let field, let reason): self = .field(FieldDefect(Self.name(of: field), reason))
        case .numberNeeded(let orPerson):
            let ways = orPerson ? "Mobile Auth must be enabled or proveId given" : "Mobile Auth must be enabled"
            self = .field(FieldDefect("phoneNumber", "is missing; without it \(ways)"))
        case .claimMissing: self = .field(FieldDefect("dob", "is missing; dob or ssn is needed"))
        case .unauthorized: self = .unauthorized(wasSent: true)
        case .stepNotAllowed: self = .stepNotAllowed
        case .numberNotServed: self = .numberNotServed
        case .unknownSession, .endedFlow: self = .unknownCorrelationID
        case .endedSession: self = .endedSession
        case .otherProduct: self = .otherProduct
        case .notFound(let what): self = .notFound(what: what)
        case .rateLimited(let hit): self = .rateLimited(hit)
        case .numberStopped: self = .numberStopped
        case .sourceUnavailable: self = .sourceUnavailable
        case .overloaded: self = .overloaded
        case .internalFault(let reason): self = .internalFault(reason)
        }
    }

    private static func name(of field: PlatformRefusal.Field) -> String {
        switch field {
        case .phoneNumber: "phoneNumber"
        case .person: "proveId"
        case .finalTarget: "finalTargetUrl"
        case .reputation: "checkReputation"
        case .domain: "pcid"
        case .scopes: "scopes"
        case .attributes: "identityAttributes"
        case .named(let name): name
        }
    }

    init(_ fault: StorageFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .corrupt, .failed, .duplicate: self = .internalFault("storage: \(fault)")
        }
    }

    /// Status, code, OAuth name and message of every case.
    private var entry: (status: Int, code: Int, name: String?, message: String) {
        switch self {
        case .body(let defect): (Self.status(of: defect), 8001, nil, defect.message)
        case .field(let defect): (400, 8001, nil, defect.message)
        case .unauthorized(wasSent: false): (401, 8002, nil, "an access token is needed: Authorization: Bearer ...")
        case .unauthorized(wasSent: true): (401, 8002, nil, "the access token is not valid")
        case .stepNotAllowed: (403, 8003, nil, "step not allowed")
        case .numberNotServed: (400, 8007, nil, Self.howToAddUsers)
        case .unknownCorrelationID: (400, 8008, nil, "field 'correlationId' is not a known correlation ID")
        case .endedSession: (400, 8008, nil, "field 'correlationId' names a session that is over for good")
        case .endedAuthSession: (400, 8008, nil, "field 'authId' names a session that is over for good")
        case .unknownAuthID: (400, 8008, nil, "field 'authId' is not a known auth ID")
        case .otherProduct: (403, 8009, nil, "this test user belongs to a product that this API client does not have")
        case .notFound(let what): (404, 8010, nil, "no such \(what)")
        case .rateLimited(let hit): (429, 8004, nil, hit.message)
        case .numberStopped:
            (403, 8003, nil, "step not allowed: too many failures in a row for this number; the operator can unlock it")
        case .sourceUnavailable: (503, 8000, nil, "the source of identity data does not answer; try again")
        case .overloaded: (503, 8000, nil, "the server is busy; try again")
        case .internalFault: (500, 8000, nil, "internal error")
        case .tokenBody(let defect): (Self.status(of: defect), 8001, "invalid_request", defect.message)
        case .tokenField(let defect): (400, 8001, "invalid_request", defect.message)
        case .unsupportedGrantType:
            (400, 8001, "unsupported_grant_type", "field 'grant_type' must be client_credentials")
        case .invalidClient: (401, 8002, "invalid_client", "the client credentials are not valid")
        }
    }

    /// What RFC 6749 section 5.2 lets stand in `error_description`: printable ASCII without quotes and backslashes.
    static func oauthText(_ message: String) -> String {
        String(
            decoding: message.utf8.filter { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }, as: UTF8.self)
    }

    private static let howToAddUsers = """
        no test user found with this phone number: use one of GET /sandbox/users, add one to the sandbox users file, or set \
        sandbox.unknownNumbers to simulate
        """

    private static func status(of defect: BodyDefect) -> Int {
        switch defect {
        case .mediaType: 415
        // The contract's answer where it names the limit (section 2).
        case .tooLarge(.session), .empty, .malformed: 400
        case .tooLarge: 413
        }
    }

    var message: String { entry.message }

    var response: Response { response(entry.status) }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    /// The same with 400 for 403: of client errors, the clients of `/v1/server/auth` read nothing else.
    var authResponse: Response { response(entry.status == 403 ? 400 : entry.status) }

    private func response(_ status: Int) -> Response {
        let entry = entry
        var object = JSONObject()
        object.set("code", entry.code)
        object.set("message", entry.message)
        object.set("error", entry.name)
        if entry.name != nil { object.set("error_description", Self.oauthText(entry.message)) }
        var response = Response.json(status, object)
        response.error = entry.name ?? String(entry.code)
        switch self {
        case .unauthorized(wasSent: false): response.add("WWW-Authenticate", "Bearer")
        case .unauthorized(wasSent: true): response.add("WWW-Authenticate", "Bearer error=\"invalid_token\"")
        case .invalidClient: response.add("WWW-Authenticate", "Basic realm=\"token\", charset=\"UTF-8\"")
        case .rateLimited(let hit): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .sourceUnavailable, .overloaded: response.add("Retry-After", "1")
        case .body, .field, .stepNotAllowed, .numberNotServed, .unknownCorrelationID, .unknownAuthID, .endedSession,
            .endedAuthSession, .otherProduct, .notFound, .numberStopped, .internalFault, .tokenBody, .tokenField,
            .unsupportedGrantType:
            break
        }
        return response
    }
}
