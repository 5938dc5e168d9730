/// Kind of error. The raw value is the name in the protocol (`Clients/PROTOCOL.md`, table of errors).
public enum ErrorName: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidToken = "invalid_token"
    case invalidDPoPProof = "invalid_dpop_proof"
    case tokenAlreadyUsed = "token_already_used"
    case originNotAllowed = "origin_not_allowed"
    case invalidState = "invalid_state"
    case sessionDone = "session_done"
    case requestIDReused = "request_id_reused"
    case otpMismatch = "otp_mismatch"
    case otpExpired = "otp_expired"
    case sendsExhausted = "sends_exhausted"
    case phoneNumberRequired = "phone_number_required"
    case phoneNumberInvalid = "phone_number_invalid"
    case phoneNumberNotAllowed = "phone_number_not_allowed"
    case phoneNumberNotAccepted = "phone_number_not_accepted"
    case phoneChangeNotAllowed = "phone_change_not_allowed"
    case phoneEntriesExhausted = "phone_entries_exhausted"
    case smsFailed = "sms_failed"
    case otpUnavailable = "otp_unavailable"
    case linkDenied = "link_denied"
    case linkExpired = "link_expired"
    case linkIPMismatch = "link_ip_mismatch"
    case linkPhoneMismatch = "link_phone_mismatch"
    case linkMatchCodeMismatch = "link_match_code_mismatch"
    case vfpInvalid = "vfp_invalid"
    case vfpExpired = "vfp_expired"
    case mobileAuthUnavailable = "mobile_auth_unavailable"
    case mobileAuthMismatch = "mobile_auth_mismatch"
    case deviceProofInvalid = "device_proof_invalid"
    case deviceNumberMismatch = "device_number_mismatch"
    case rateLimited = "rate_limited"
    case `internal` = "internal"
    case network = "network"
    case cancelled = "cancelled"
    case stepMissing = "step_missing"
    case noCheckLeft = "no_check_left"
    case tooManySteps = "too_many_steps"
    case keyUnavailable = "key_unavailable"
    case stepInvalid = "step_invalid"
    case tokenMissing = "token_missing"
    case tokenMalformed = "token_malformed"
    case serverNotExpected = "server_not_expected"

    /// For machines and logs.
    public var code: Int { row.code }
    /// For the developer.
    public var developerMessage: String { row.developer }
    /// For the person, in English.
    public var message: String { row.person }

    private var row: Row {
        switch self {
        case .invalidRequest:
            Row(
                code: 1001,
                developer: """
                    The server did not accept the form of a call. This is a bug in the client, or its version does \
                    not fit the server.
                    """,
                person: "Something went wrong. Please try again later.")
        case .invalidToken:
            Row(
                code: 20001,
                developer: """
                    The server does not take the auth token: it has expired, or is of another server. The \
                    backend starts a new session.
                    """,
                person: "This took too long. Please start again.")
        case .invalidDPoPProof:
            Row(
                code: 20002,
                developer: """
                    The server did not accept the proof of a call: the device's clock is wrong, or the server is \
                    reached by another URL than its publicUrl.
                    """,
                person: "The time of your device seems to be wrong. Please correct it and try again.")
        case .tokenAlreadyUsed:
            Row(
                code: 20003,
                developer: """
                    Another key has redeemed the auth token: that of another client, or of a run that is over. \
                    Each session takes one run only.
                    """,
                person: "This was already opened. Please start again.")
        case .originNotAllowed:
            Row(
                code: 20004,
                developer: """
                    The page's origin is not registered with the API client.
                    """,
                person: "Something went wrong. Please try again later.")
        case .invalidState:
            Row(
                code: 20010,
                developer: """
                    The call is not allowed at this step of the session.
                    """,
                person: "Something went wrong. Please try again.")
        case .sessionDone:
            Row(
                code: 20011,
                developer: """
                    The session has ended.
                    """,
                person: "This has already ended. Please start again.")
        case .requestIDReused:
            Row(
                code: 20012,
                developer: """
                    A requestId was sent again with another body. This is a bug in the client.
                    """,
                person: "Something went wrong. Please try again later.")
        case .otpMismatch:
            Row(
                code: 10001,
                developer: """
                    The code is wrong or has no form of a code.
                    """,
                person: "That code is not right. Please check it and try again.")
        case .otpExpired:
            Row(
                code: 20101,
                developer: """
                    The code is too old.
                    """,
                person: "That code is too old. Please ask for a new one.")
        case .sendsExhausted:
            Row(
                code: 20102,
                developer: """
                    No message is left in this session. A live code still counts.
                    """,
                person: "No more messages can be sent. Please use the last one.")
        case .phoneNumberRequired:
            Row(
                code: 20103,
                developer: """
                    A phone number is needed, and the step gave none.
                    """,
                person: "Please enter your phone number.")
        case .phoneNumberInvalid:
            Row(
                code: 20104,
                developer: """
                    The text is no possible phone number.
                    """,
                person: "That is not a phone number. Please check it.")
        case .phoneNumberNotAllowed:
            Row(
                code: 20105,
                developer: """
                    Numbers of this kind or country are not allowed.
                    """,
                person: "This number cannot be used. Please try another one.")
        case .phoneNumberNotAccepted:
            Row(
                code: 20106,
                developer: """
                    The backend has named the number; the client must not.
                    """,
                person: "Something went wrong. Please try again later.")
        case .phoneChangeNotAllowed:
            Row(
                code: 20106,
                developer: """
                    The API client does not allow another number.
                    """,
                person: "The number cannot be changed here.")
        case .phoneEntriesExhausted:
            Row(
                code: 20107,
                developer: """
                    No other number can be named in this session.
                    """,
                person: "No other number can be entered.")
        case .smsFailed:
            Row(
                code: 20108,
                developer: """
                    No gateway took the message. The session has it back; the limits of its number counted it.
                    """,
                person: "The message could not be sent. Please try again.")
        case .otpUnavailable:
            Row(
                code: 20109,
                developer: """
                    No code can be sent in this session.
                    """,
                person: "A code cannot be sent to this number.")
        case .linkDenied:
            Row(
                code: 20201,
                developer: """
                    The person refused on the phone. It stands in the state only.
                    """,
                person: "The request was refused on the phone.")
        case .linkExpired:
            Row(
                code: 20202,
                developer: """
                    The link was not opened in time. It stands in the state, or the wait is over.
                    """,
                person: "The link was not opened in time. Please start again.")
        case .linkIPMismatch:
            Row(
                code: 20203,
                developer: """
                    The link was opened from another network. It stands in the state only.
                    """,
                person: "The link was opened on another network.")
        case .linkPhoneMismatch:
            Row(
                code: 20204,
                developer: """
                    The link was opened on another phone. It stands in the state only.
                    """,
                person: "The link was opened on another phone.")
        case .linkMatchCodeMismatch:
            Row(
                code: 20205,
                developer: """
                    The person typed another number than the waiting page shows. It stands in the state only.
                    """,
                person: "The number that was typed is not the one shown here. Please start again.")
        case .vfpInvalid:
            Row(
                code: 20301,
                developer: """
                    The result of Mobile Auth does not belong to this attempt.
                    """,
                person: "Something went wrong. Please try again.")
        case .vfpExpired:
            Row(
                code: 20302,
                developer: """
                    The result of Mobile Auth came too late.
                    """,
                person: "Something went wrong. Please try again.")
        case .mobileAuthUnavailable:
            Row(
                code: 20303,
                developer: """
                    The mobile network gave no answer. It stands in the state only.
                    """,
                person: "Your mobile network could not confirm the number.")
        case .mobileAuthMismatch:
            Row(
                code: 20304,
                developer: """
                    The mobile network named another number. It stands in the state only.
                    """,
                person: "Your mobile network could not confirm the number.")
        case .deviceProofInvalid:
            Row(
                code: 20401,
                developer: """
                    The device proof was not accepted.
                    """,
                person: "Something went wrong. Please try again.")
        case .deviceNumberMismatch:
            Row(
                code: 20402,
                developer: """
                    The device key belongs to another number.
                    """,
                person: "This device belongs to another number.")
        case .rateLimited:
            Row(
                code: 20900,
                developer: """
                    Too many calls; retryAfterSeconds tells when to come back.
                    """,
                person: "Too many tries. Please wait a little.")
        case .internal:
            Row(
                code: 1000,
                developer: """
                    The server has failed or is overloaded (also 503).
                    """,
                person: "Something went wrong. Please try again later.")
        case .network:
            Row(
                code: 30001,
                developer: """
                    The server could not be reached, or what answered is not Holdfast.
                    """,
                person: "No connection. Please check your network and try again.")
        case .cancelled:
            Row(
                code: 30002,
                developer: """
                    A step gave up, or the app cancelled. What the step said is the cause.
                    """,
                person: "Cancelled.")
        case .stepMissing:
            Row(
                code: 30003,
                developer: """
                    The session needs a step that the app did not give to the builder.
                    """,
                person: "Something went wrong. Please try again later.")
        case .noCheckLeft:
            Row(
                code: 30004,
                developer: """
                    No check is left that could prove the number.
                    """,
                person: "Your number could not be confirmed.")
        case .tooManySteps:
            Row(
                code: 30005,
                developer: """
                    The run has made more calls or run more steps than a person can need.
                    """,
                person: "Too many tries. Please start again.")
        case .keyUnavailable:
            Row(
                code: 30006,
                developer: """
                    Keys cannot be made or kept here: the page is not secure (https or localhost), or storage is \
                    closed.
                    """,
                person: "This browser or device cannot be used here.")
        case .stepInvalid:
            Row(
                code: 30007,
                developer: """
                    A step of the app gave something of a wrong type.
                    """,
                person: "Something went wrong. Please try again later.")
        case .tokenMissing:
            Row(
                code: 30008,
                developer: """
                    authenticate was called without an auth token. The backend starts a session and gives the \
                    app its authToken.
                    """,
                person: "Something went wrong. Please try again later.")
        case .tokenMalformed:
            Row(
                code: 30009,
                developer: """
                    What authenticate was given is no auth token.
                    """,
                person: "Something went wrong. Please try again later.")
        case .serverNotExpected:
            Row(
                code: 30010,
                developer: """
                    The auth token is of a server that this app does not call.
                    """,
                person: "Something went wrong. Please try again later.")
        }
    }
}

private struct Row {
    let code: Int
    let developer: String
    let person: String
}
