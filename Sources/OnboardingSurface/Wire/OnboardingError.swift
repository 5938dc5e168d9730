internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// An error of a call, as the vendor's SDKs read it. It is never encrypted.
///
///     {"status":"ERROR","timestamp":1767265200000,"remainingAttempts":4,
///      "responseObject":{"code":"ERR_ACTIVATION","message":"POWER_AUTH_ACTIVATION_INVALID"}}
///
/// The older SDKs ignore an answer without a `timestamp`, and read the tries left from `remainingAttempts` beside it.
enum OnboardingError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// The envelope, its header or its keys are invalid, or this server takes no plain calls. All get the same answer.
    case encryption
    /// The call uses an unsupported version of the protocol, such as 4.0.
    /// - Parameter isSigned: the version is in the signature header, not in the encryption header.
    case unservedVersion(isSigned: Bool)
    /// No call has this path, or this method.
    /// - Parameter isOfOtherVersion: the path belongs to an unsupported version of the protocol.
    case absent(HTTPFailure, isOfOtherVersion: Bool)
    /// The server gives out no temporary keys, or the call's key has expired: the app must fetch another one.
    case temporaryKey
    /// The code is wrong, or the process waits for no code.
    case activationRefused(triesLeft: Int)
    /// The text cannot be a code, so it does not count as a try.
    case codeMalformed(triesLeft: Int)
    /// The order's description of the phone is unreadable, or its key is invalid. This counts as a try.
    case orderBroken(triesLeft: Int, isEncrypted: Bool)
    /// The signature is wrong, or the activation is not active.
    case signature
    /// There is no such process, or it is over.
    case processFailed(_ reason: String)
    /// No code was sent.
    /// - Parameter retryAfterSeconds: `nil`: a retry does not help.
    case codeNotSent(_ reason: String, retryAfterSeconds: Int?)
    /// A network has started too many processes with the same identification.
    case tooManyProcesses(retryAfterSeconds: Int)
    case rateLimited(LimitHit)
    /// No API client is configured for plain calls, or it is revoked.
    case notSetUp
    /// A backend has sent no id and secret, or wrong ones.
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

    /// The tries left in the process; `nil`: the answer does not name them.
    private var triesLeft: Int? {
        switch self {
        case .activationRefused(let tries), .codeMalformed(let tries), .orderBroken(let tries, _): tries
        default: nil
        }
    }

    /// A text beside code and message. The SDKs know only those two.
    private var detail: String? {
        switch self {
        case .unservedVersion, .absent(_, isOfOtherVersion: true): break
        default: return nil
        }
        let versions = DeviceProtocolVersion.allCases.map(\.rawValue).joined(separator: " and ")
        return "this server speaks the versions \(versions) of the protocol"
    }

    /// Whole seconds; `nil`: the response does not say when to retry.
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
    ///   - now: the time by the machine's clock.
    ///   - leastTries: the tries that the answer names if the server has not read the process; `nil`: the call has no
    ///     process.
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

    /// The response in the API description.
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
