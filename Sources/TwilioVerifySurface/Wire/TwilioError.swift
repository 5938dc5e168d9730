internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// An error of a call, as Twilio's libraries read it:
///
///     {"code":60200,"message":"Invalid parameter `To`: is missing","more_info":"https://...","status":400}
///
/// The libraries would read a body with `type` and `title` as another class of error.
enum TwilioError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case parameter(FieldDefect)
    case unauthorized
    /// The verification is over or never existed, the service is another client's, or this server has no such resource.
    case notFound
    /// No call has this path, or this method.
    case absent(HTTPFailure)
    /// A parameter asks for a feature that services here do not have.
    case featureOff(String)
    case channelDisabled
    case countryClosed
    /// A text message to a number that is a landline in the numbering plan.
    case landline
    /// The call has neither `To` nor `VerificationSid`.
    case noTarget
    /// Five wrong codes. They end the verification, and none is begun for the number until it would have expired.
    case checksUsedUp(retryAfterSeconds: Int)
    case sendsUsedUp(retryAfterSeconds: Int)
    case rateLimited(LimitHit)
    /// The account has the largest allowed number of services.
    case servicesFull
    case rateLimitsFull, rateLimitTaken, rateLimitName
    case bucketsFull, intervalTaken
    /// The account blocks the number.
    case blocked
    /// Another call for the same number won the race each time.
    case overtaken
    case notSent
    case overloaded
    case internalFault(String)

    /// The same as `.unauthorized`: the vendor has no code for it.
    static let certificateMissing = Self.unauthorized

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .parameter(defect) }

    init(_ refusal: BrandRefusal) {
        switch refusal {
        case .unknown: self = .notFound
        case .full: self = .servicesFull
        case .quotasFull: self = .rateLimitsFull
        case .quotaNameTaken: self = .rateLimitTaken
        case .windowsFull: self = .bucketsFull
        case .windowTaken: self = .intervalTaken
        }
    }

    init(_ error: BrandError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .engine(let fault): self.init(fault)
        }
    }

    init(_ refusal: SendRefusal) { self.init(refusal, number: "To") }

    /// - Parameter number: the call's field for the number.
    init(_ refusal: SendRefusal, number: String) {
        switch refusal {
        case .malformedNumber: self = .parameter(FieldDefect(number, "is not a possible phone number"))
        case .numberNotServed(let reason): self = .parameter(FieldDefect(number, "is not served: \(reason)"))
        // Verifications have no pages and callbacks.
        case .lineRefused(let reason), .pageRefused(let reason), .callbackRefused(let reason):
            self = .parameter(FieldDefect(number, reason))
        case .countryClosed: self = .countryClosed
        case .codeTooShort(let reason): self = .parameter(FieldDefect("CustomCode", reason))
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .clientRevoked: self = .unauthorized
        // Wrong codes have ended the verification. The number stays blocked until it would have expired.
        case .over(let session, let seconds?) where session.outcome == .failed:
            self = .checksUsedUp(retryAfterSeconds: seconds)
        case .over, .notAwaited, .noSession, .retryKeyReused: self = .notFound
        case .sendsUsedUp(_, let seconds): self = .sendsUsedUp(retryAfterSeconds: seconds)
        case .notDelivered: self = .notSent
        case .engine(let fault): self.init(fault)
        }
    }

    /// Status, code and message of every case.
    private var entry: (status: Int, code: Int, message: String) {
        switch self {
        case .body(let defect): (defect.status, 60200, "Invalid parameter: \(defect.message)")
        case .parameter(let defect): (400, 60200, "Invalid parameter `\(defect.field)`: \(defect.reason)")
        case .unauthorized: (401, 20003, "Authenticate: the account or its secret is not valid")
        case .notFound, .absent(.notFound): (404, 20404, "The requested resource was not found")
        case .absent(let failure): (failure.status, 20004, "Method not allowed: \(failure.message)")
        case .featureOff(let what): (400, 60204, "Service does not support this feature: \(what)")
        case .channelDisabled: (403, 60223, "Delivery channel disabled: `Channel` must be sms, call or whatsapp")
        case .countryClosed:
            (403, 60605, "The destination country of `To` is not open to this account")
        case .landline: (400, 60205, "SMS is not supported by landline phone number")
        case .noTarget: (400, 60221, "No target verification specified: `To` or `VerificationSid` is due")
        case .checksUsedUp: (429, 60202, "Max check attempts reached")
        case .sendsUsedUp: (429, 60203, "Max send attempts reached")
        // Libraries read 60203 as final, so it is only for a verification that has used all its messages, and never for
        // a limit that time lifts.
        case .rateLimited(let hit): (429, 20429, "Too Many Requests: \(hit.message)")
        case .servicesFull:
            (400, 60217, "Invalid Service configuration: an account has at most \(Brand.most) services")
        case .rateLimitsFull: (400, 60207, "Max rate limits per service reached")
        case .rateLimitTaken: (400, 60208, "Rate limit with that UniqueName already exists")
        case .rateLimitName:
            (400, 60209, "UniqueName format is invalid: it has 1 to \(Quota.mostNameBytes) of A-Z a-z 0-9 . _ -")
        case .bucketsFull: (400, 60210, "Max Buckets per Rate limit reached")
        case .intervalTaken: (400, 60211, "Bucket with the given Interval already exists")
        case .blocked: (403, 60410, "Verification delivery attempt blocked: this account blocks the number in `To`")
        case .overtaken: (429, 60212, "Too many concurrent requests for phone number")
        case .notSent: (503, 20503, "Service Unavailable: the message could not be sent; the send was not counted")
        case .overloaded: (503, 20503, "Service Unavailable: the server is busy; try again")
        case .internalFault: (500, 20500, "Internal Server Error")
        }
    }

    /// Whole seconds; `nil`: the response does not say when to retry.
    private var retryAfterSeconds: Int? {
        switch self {
        case .checksUsedUp(let seconds), .sendsUsedUp(let seconds): seconds
        case .rateLimited(let hit): hit.retryAfterSeconds
        case .overtaken, .notSent, .overloaded: 1
        case .body, .parameter, .unauthorized, .notFound, .absent, .featureOff, .channelDisabled, .countryClosed,
            .landline, .noTarget, .servicesFull, .rateLimitsFull, .rateLimitTaken, .rateLimitName, .bucketsFull,
            .intervalTaken, .blocked, .internalFault:
            nil
        }
    }

    var response: Response {
        let entry = entry
        var object = JSONObject()
        object.set("code", entry.code)
        object.set("message", entry.message)
        object.set("more_info", "https://www.twilio.com/docs/errors/\(entry.code)")
        object.set("status", entry.status)
        var response = Response.json(entry.status, object)
        response.error = String(entry.code)
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        if self == .unauthorized { response.add("WWW-Authenticate", "Basic realm=\"Twilio API\"") }
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let schema = Schema.record([
        SharedSchemas.stableCode, SharedSchemas.message,
        must("more_info", .text(format: "uri"), "Twilio's page on the code."),
        must("status", .integer(400...599), "The status of the response."),
    ])
}
