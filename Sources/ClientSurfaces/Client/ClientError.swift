internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Why a call of a client failed (client protocol 4.11):
/// `{"code":10001,"error":"otp_mismatch","message":...,"state":...}`.
enum ClientError: SurfaceError, Sendable, Equatable {
    case invalidRequest(String)
    case unsupportedMediaType(String)
    case bodyTooLarge(String)
    /// The token is missing or invalid; `wasSent`: there was one.
    case invalidToken(wasSent: Bool)
    case originNotAllowed
    /// No call has this path or method.
    case absent(HTTPFailure)
    /// Includes the current session if the caller has proven to be its client.
    case notAdmitted(AdmissionRefusal, Session? = nil)
    case refused(StepRefusal)
    /// `.refused(.deviceProofInvalid)` with its reason, and the session after the call.
    case deviceProof(ProofFault, Session)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) {
        switch defect {
        case .mediaType: self = .unsupportedMediaType(defect.message)
        case .tooLarge: self = .bodyTooLarge(defect.message)
        case .empty, .malformed, .repeated: self = .invalidRequest(defect.message)
        }
    }

    init(_ defect: FieldDefect) {
        self = .invalidRequest(defect.field == "?" ? "a member of the body is not known" : defect.message)
    }

    /// The seconds are the shortest wait after which a place may be free.
    init(_ refusal: WaitingPlaces.Refusal) {
        switch refusal {
        case .ofAddress: self = .refused(.rateLimited(LimitHit(.waitsPerAddress, retryAfterSeconds: 5)))
        case .all: self = .overloaded
        }
    }

    init(_ fault: ClientAdmission.Fault) {
        switch fault {
        case .unknownSession: self = .invalidToken(wasSent: true)
        case .refused(let refusal, let session): self = .notAdmitted(refusal, session)
        case .engine(let fault): self = ClientError(fault)
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    /// Status, name, code and message of every case.
    var entry: ErrorEntry {
        switch self {
        case .invalidRequest(let message): ErrorEntry(400, "invalid_request", 1001, message)
        case .bodyTooLarge(let message): ErrorEntry(413, "invalid_request", 1001, message)
        case .unsupportedMediaType(let message): ErrorEntry(415, "invalid_request", 1001, message)
        case .invalidToken: ErrorEntry(401, "invalid_token", 20001, "the token is missing or not valid")
        case .originNotAllowed: ErrorEntry(403, "origin_not_allowed", 20004, "this web origin may not call")
        case .absent(let failure): ErrorEntry(failure.status, "invalid_request", 1001, failure.message)
        case .notAdmitted(let refusal, _): Self.entry(refusal)
        case .refused(let refusal): refusal.entry
        case .deviceProof(let fault, _): Self.entry(fault)
        case .overloaded: ErrorEntry(503, "internal", 1000, "the server is busy; try again")
        case .internalFault: ErrorEntry(500, "internal", 1000, "internal error")
        }
    }

    private static func entry(_ refusal: AdmissionRefusal) -> ErrorEntry {
        switch refusal {
        case .invalidDPoPProof(let fault):
            ErrorEntry(401, "invalid_dpop_proof", 20002, "the DPoP proof is not valid: \(fault)")
        case .tokenAlreadyUsed: ErrorEntry(401, "token_already_used", 20003, "the token belongs to another key")
        case .tooManyProofs(let hit): StepRefusal.rateLimited(hit).entry
        case .retryKeyReused:
            ErrorEntry(422, "request_id_reused", 20012, "field 'requestId' was used with another body")
        }
    }

    private static func entry(_ fault: ProofFault) -> ErrorEntry {
        let known = StepRefusal.deviceProofInvalid.entry
        return ErrorEntry(known.status, known.name, known.code, known.message + ": \(fault)")
    }

    /// Whether the caller has proven to be the session's client, and may see its state with the error.
    private var showsState: Bool { entry.status != 401 }

    private var known: Session? {
        switch self {
        case .notAdmitted(_, let session): session
        case .deviceProof(_, let session): session
        default: nil
        }
    }

    /// - Parameters:
    ///   - session: the session after the call, if it is known.
    ///   - message: replaces the message of the case.
    func body(_ session: Session? = nil, saying message: String? = nil) -> [UInt8] {
        let entry = entry
        // `allowed` is empty for a session that no client has redeemed, so it would not help.
        let isTooEarly = self == .refused(.invalidState) && session?.phase == .created
        let redeemFirst = isTooEarly ? "redeem the auth token first: POST /client/v1/session" : nil
        var object = JSONObject()
        object.set("code", entry.code)
        object.set("error", entry.name)
        object.set("message", message ?? redeemFirst ?? entry.message)
        if showsState, let session = session ?? known { object.set("state", StateDocument(session).object) }
        return object.serialized()
    }

    var response: Response { response(nil) }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    /// - Parameters: see `body`.
    func response(_ session: Session?, saying message: String? = nil) -> Response {
        var response = Response.json(entry.status, bytes: body(session, saying: message))
        response.error = entry.name
        switch self {
        case .invalidToken(wasSent: false): response.add("WWW-Authenticate", "DPoP algs=\"ES256\"")
        case .invalidToken(wasSent: true), .notAdmitted(.tokenAlreadyUsed, _):
            response.add("WWW-Authenticate", "DPoP error=\"invalid_token\", algs=\"ES256\"")
        case .notAdmitted(.invalidDPoPProof(let fault), _):
            response.reason = fault.description
            response.add(
                "WWW-Authenticate",
                "DPoP error=\"invalid_dpop_proof\", error_description=\"\(fault)\", algs=\"ES256\"")
        case .deviceProof(let fault, _): response.reason = fault.description
        case .refused(.rateLimited(let hit)), .notAdmitted(.tooManyProofs(let hit), _):
            response.add("Retry-After", String(hit.retryAfterSeconds))
        case .overloaded: response.add("Retry-After", "1")
        case .notAdmitted, .refused, .invalidRequest, .unsupportedMediaType, .bodyTooLarge, .originNotAllowed, .absent,
            .internalFault:
            break
        }
        return response
    }
}
