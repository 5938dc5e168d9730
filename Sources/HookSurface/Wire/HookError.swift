internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Why a code is not sent, in the form that Supabase Auth reads. The other servers read only the status:
///
///     {"error":{"http_code":429,"message":"..."}}
enum HookError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// The hook secret or the signature is wrong, or the signature is too old.
    case unauthorized
    case certificateMissing
    case countryClosed
    /// The number has used up its messages for now.
    case sendsUsedUp(retryAfterSeconds: Int)
    /// No call has this path, or this method.
    case absent(HTTPFailure)
    case rateLimited(LimitHit)
    /// No gateway accepted the message.
    case notSent
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ refusal: SendRefusal) { self.init(refusal, number: "to", code: "code") }

    /// - Parameters:
    ///   - number: the call's field for the number.
    ///   - code: its field for the code.
    init(_ refusal: SendRefusal, number: String, code: String) {
        switch refusal {
        case .malformedNumber: self = .field(FieldDefect(number, "is not a possible phone number"))
        case .numberNotServed(let reason): self = .field(FieldDefect(number, "is not served: \(reason)"))
        // Hooks have no pages and no callbacks.
        case .lineRefused(let reason), .pageRefused(let reason), .callbackRefused(let reason):
            self = .field(FieldDefect(number, reason))
        case .countryClosed: self = .countryClosed
        case .codeTooShort(let reason): self = .field(FieldDefect(code, reason))
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .clientRevoked: self = .unauthorized
        case .sendsUsedUp(_, let seconds): self = .sendsUsedUp(retryAfterSeconds: seconds)
        // Only `.notDelivered` occurs: a new session follows one that is over, and hooks wait for no code.
        case .over, .notAwaited, .noSession, .retryKeyReused, .notDelivered: self = .notSent
        case .engine(let fault): self.init(fault)
        }
    }

    /// Status and message of every case. The caller may show the message to the person.
    private var entry: (status: Int, message: String) {
        switch self {
        case .body(let defect): (defect.status, defect.message)
        case .field(let defect): (400, defect.message)
        case .unauthorized: (401, "the signature or the hook secret is not valid")
        case .certificateMissing: (401, "a client certificate of this API client is due")
        case .countryClosed: (403, "the number's country is not open to this API client")
        case .sendsUsedUp: (429, Self.tooManyToNumber)
        case .absent(let failure): (failure.status, failure.message)
        case .rateLimited(let hit) where hit.limit.isOfNumber: (429, Self.tooManyToNumber)
        case .rateLimited(let hit): (429, hit.message)
        case .notSent: (503, "the message could not be sent")
        case .overloaded: (503, "the server is busy; try again")
        case .internalFault: (500, "internal error")
        }
    }

    private static let tooManyToNumber = "too many messages to this number; try again later"

    /// Whole seconds; `nil`: the response does not say when to retry.
    private var retryAfterSeconds: Int? {
        switch self {
        case .sendsUsedUp(let seconds): seconds
        case .rateLimited(let hit): hit.retryAfterSeconds
        case .notSent, .overloaded: 1
        case .body, .field, .unauthorized, .certificateMissing, .countryClosed, .absent, .internalFault: nil
        }
    }

    private var object: JSONObject {
        var error = JSONObject()
        error.set("http_code", entry.status)
        error.set("message", entry.message)
        return ["error": .object(error)]
    }

    var response: Response {
        var response = Response.json(entry.status, object)
        response.error = String(entry.status)
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        if entry.status == 401 { response.add("WWW-Authenticate", "Basic realm=\"hooks\"") }
        return response
    }

    /// The same for Supabase Auth. It reads an error only from status 200, and would retry at once after 429 or 503.
    /// Errors of the call itself keep their status.
    var responseToSupabase: Response {
        switch self {
        case .body, .unauthorized, .certificateMissing, .absent, .internalFault: return response
        case .field, .countryClosed, .sendsUsedUp, .rateLimited, .notSent, .overloaded:
            var response = Response.json(200, object)
            response.error = String(entry.status)
            return response
        }
    }

    /// The same with Authgear's code for it.
    var responseToAuthgear: Response {
        let code: AuthgearCode =
            switch self {
            case .unauthorized, .certificateMissing: .authenticationFailed
            case .sendsUsedUp, .rateLimited: .rateLimited
            case .field(let defect) where defect.field.isSame(as: "to"): .invalidPhoneNumber
            case .body, .field, .countryClosed, .absent, .notSent, .overloaded, .internalFault: .deliveryRejected
            }
        var object = object
        object.set("code", code.rawValue)
        var response = response
        response.body = object.serialized()
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let detail = Schema.record([
        must("http_code", .integer(400...599), "The status."), must("message", .text(), "The reason, in words."),
    ])

    static let schema = Schema.record([
        must("error", detail, "What is wrong."),
        may("code", .choice(AuthgearCode.self), "The same in Authgear's words, to Authgear."),
    ])
}
