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
enum OnboardingError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// The envelope, its header or its keys are not good, or plain calls are not taken here. One answer for all of them.
    case encryption
    /// The call is of a version of the protocol that is not served, such as 4.0.
    /// - Parameter isSigned: the header of a signature says so, and not the one of an envelope.
    case unservedVersion(isSigned: Bool)
    /// No call has this path, or this method.
    /// - Parameter isOfOtherVersion: the path is of a version of the protocol that is not served.
    case absent(HTTPFailure, isOfOtherVersion: Bool)
    /// No temporary key is given out, or the call's has ended: the app fetches another one.
    case temporaryKey
    /// The code is not right, or not awaited.
    case activationRefused(triesLeft: Int)
    /// The code cannot be one, so that it costs no try.
    case codeMalformed(triesLeft: Int)
    /// The phone's part of the order cannot be read, or its key is none. It has cost a try.
    case orderBroken(triesLeft: Int, isEncrypted: Bool)
    /// The signature is not good, or its activation is not active.
    case signature
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
    /// A backend has shown no id and secret of an API client.
    case unauthorized
    case certificateMissing
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    private static let encryptionEntry = (status: 400, code: "ERR_ENCRYPTION", message: "POWER_AUTH_ENCRYPTION_FAILED")
    private static let signatureEntry = (
        status: 401, code: "ERR_AUTHENTICATION", message: "POWER_AUTH_SIGNATURE_INVALID"
    )

    private var entry: (status: Int, code: String, message: String) {
        switch self {
        case .body(let defect): (defect.status, "INVALID_REQUEST", defect.message)
        case .field(let defect): (400, "INVALID_REQUEST", defect.message)
        case .encryption, .unservedVersion(isSigned: false): Self.encryptionEntry
        case .unservedVersion(isSigned: true), .signature: Self.signatureEntry
        case .absent(let failure, _): (failure.status, "ERROR_NOT_FOUND", failure.message)
        case .temporaryKey: (400, "ERR_TEMPORARY_KEY", "POWER_AUTH_TEMPORARY_KEY_FAILURE")
        case .activationRefused: (400, "ERR_ACTIVATION", "POWER_AUTH_ACTIVATION_INVALID")
        case .orderBroken(_, isEncrypted: true): Self.encryptionEntry
        case .orderBroken(_, isEncrypted: false):
            (400, "INVALID_REQUEST", FieldDefect(Self.keyField, "is no point of P-256").message)
        case .codeMalformed: (400, "INVALID_REQUEST", FieldDefect(Self.codeField, "must have 8 digits").message)
        case .processFailed(let reason): (400, "ONBOARDING_FAILED", reason)
        case .codeNotSent(let reason, _): (400, "ONBOARDING_OTP_FAILED", reason)
        case .tooManyProcesses:
            (429, "TOO_MANY_ONBOARDING_PROCESSES", "too many processes were begun with these credentials in 24 hours")
        case .rateLimited(let hit): (429, "TOO_MANY_REQUESTS", hit.message)
        case .notSetUp: (400, "INVALID_APPLICATION", "no API client of this server takes this call")
        case .unauthorized: (401, "ERR_AUTHENTICATION", "the id or the secret of the API client is not right")
        case .certificateMissing: (401, "ERR_AUTHENTICATION", "a client certificate of this API client is due")
        case .overloaded: (503, "ERROR_GENERIC", "the server is busy; try again")
        case .internalFault: (500, "ERROR_GENERIC", "internal error")
        }
    }

    private static let codeField = "identityAttributes.otpCode"
    private static let keyField = "requestObject.activationData.devicePublicKey"

    /// Tries of the process; `nil`: the answer tells none.
    private var triesLeft: Int? {
        switch self {
        case .activationRefused(let tries), .codeMalformed(let tries), .orderBroken(let tries, _): tries
        default: nil
        }
    }

    /// Beside code and message, which the SDKs know.
    private var detail: String? {
        switch self {
        case .unservedVersion, .absent(_, isOfOtherVersion: true): break
        default: return nil
        }
        let versions = DeviceProtocolVersion.allCases.map(\.rawValue).joined(separator: " and ")
        return "this server speaks the versions \(versions) of the protocol"
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

    /// - Parameters:
    ///   - now: by the machine's clock.
    ///   - leastTries: the tries that the answer names if the server has not read the process yet; `nil`: the call has no process.
    func response(at now: Timestamp, leastTries: Int? = nil) -> Response {
        let entry = entry
        var object = JSONObject()
        object.set("status", "ERROR")
        object.set("timestamp", now.milliseconds)
        if let tries = triesLeft ?? leastTries { object.set("remainingAttempts", tries) }
        var about = JSONObject()
        about.set("code", entry.code)
        about.set("message", entry.message)
        if let detail { about.set("detail", detail) }
        object["responseObject"] = .object(about)
        var response = Response.json(entry.status, object)
        response.error = entry.code
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        if entry.status == 401 {
            let isBackend = self == .unauthorized || self == .certificateMissing
            response.add("WWW-Authenticate", isBackend ? "Basic realm=\"holdfast\"" : "PowerAuth")
        }
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
        may(
            "remainingAttempts", .integer(0...OnboardingRules.tries),
            """
            Of an order for an activation: codes that the process still takes. With 0 it is over. A refusal that comes before the \
            process is looked at says 1, so that the app keeps the process.
            """),
        must(
            "responseObject",
            .record([
                must("code", .text(pattern: "^[A-Z_]+$"), "The kind of error; stable."),
                must("message", .text(), "For developers: names the field and the reason where there is one."),
                may("detail", .text(), "Of a version that is not served: those that are."),
            ]), "What went wrong."),
    ])
}
