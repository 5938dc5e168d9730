internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// An error of a call, as OTPLESS's libraries read it. The code is a text:
///
///     {"message":"Invalid Request","errorCode":"7101","description":"field 'phoneNumber' is not a possible phone number"}
enum OtplessError: SendError, Sendable, Equatable {
    case body(BodyDefect)
    case field(FieldDefect)
    /// The number is valid, but this server sends no messages to it.
    /// - Parameter reason: the end of a sentence whose subject is the number.
    case numberRefused(_ reason: String, field: String = "phoneNumber")
    /// The call has neither a number nor an e-mail address.
    case noTarget
    /// The target is an e-mail address, and this server sends no messages to addresses.
    case noEmail
    /// The client id or the secret is missing.
    case credentialsMissing
    case unauthorized
    /// The token is not this client's, or is over an hour old. Both get the same answer.
    case tokenInvalid
    /// The request never existed, or belongs to another client or another surface.
    case unknownRequest
    /// The server or the API client has no silent proofs, or the request has no number.
    case silentUnavailable
    case channelNotEnabled(field: String)
    /// Social sign-in exists only in a sandbox, where it is played.
    case socialNotEnabled
    case countryClosed
    /// No API client has this id, or the client does not allow apps.
    case appUnknown
    /// This server did not make the state.
    case stateInvalid
    case originNotAllowed
    /// Every channel has failed to deliver the code.
    case everythingFailed
    case wrongCode
    /// No further code is accepted: too many were wrong.
    case checksUsedUp
    case codeExpired
    /// The code of a link is void, used, expired, another client's, or comes with the wrong verifier. All get the same
    /// answer.
    case codeInvalid
    case alreadyVerified
    case sendsUsedUp
    /// No call has this path, or this method.
    case absent(HTTPFailure)
    case rateLimited(LimitHit)
    case notSent
    case overloaded
    case internalFault(String)

    /// The same as `.unauthorized`: the vendor has no code for it.
    static let certificateMissing = Self.unauthorized

