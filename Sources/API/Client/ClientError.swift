internal import HTTPServer
internal import Possession
internal import StrictJSON

/// Why a call of a client was not carried out (client protocol 4.11):
/// `{"code":10001,"error":"otp_mismatch","message":...,"state":...}`.
enum ClientError: Error, Sendable, Equatable {
    case invalidRequest(String)
    case unsupportedMediaType(String)
    case bodyTooLarge(String)
    /// The token does not hold; `wasSent`: there was one.
    case invalidToken(wasSent: Bool)
    case originNotAllowed
    case refused(ClientRefusal)
    case overloaded
    case internalFault(String)

    init(_ defect: BodyDefect) {
        switch defect {
        case .mediaType: self = .unsupportedMediaType(defect.message)
        case .tooLarge: self = .bodyTooLarge(defect.message)
        case .empty, .malformed: self = .invalidRequest(defect.message)
        }
    }

    init(_ defect: FieldDefect) {
        self = .invalidRequest(defect.field == "?" ? "a member of the body is not known" : defect.message)
    }

    /// The seconds are those of the shortest wait after which a place may be free again.
    init(_ refusal: WaitingPlaces.Refusal) {
        switch refusal {
        case .ofAddress: self = .refused(.rateLimited(LimitHit(.waitsPerAddress, retryAfterSeconds: 5)))
        case .all: self = .overloaded
        }
    }

    init(_ fault: ClientAdmission.Fault) {
        switch fault {
        case .unknownSession: self = .invalidToken(wasSent: true)
        case .rateLimited(let hit): self = .refused(.rateLimited(hit))
        case .engine(let fault): self = ClientError(fault)
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    struct Entry: Sendable {
        let status: Int
        let code: Int
        let name: String
        let message: String

        init(_ status: Int, _ name: String, _ code: Int, _ message: String) {
            self.status = status
            self.name = name
            self.code = code
            self.message = message
        }
    }

    /// Status, name, code and message of every case.
    var entry: Entry {
        switch self {
        case .invalidRequest(let message): Entry(400, "invalid_request", 1001, message)
        case .bodyTooLarge(let message): Entry(413, "invalid_request", 1001, message)
        case .unsupportedMediaType(let message): Entry(415, "invalid_request", 1001, message)
        case .invalidToken: Entry(401, "invalid_token", 20001, "the token is missing or not valid")
        case .originNotAllowed: Entry(403, "origin_not_allowed", 20004, "this web origin may not call")
        case .refused(let refusal): Self.entry(refusal)
        case .overloaded: Entry(503, "internal", 1000, "the server is busy; try again")
        case .internalFault: Entry(500, "internal", 1000, "internal error")
        }
    }

    private static func entry(_ refusal: ClientRefusal) -> Entry {
        switch refusal {
        case .invalidToken: Entry(401, "invalid_token", 20001, "the token is missing or not valid")
        case .invalidDPoPProof: Entry(401, "invalid_dpop_proof", 20002, "the DPoP proof is missing, not valid or used")
        case .tokenAlreadyUsed: Entry(401, "token_already_used", 20003, "the token belongs to another key")
        case .invalidState: Entry(409, "invalid_state", 20010, "this call is not allowed now; see state.allowed")
        case .sessionDone: Entry(410, "session_done", 20011, "the session has ended")
        case .requestIDReused:
            Entry(422, "request_id_reused", 20012, "field 'requestId' was used with another body")
        case .otpMismatch: Entry(400, "otp_mismatch", 10001, "the code is wrong")
        case .otpExpired: Entry(400, "otp_expired", 20101, "the code is no longer valid")
        case .sendsExhausted: Entry(403, "sends_exhausted", 20102, "no message is left in this session")
        case .phoneNumberRequired: Entry(400, "phone_number_required", 20103, "field 'phoneNumber' is missing")
        case .phoneNumberInvalid:
            Entry(400, "phone_number_invalid", 20104, "field 'phoneNumber' is not a possible phone number")
        case .phoneNumberNotAllowed(let reason):
            Entry(403, "phone_number_not_allowed", 20105, "field 'phoneNumber' is not allowed: \(reason)")
        case .phoneNumberNotAccepted:
            Entry(403, "phone_number_not_accepted", 20106, "the number of this session is already known")
        case .phoneChangeNotAllowed:
            Entry(403, "phone_change_not_allowed", 20106, "the number of this session cannot be changed")
        case .phoneEntriesExhausted:
            Entry(403, "phone_entries_exhausted", 20107, "no other number can be named in this session")
        case .messageFailed: Entry(502, "sms_failed", 20108, "the message could not be sent; the send was not counted")
        case .fingerprintInvalid: Entry(400, "vfp_invalid", 20301, "field 'vfp' is not valid for this attempt")
        case .fingerprintExpired: Entry(400, "vfp_expired", 20302, "field 'vfp' is no longer valid")
        case .deviceProofInvalid: Entry(400, "device_proof_invalid", 20401, "the device proof is not valid")
        case .deviceNumberMismatch:
            Entry(403, "device_number_mismatch", 20402, "the device key belongs to another number")
        case .rateLimited(let hit): Entry(429, "rate_limited", 20900, hit.message)
        }
    }

    /// Whether the caller has shown to be the session's client, and may see its state beside the error.
    private var showsState: Bool { entry.status != 401 }

    /// - Parameter session: the session as it is after the call, where it is known.
    func body(_ session: Session? = nil) -> [UInt8] {
        let entry = entry
        var object = JSONObject()
        object.set("code", entry.code)
        object.set("error", entry.name)
        object.set("message", entry.message)
        if showsState, let session { object.set("state", StateDocument(session).object) }
        return object.serialized()
    }

    var response: Response { response(nil) }

    /// - Parameter session: as in `body`.
    func response(_ session: Session?) -> Response {
        var response = Response.json(entry.status, bytes: body(session))
        response.error = entry.name
        switch self {
        case .invalidToken(wasSent: false): response.add("WWW-Authenticate", "DPoP algs=\"ES256\"")
        case .invalidToken(wasSent: true), .refused(.invalidToken), .refused(.tokenAlreadyUsed):
            response.add("WWW-Authenticate", "DPoP error=\"invalid_token\", algs=\"ES256\"")
        case .refused(.invalidDPoPProof):
            response.add("WWW-Authenticate", "DPoP error=\"invalid_dpop_proof\", algs=\"ES256\"")
        case .refused(.rateLimited(let hit)): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .overloaded: response.add("Retry-After", "1")
        case .refused, .invalidRequest, .unsupportedMediaType, .bodyTooLarge, .originNotAllowed, .internalFault: break
        }
        return response
    }
}
