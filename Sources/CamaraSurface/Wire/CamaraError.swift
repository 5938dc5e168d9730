internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// An error of a call (CAMARA Commonalities 0.6, One Time Password SMS 1.1):
///
///     {"status":400,"code":"ONE_TIME_PASSWORD_SMS.INVALID_OTP","message":"the code is wrong; 2 tries are left"}
enum CamaraError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// The token is missing or no longer valid.
    case unauthorized
    case certificateMissing
    /// The token does not allow this call.
    case scopeMissing(CamaraScope)
    /// No network has confirmed the number of the token's phone.
    case notByNetwork
    /// The number's country is not open to the caller, just as an operator does not serve another operator's numbers.
    case numberNotServed
    /// Numbers of this kind get no messages.
    case numberNotAllowed(reason: String)
    /// No carrier delivers to the number.
    case numberBlocked
    /// No gateway accepted the message, for a reason other than the number.
    case notSent
    /// The number has used up its messages for now.
    case codesExceeded(retryAfterSeconds: Int?)
    /// The verification never existed, or belongs to another client or another surface.
    case unknownVerification
    case wrongCode(triesLeft: Int)
    /// No further code is accepted: too many were wrong.
    case verificationFailed
    /// The code has expired, was already used, or was replaced by a newer code for the number.
    case verificationExpired
    /// No call has this path, or this method.
    case absent(HTTPFailure)
    /// The number has a valid form but does not exist in this server's plan.
    case unknownNumber
    /// No configured operator answers for this number.
    case notApplicable
    /// Neither the call nor the token names a number.
    case numberMissing
    /// Both the call and the token name a number.
    case numberUnnecessary
    /// The value of a member is outside its allowed range.
    case outOfRange(FieldDefect)
    /// The number's operator does not answer.
    case operatorUnavailable
    case rateLimited(LimitHit)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ refusal: SendRefusal) {
        switch refusal {
        case .malformedNumber: self = .field(FieldDefect("phoneNumber", "is not a possible phone number"))
        case .numberNotServed, .countryClosed: self = .numberNotServed
        case .lineRefused(let reason): self = .numberNotAllowed(reason: reason)
        // Callers cannot choose the code's length, and the server's length satisfies every operator. Calls have no
        // pages and no callbacks.
        case .codeTooShort(let reason), .pageRefused(let reason), .callbackRefused(let reason):
            self = .field(FieldDefect("message", reason))
        // Limits of the number and of its neighbours get the same answer (OTP-12).
        case .sendLimited(let hit, _) where hit.limit.isOfNumber:
            self = .codesExceeded(retryAfterSeconds: hit.retryAfterSeconds)
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .clientRevoked: self = .unauthorized
        case .over, .notAwaited, .noSession, .retryKeyReused: self = .unknownVerification
        case .sendsUsedUp: self = .codesExceeded(retryAfterSeconds: nil)
        case .notDelivered(.number, _), .notDelivered(.refused, _): self = .numberBlocked
        case .notDelivered: self = .notSent
        case .engine(let fault): self.init(fault)
        }
    }

    private static let ownCodes = "ONE_TIME_PASSWORD_SMS."

    /// Status, code and message of every case.
    private var entry: (status: Int, code: String, message: String) {
        switch self {
        case .body(.mediaType(let expected)):
            (415, "UNSUPPORTED_MEDIA_TYPE", BodyDefect.mediaType(expected: expected).message)
        case .body(let defect): (defect.status, "INVALID_ARGUMENT", defect.message)
        case .field(let defect): (400, "INVALID_ARGUMENT", defect.message)
        case .unauthorized: (401, "UNAUTHENTICATED", "the access token is missing, or no longer valid")
        case .certificateMissing: (401, "UNAUTHENTICATED", "a client certificate of this API client is due")
        case .scopeMissing(let scope): (403, "PERMISSION_DENIED", "the access token has no scope \(scope.rawValue)")
        case .notByNetwork:
            (
                403, "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK",
                "no mobile network has told whose phone the access token is about"
            )
        case .numberNotServed: (404, "NOT_FOUND", "the number is not served for this client")
        case .numberNotAllowed(let reason): (403, Self.ownCodes + "PHONE_NUMBER_NOT_ALLOWED", "the number \(reason)")
        case .numberBlocked: (403, Self.ownCodes + "PHONE_NUMBER_BLOCKED", "messages are not delivered to the number")
        case .notSent: (503, "UNAVAILABLE", "the message could not be sent")
        case .codesExceeded:
            (403, Self.ownCodes + "MAX_OTP_CODES_EXCEEDED", "too many codes for this number; try again later")
        case .unknownVerification: (404, "NOT_FOUND", "there is no such authenticationId")
        case .wrongCode(let left):
            (
                400, Self.ownCodes + "INVALID_OTP",
                "the code is wrong; \(left) \(left == 1 ? "try is" : "tries are") left"
            )
        case .verificationFailed:
            (400, Self.ownCodes + "VERIFICATION_FAILED", "too many codes were wrong; send another one")
        case .verificationExpired:
            (400, Self.ownCodes + "VERIFICATION_EXPIRED", "the code is no longer valid; send another one")
        case .absent(.notFound): (404, "NOT_FOUND", HTTPFailure.notFound.message)
        case .absent(let failure): (failure.status, "METHOD_NOT_ALLOWED", failure.message)
        case .unknownNumber: (404, "IDENTIFIER_NOT_FOUND", "there is no such number here")
        case .notApplicable: (422, "SERVICE_NOT_APPLICABLE", "no operator tells anything about a number like this one")
        case .numberMissing:
            (422, "MISSING_IDENTIFIER", "field 'phoneNumber' is missing, and the access token names no number")
        case .numberUnnecessary:
            (422, "UNNECESSARY_IDENTIFIER", "field 'phoneNumber' must not be there: the access token names a number")
        case .outOfRange(let defect): (400, "OUT_OF_RANGE", defect.message)
        case .operatorUnavailable: (503, "UNAVAILABLE", "the operator of the number gives no answer; try again")
        case .rateLimited(let hit): (429, "TOO_MANY_REQUESTS", hit.message)
        case .overloaded: (503, "UNAVAILABLE", "the server is busy; try again")
        case .internalFault: (500, "INTERNAL", "internal error")
        }
    }

    /// Whole seconds; `nil`: the response does not say when to retry.
    private var retryAfterSeconds: Int? {
        switch self {
        case .codesExceeded(let seconds): seconds
        case .rateLimited(let hit): hit.retryAfterSeconds
        case .overloaded, .notSent, .operatorUnavailable: 1
        default: nil
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
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        if entry.status == 401 { response.add("WWW-Authenticate", "Bearer") }
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let schema = Schema.record([
        must("status", .integer(400...599), "The status."),
        must("code", .text(most: 96, pattern: "^[A-Z_.]+$"), "The kind of error; stable."),
        must("message", .text(most: 512), "For developers: names the field and the reason."),
    ])
}
