internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// An error of a call:
/// `{"code":"invalid_code_size","message":"...","param":"options.code_size","type":"bad_request","request_id":"..."}`.
/// Prelude publishes the codes but no status for them; this server chooses the statuses.
enum PreludeError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    case missingKey
    case wrongKey
    case certificateMissing
    /// No API client has this SDK key.
    case wrongSDKKey
    /// This server sends no e-mail, or this call takes no address.
    case emailNotAllowed
    /// The vendor has no code for it.
    case addressInvalid(reason: String)
    case customSizeConflict
    case channelNotEnabled(param: String)
    case countryNotOpen
    /// Another call has already used this Idempotency-Key.
    case idempotencyKeyReused
    /// Sandbox: no sandbox person has this number.
    case numberNotServed
    case impossibleCode
    /// The window has no message left. A new window begins when it expires.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// The window has no check left, or the number has had too many wrong codes.
    case tooManyChecks(retryAfterSeconds: Int)
    case spendingLimit
    case rateLimited(LimitHit)
    case notFound(what: String)
    /// No call has this path, or this method.
    case absent(HTTPFailure)
    /// The list has no room for another entry.
    case listFull(what: String)
    /// The number is another API client's test number.
    case numberTaken
    /// This server does not offer this product.
    case notOffered(what: String)
    case originNotAllowed
    /// The API client of `app.clientId` is missing or revoked.
    case notSetUp
    case messageFailed
    case overloaded
    case internalFault(String)

    static let unauthorized = Self.wrongKey

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ refusal: SendRefusal) { self.init(refusal, code: "options.code_size") }

    /// The error for a refusal. `Created.Reason` has the refusals that are answers in this format.
    /// - Parameter code: the call's field for the code's length.
    init(_ refusal: SendRefusal, code: String) {
        switch refusal {
        case .malformedNumber: self = .field(FieldDefect("target.value", "is not a possible phone number"))
        case .lineRefused(let reason), .pageRefused(let reason): self = .field(FieldDefect("target.value", reason))
        case .numberNotServed: self = .numberNotServed
        case .countryClosed: self = .countryNotOpen
        case .codeTooShort(let reason): self = .field(FieldDefect(code, reason))
        case .callbackRefused(let reason): self = .field(FieldDefect("options.callback_url", reason))
        case .sendLimited(let hit, _) where hit.limit.isBudget: self = .spendingLimit
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .retryKeyReused: self = .idempotencyKeyReused
        case .clientRevoked: self = .wrongKey
        // The window ended during the call.
        case .over(_, let seconds): self = .tooManyAttempts(retryAfterSeconds: seconds ?? 1)
        case .sendsUsedUp(_, let seconds): self = .tooManyAttempts(retryAfterSeconds: seconds)
        case .notAwaited, .noSession: self = .notFound(what: "verification")
        case .notDelivered: self = .messageFailed
        case .engine(let fault): self.init(fault)
        }
    }

    private struct Entry {
        let status: Int
        let code: String
        let message: String
        var param: String?

        init(_ status: Int, _ code: String, _ message: String, param: String? = nil) {
            self.status = status
            self.code = code
            self.message = message
            self.param = param
        }
    }

    private var entry: Entry {
        switch self {
        case .body(.mediaType(let expected)):
            Entry(400, "invalid_request", BodyDefect.mediaType(expected: expected).message)
        case .body(let defect): Entry(400, "invalid_request", defect.message)
        case .field(let defect):
            Entry(400, Self.code(of: defect.field), defect.message, param: defect.field)
        case .missingKey: Entry(401, "missing_api_key", "an API key is needed: Authorization: Bearer ...")
        case .wrongKey: Entry(401, "invalid_api_key", "the API key is not valid")
        case .certificateMissing:
            Entry(401, "invalid_api_key", "the connection must show a certificate that names this API client")
        case .wrongSDKKey: Entry(401, "invalid_api_key", "X-SDK-Key is not valid")
        case .emailNotAllowed:
            Entry(
                403, "email_verification_not_allowed", "this call takes no e-mail address on this server",
                param: "target.type")
        case .addressInvalid(let reason):
            Entry(400, "invalid_request", "field 'target.value' \(reason)", param: "target.value")
        case .customSizeConflict:
            Entry(
                400, "custom_size_conflict", "field 'options.custom_code' and options.code_size exclude each other",
                param: "options.custom_code")
        case .channelNotEnabled(let param):
            Entry(
                403, "channel_not_enabled_in_region", "field '\(param)' names a channel that is not set up",
                param: param)
        case .countryNotOpen:
            Entry(
                403, "unsupported_country", "field 'target.value' is of a country that is not open to this API client",
                param: "target.value")
        case .idempotencyKeyReused:
            Entry(
                422, "idempotency_key_reused", "the Idempotency-Key was sent with another body for this number",
                param: "Idempotency-Key")
        case .numberNotServed:
            Entry(
                400, "invalid_phone_number", "no sandbox user has this number: \(NumberRefusal.wayOut)",
                param: "target.value")
        case .impossibleCode:
            Entry(400, "impossible_code", "field 'code' cannot be a code", param: "code")
        case .tooManyAttempts:
            Entry(429, "too_many_attempts", "no message is left for this number in this verification")
        case .tooManyChecks: Entry(429, "too_many_checks", "no check is left for this number in this verification")
        case .spendingLimit:
            Entry(400, "spending_limit_exceeded", "the messages of this API client have used up their budget")
        case .rateLimited(let hit): Entry(429, "rate_limited", hit.message)
        case .notFound(let what): Entry(404, "not_found", "no such \(what)")
        case .absent(.notFound): Entry(404, "not_found", HTTPFailure.notFound.message)
        case .absent(let failure): Entry(failure.status, "invalid_request", failure.message)
        case .listFull(let what): Entry(400, "invalid_request", "there are as many \(what) as may be")
        case .numberTaken:
            Entry(400, "invalid_request", "field 'phone_number' is a test number of this server", param: "phone_number")
        case .notOffered(let what): Entry(403, "invalid_integration", "this server does not offer \(what)")
        case .originNotAllowed: Entry(403, "invalid_integration", "this origin may not call")
        case .notSetUp:
            Entry(503, "internal", "the app is not set up on this server; the server's log says what to do")
        case .messageFailed: Entry(502, "internal", "the message could not be sent")
        case .overloaded: Entry(503, "internal", "the server is busy; try again")
        case .internalFault: Entry(500, "internal", "internal error")
        }
    }

    /// Prelude's code for each field that has its own code.
    private static let codes: [(field: String, code: String)] = [
        ("target.value", "invalid_phone_number"), ("phone_number", "invalid_phone_number"),
        ("options.code_size", "invalid_code_size"), ("options.custom_code", "invalid_custom_code"),
        ("options.locale", "invalid_locale"), ("options.template_id", "invalid_template_id"),
        ("options.variables", "invalid_template_variables"), ("options.sender_id", "invalid_sender_id"),
        ("sender_id", "invalid_sender_id"), ("options.callback_url", "invalid_callback_url"),
        ("options.app_realm", "invalid_app_realm"), ("options.app_realm.platform", "invalid_app_realm_platform"),
        ("options.app_realm.value", "invalid_app_realm_value"),
        ("metadata.correlation_id", "invalid_correlation_id"), ("signals.device_id", "invalid_device_id"),
        ("signals.os_version", "invalid_os_version"), ("from", "invalid_date_format"), ("to", "invalid_date_format"),
    ]

    static func code(of field: String) -> String {
        codes.first { $0.field.isSame(as: field) }?.code ?? "invalid_request"
    }

    private static func type(of status: Int) -> String {
        switch status {
        case 400: "bad_request"
        case 401: "unauthorized"
        case 403: "forbidden"
        case 404: "not_found"
        case 405: "method_not_allowed"
        case 422: "unprocessable_entity"
        case 429: "too_many_requests"
        default: "internal"
        }
    }

    /// For the API description. A real call puts its own request ID here.
    var response: Response { response(requestID: "4f1c") }

    func response(requestID: String) -> Response {
        let entry = entry
        var object = JSONObject()
        object.set("code", entry.code)
        object.set("message", entry.message)
        object.set("param", entry.param)
        object.set("type", Self.type(of: entry.status))
        object.set("request_id", requestID)
        var response = Response.json(entry.status, object)
        response.error = entry.code
        switch self {
        // `x-should-retry` stops the SDK's own retries: a wait of a few seconds does not help.
        case .tooManyAttempts(let seconds), .tooManyChecks(let seconds):
            response.add("x-should-retry", "false")
            response.add("Retry-After", String(seconds))
        case .rateLimited(let hit): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .overloaded: response.add("Retry-After", "1")
        default: break
        }
        return response
    }

    var report: String? {
        switch self {
        case .internalFault(let reason): reason
        case .notSetUp:
            "app.clientId names an API client that is missing or revoked: see `holdfast clients list`, then add it with "
                + "`holdfast clients add` or name another one"
        default: nil
        }
    }

    static let schema = Schema.record([
        must("code", .text(), "The kind of error; stable."),
        must("message", .text(), "For developers: names the field and the reason."),
        may("param", .text(), "The field, where it is one."),
        must("type", .text(), "The kind of error, as the status tells it."),
        must("request_id", .text(), "Of this request: X-Request-Id."),
    ])
}