    init(_ defect: BodyDefect) { self = .body(defect) }

    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ refusal: SendRefusal) { self.init(refusal, number: "phoneNumber", page: "redirectURI") }

    /// - Parameters:
    ///   - number: the call's field for the number.
    ///   - page: the call's field for the page that the link opens.
    init(_ refusal: SendRefusal, number: String, page: String = "redirectURI") {
        switch refusal {
        case .malformedNumber: self = .field(FieldDefect(number, "is not a possible phone number"))
        case .numberNotServed(let reason): self = .field(FieldDefect(number, "is not served: \(reason)"))
        // Requests have no callbacks.
        case .lineRefused(let reason), .callbackRefused(let reason): self = .numberRefused(reason, field: number)
        case .countryClosed: self = .countryClosed
        case .codeTooShort(let reason): self = .field(FieldDefect("otpLength", reason))
        case .pageRefused(let reason): self = .field(FieldDefect(page, reason))
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .clientRevoked: self = .unauthorized
        case .over(let session, _): self = session.outcome == .succeeded ? .alreadyVerified : .codeExpired
        // The request has no codes, or another call was first.
        case .notAwaited, .noSession, .retryKeyReused: self = .unknownRequest
        case .sendsUsedUp: self = .sendsUsedUp
        case .notDelivered: self = .notSent
        case .engine(let fault): self.init(fault)
        }
    }

    /// The same error for a call whose member for the number has another name.
    func naming(number: String) -> OtplessError {
        switch self {
        case .field(let defect) where defect.field.isSame(as: "phoneNumber"):
            .field(FieldDefect(number, defect.reason))
        case .noTarget: .field(.missing(number))
        default: self
        }
    }

    /// Status, code and description of every case.
    private var entry: (status: Int, code: Int, description: String) {
        switch self {
        case .body(let defect): (defect.status, 7101, defect.message)
        case .field(let defect): (400, Self.code(of: defect), defect.message)
        case .numberRefused(let reason, let field): (400, 7102, FieldDefect(field, reason).message)
        case .noTarget: (400, 7106, "field 'phoneNumber' is missing")
        case .noEmail: (400, 7105, "this server sends nothing to e-mail addresses")
        case .credentialsMissing: (401, 7012, "the client id or the client secret is missing")
        case .unauthorized: (401, 7002, "the client id or the client secret is wrong")
        case .tokenInvalid: (401, 7301, "the token is not valid for this client, or has expired")
        case .unknownRequest: (400, 7114, "there is no such request")
        case .silentUnavailable: (400, 7160, "no mobile network can be asked for this request")
        case .channelNotEnabled(let field): (400, 7103, "field '\(field)' names a channel that this server has not")
        case .socialNotEnabled:
            (400, 4003, "field 'channels': the channel is not enabled; this server has no social sign-in")
        case .countryClosed: (401, 7025, "the country of 'phoneNumber' is not open to this client")
        case .appUnknown: (401, 401, "'appId' names no API client whose apps may call")
        case .stateInvalid: (401, 401, "the state is none of this server's: start again")
        case .originNotAllowed: (403, 401, "this origin may not call for the API client")
        case .everythingFailed: (400, 9106, "the code was delivered by no channel, and none is left")
        case .wrongCode: (400, 7118, "the code is wrong")
        case .checksUsedUp: (400, 7118, "too many codes were wrong; begin another request")
        case .codeExpired: (400, 7303, "the code is no longer valid")
        case .codeInvalid:
            (
                400, 7118,
                "the code of a link is not valid for this client: it was used, replaced by a newer one, has expired, or "
                    + "came with another verifier than it needs"
            )
        case .alreadyVerified: (400, 7115, "the request is verified already")
        case .sendsUsedUp: (429, 7022, "no message is left in this request")
        case .absent(let failure): (failure.status, failure.status, failure.message)
        case .rateLimited(let hit): (429, hit.limit.otplessCode, hit.message)
        case .notSent: (503, 500, "the message could not be sent; the send was not counted")
        case .overloaded: (503, 500, "the server is busy; try again")
        case .internalFault: (500, 500, "internal error")
        }
    }

    /// The vendor's code for an invalid field.
    private static func code(of defect: FieldDefect) -> Int {
        let codes: [(field: String, code: Int)] = [
            ("channels", 7103), ("channel", 7103), ("deliveryMethod", 7103), ("email", 7104), ("expiry", 7113),
            ("phoneNumber", defect == .missing("phoneNumber") ? 7106 : 7101),
            ("requestId", 7119), ("orderId", 7119), ("otpLength", 7116), ("appHash", 7121), ("otpHash", 7121),
            ("hash", 7121), ("otp", defect == .missing("otp") ? 7112 : 7118),
            ("code", defect == .missing("code") ? 7112 : 7118),
            ("mobile_number", defect == .missing("mobile_number") ? 7106 : 7101),
            ("mobile", defect == .missing("mobile") ? 7106 : 7101),
        ]
        return codes.first { $0.field.isSame(as: defect.field) }?.code ?? 7101
    }

    /// Whole seconds; `nil`: the response does not say when to retry.
    private var retryAfterSeconds: Int? {
        switch self {
        case .rateLimited(let hit): hit.retryAfterSeconds
        case .notSent, .overloaded: 1
        default: nil
        }
    }

    /// The vendor's own words for the status.
    private static func message(of status: Int) -> String {
        switch status {
        case 401: "Unauthorized"
        case 429: "Too Many Requests"
        case 400..<500: "Invalid Request"
        case 503: "Service Unavailable"
        default: "Internal Server Error"
        }
    }

    /// The members of the error's body.
    var told: (code: String, message: String, description: String) {
        let entry = entry
        return (String(entry.code), Self.message(of: entry.status), entry.description)
    }

    var response: Response {
        let (entry, told) = (entry, told)
        var object = JSONObject()
        object.set("message", told.message)
        object.set("errorCode", told.code)
        object.set("description", told.description)
        var response = Response.json(entry.status, object)
        response.error = told.code
        if let seconds = retryAfterSeconds { response.add("Retry-After", String(seconds)) }
        return response
    }

    var report: String? {
        if case .internalFault(let reason) = self { reason } else { nil }
    }

    static let schema = Schema.record([
        must("message", .text(), "What kind of error it is."),
        must("errorCode", .text(pattern: "^[0-9]{3,4}$"), "What went wrong; stable. A text."),
        must("description", .text(), "For developers: names the field and the reason."),
    ])
}

extension LimitName {
    /// The vendor has separate codes for limits of an identity, an address and an application. Limits of a number and
    /// of its neighbours get the same code (OTP-12).
    fileprivate var otplessCode: Int {
        switch self {
        case _ where isOfNumber: 7022
        case .callsPerAddress, .startsPerAddress, .startsPerNetwork, .sendsPerAddress, .sendsPerNetwork: 7023
        case .tenantRate, .auditedCalls, .budgetPerTenant: 7024
        default: 7020
        }
    }
}
