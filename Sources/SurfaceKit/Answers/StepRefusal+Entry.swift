package import Possession

/// The refusals of the engine in the client protocol (section 4.11). Backends get the same codes for their sessions.
extension StepRefusal {
    /// Status, name, code and message of every case.
    package var entry: ErrorEntry {
        switch self {
        case .invalidState: ErrorEntry(409, "invalid_state", 20010, "this call is not allowed now; see state.allowed")
        case .sessionDone: ErrorEntry(410, "session_done", 20011, "the session has ended")
        case .otpMismatch: ErrorEntry(400, "otp_mismatch", 10001, "the code is wrong")
        // The same as a wrong code, which clients can handle: the person types another.
        case .otpLength(let digits):
            ErrorEntry(400, "otp_mismatch", 10001, "the code is wrong: it must have \(digits) digits")
        case .otherPayment: ErrorEntry(400, "otp_mismatch", 10001, "the code is for another payment")
        case .otpExpired: ErrorEntry(400, "otp_expired", 20101, "the code is no longer valid")
        case .sendsExhausted: ErrorEntry(403, "sends_exhausted", 20102, "no message is left in this session")
        case .phoneNumberRequired: ErrorEntry(400, "phone_number_required", 20103, "field 'phoneNumber' is missing")
        case .phoneNumberInvalid:
            ErrorEntry(400, "phone_number_invalid", 20104, "field 'phoneNumber' is not a possible phone number")
        case .phoneNumberNotAllowed(let reason):
            ErrorEntry(403, "phone_number_not_allowed", 20105, "field 'phoneNumber' is not allowed: \(reason)")
        case .phoneNumberNotAccepted:
            ErrorEntry(403, "phone_number_not_accepted", 20106, "the number of this session is already known")
        case .phoneChangeNotAllowed:
            ErrorEntry(403, "phone_change_not_allowed", 20106, "the number of this session cannot be changed")
        case .phoneEntriesExhausted:
            ErrorEntry(403, "phone_entries_exhausted", 20107, "no other number can be named in this session")
        case .messageFailed:
            ErrorEntry(502, "sms_failed", 20108, "the message could not be sent; the send was not counted")
        case .fingerprintInvalid: ErrorEntry(400, "vfp_invalid", 20301, "field 'vfp' is not valid for this attempt")
        case .fingerprintExpired: ErrorEntry(400, "vfp_expired", 20302, "field 'vfp' is no longer valid")
        case .deviceProofInvalid: ErrorEntry(400, "device_proof_invalid", 20401, "the device proof is not valid")
        case .deviceNumberMismatch:
            ErrorEntry(403, "device_number_mismatch", 20402, "the device key belongs to another number")
        case .rateLimited(let hit): ErrorEntry(429, "rate_limited", 20900, hit.message)
        }
    }
}
