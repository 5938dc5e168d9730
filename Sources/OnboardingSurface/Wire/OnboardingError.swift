internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Why a call gets no answer of its own, as the vendor's SDKs read it. It is never encrypted.
///
///     {"status":"ERROR","timestamp":1767265200000,"remainingAttempts":4,
///      "responseObject":{"code":"ERR_ACTIVATION","message":"POWER_AUTH_ACTIVATION_INVALID"}}
///
/// The older SDKs take an answer without a `timestamp` for none, and learn the tries that are left from beside it.
enum OnboardingError: ClientLoginError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// Plain calls are not taken here.
    case encryption
    /// There is no such process, or it is over.
    case processFailed(_ reason: String)
    /// No code was sent.
    /// - Parameter retryAfterSeconds: `nil`: waiting does not help.
    case codeNotSent(_ reason: String, retryAfterSeconds: Int?)
    /// A network has begun too many processes by the same credentials.
    case tooManyProcesses(retryAfterSeconds: Int)
    case rateLimited(LimitHit)
    /// No API client is named for plain calls, or it may no longer call.
    case notSetUp
    case overloaded
    case internalFault(String)

    static let unauthorized = Self.notSetUp
    static let certificateMissing = Self.notSetUp

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    private var entry: (status: Int, code: String, message: String) {
        switch self {
        case .body(let defect): (defect.status, "INVALID_REQUEST", defect.message)
        case .field(let defect): (400, "INVALID_REQUEST", defect.message)
        case .encryption: (400, "ERR_ENCRYPTION", "POWER_AUTH_ENCRYPTION_FAILED")
        case .processFailed(let reason): (400, "ONBOARDING_FAILED", reason)
        case .codeNotSent(let reason, _): (400, "ONBOARDING_OTP_FAILED", reason)
        case .tooManyProcesses:
            (429, "TOO_MANY_ONBOARDING_PROCESSES", "too many processes were begun with these credentials in 24 hours")
        case .rateLimited(let hit): (429, "TOO_MANY_REQUESTS", hit.message)
        case .notSetUp: (400, "INVALID_APPLICATION", "no API client of this server takes this call")
        case .overloaded: (503, "ERROR_GENERIC", "the server is busy; try again")
        case .internalFault: (500, "ERROR_GENERIC", "internal error")
        }
    }

    /// Whole seconds; `nil`: the caller is told none.
    private var retryAfterSeconds: Int? {
        switch self {
        case .codeNotSent(_, let seconds): seconds
        case .tooManyProcesses(let seconds): seconds
        case .rateLimited(let hit): hit.retryAfterSeconds
        case .overloaded: 1
        default: nil
        }
    }

    /// - Parameter now: by the machine's clock.
    func response(at now: Timestamp) -> Response {
        let entry = entry
        var object = JSONObject()
        object.set("status", "ERROR")
        object.set("timestamp", now.milliseconds)
        var about = JSONObject()
        about.set("code", entry.code)
        about.set("message", entry.message)
        object["responseObject"] = .object(about)
        var response = Response.json(entry.status, object)
        response.error = entry.code
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        return response
    }

    /// For the API description.
    var response: Response { response(at: Timestamp(milliseconds: 1_767_265_200_000)) }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let schema = Schema.record([
        must("status", Schema(["type": "string", "enum": ["ERROR"]]), "That it is an error."),
        must(
            "timestamp", .integer(0...Int.max), "When it was made, in milliseconds since 1970, by the machine's clock."),
        must(
            "responseObject",
            .record([
                must("code", .text(pattern: "^[A-Z_]+$"), "What went wrong; stable."),
                must("message", .text(), "For developers: names the field and the reason where there is one."),
            ]), "What went wrong."),
    ])
}
