internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Why a call of an app's backend failed: `{"code":8001,"message":"field 'x' is missing"}`.
enum PlatformError: SurfaceError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// `wasSent`: a token was sent, but is invalid.
    case unauthorized(wasSent: Bool)
    /// The connection has no client certificate that names the API client.
    case certificateMissing
    case stepNotAllowed
    /// `first`: the path of the step that is due now.
    case stepTooEarly(first: String)
    case oldKeysSign(until: Timestamp)
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
        case .stepTooEarly(let first): self = .stepTooEarly(first: PrefillNextStep(first).path)
        case .oldKeysSign(let end): self = .oldKeysSign(until: end)
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
        case .callback: "callbackUrl"
        case .reputation: "checkReputation"
        case .domain: "pcid"
        case .scopes: "scopes"
        case .attributes: "identityAttributes"
        case .statementAudience: "statementAudience"
        case .codeLength: "smsMessage"
        case .named(let name): name
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    /// Status, code and message of every case.
    private var entry: (status: Int, code: Int, message: String) {
        switch self {
        case .body(let defect): (Self.status(of: defect), 8001, defect.message)
        case .field(let defect): (400, 8001, defect.message)
        case .unauthorized(wasSent: false): (401, 8002, "an access token is needed: Authorization: Bearer ...")
        case .unauthorized(wasSent: true): (401, 8002, "the access token is not valid")
        case .certificateMissing: (401, 8002, "the connection must show a certificate that names this API client")
        case .stepNotAllowed: (403, 8003, "step not allowed")
        case .stepTooEarly(let first): (403, 8003, "step not allowed: the next one is \(first)")
        case .oldKeysSign(let end):
            (409, 8003, "the keys before sign until \(end.rfc3339); with \"force\": true they end now")
        case .numberNotServed: (400, 8007, Self.howToAddUsers)
        case .unknownCorrelationID: (400, 8008, "field 'correlationId' is not a known correlation ID")
        case .endedSession: (400, 8008, "field 'correlationId' names a session that is over for good")
        case .endedAuthSession: (400, 8008, "field 'authId' names a session that is over for good")
        case .unknownAuthID: (400, 8008, "field 'authId' is not a known auth ID")
        case .otherProduct: (403, 8009, "this test user belongs to a product that this API client does not have")
        case .notFound(let what): (404, 8010, "no such \(what)")
        case .rateLimited(let hit): (429, 8004, hit.message)
        case .numberStopped:
            (403, 8003, "step not allowed: too many failures in a row for this number; the operator can unlock it")
        case .sourceUnavailable: (503, 8000, "the source of identity data does not answer; try again")
        case .overloaded: (503, 8000, "the server is busy; try again")
        case .internalFault: (500, 8000, "internal error")
        }
    }

    private static let howToAddUsers = "no test user found with this phone number: \(NumberRefusal.wayOut)"

    static func status(of defect: BodyDefect) -> Int {
        switch defect {
        case .mediaType: 415
        // The contract's answer if it names the limit (section 2).
        case .tooLarge(.session), .empty, .malformed, .repeated: 400
        case .tooLarge: 413
        }
    }

    var message: String { entry.message }

    var response: Response { response(entry.status) }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    /// The same with 400 instead of 403: clients of `/v1/server/auth` understand no other client error.
    var authResponse: Response { response(entry.status == 403 ? 400 : entry.status) }

    private func response(_ status: Int) -> Response {
        let entry = entry
        var response = Response.coded(status, code: entry.code, message: entry.message)
        switch self {
        case .unauthorized(wasSent: false): response.add("WWW-Authenticate", "Bearer")
        case .unauthorized(wasSent: true), .certificateMissing:
            response.add("WWW-Authenticate", "Bearer error=\"invalid_token\"")
        case .rateLimited(let hit): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .sourceUnavailable, .overloaded: response.add("Retry-After", "1")
        case .body, .field, .stepNotAllowed, .stepTooEarly, .oldKeysSign, .numberNotServed, .unknownCorrelationID,
            .unknownAuthID,
            .endedSession, .endedAuthSession, .otherProduct, .notFound, .numberStopped, .internalFault:
            break
        }
        return response
    }
}
