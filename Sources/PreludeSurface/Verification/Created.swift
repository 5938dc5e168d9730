internal import Engine
internal import Possession
internal import SurfaceKit

/// The result of a call to create a verification.
struct Created: Sendable {
    enum Method: String, CaseIterable, Sendable {
        case email, message, silent, voice

        static let about = """
            message: a text message has the code. voice: a call. email: an e-mail. silent: the phone proves its number \
            over its cellular connection. For a blocked verification it is message.
            """
    }
    enum Status: String, CaseIterable, Sendable {
        case success, retry, blocked

        static let about = """
            success: a new window is open. retry: another code was sent in the open window. blocked: nothing was sent.
            """
    }
    enum Reason: String, CaseIterable, Sendable {
        case inBlockList = "in_block_list"
        case invalidPhoneLine = "invalid_phone_line"
        case invalidPhoneNumber = "invalid_phone_number"
        case repeatedAttempts = "repeated_attempts"
        case suspicious
    }
    enum Channel: String, CaseIterable, Sendable { case sms, voice, whatsapp, viber, silent }
    enum RiskFactor: String, CaseIterable, Sendable {
        case fraudDatabase = "fraud_database"
        case repeatedAttempts = "repeated_attempts"
    }

    let id: CorrelationID
    let status: Status
    var method = Method.message
    var reason: Reason?
    var channels: [Channel]?
    /// The URL that the phone opens over its cellular connection. Only for a silent verification.
    var requestURL: String?
    /// The caller's own name for the call.
    var correlationID: String?
    /// The end of the window; `nil`: there is no window.
    var expiresAt: Timestamp?

    /// A code was sent.
    /// - Parameter only: the only channel that the message uses; `nil`: the channels of the session.
    init(_ session: Session, isFirst: Bool, by only: OutgoingMessage.Channel? = nil) {
        self.init(session, status: isFirst ? .success : .retry)
        // The wire format has no channel for it.
        guard session.request.subject.mailbox == nil else {
            method = .email
            return
        }
        let ways = only.map { [$0] } ?? session.request.policy.channels
        if ways.first == .voice { method = .voice }
        channels = ways.compactMap { way in
            switch way {
            case .sms: .sms
            case .voice: .voice
            case .whatsapp: .whatsapp
            case .viber: .viber
            case .email: nil
            }
        }
    }

    /// A silent verification has begun.
    init(_ session: Session, requestURL: String) {
        self.init(session, status: .success)
        method = .silent
        channels = [.silent]
        self.requestURL = requestURL
    }

    private init(_ session: Session, status: Status) {
        id = session.correlationID
        self.status = status
        correlationID = session.request.references.clientRequestID
        expiresAt = session.expiresAt
    }

    /// A risk check of the number ended the session before a message was sent.
    init(blocked reason: Reason, _ session: Session) {
        self.init(
            blocked: reason, id: session.correlationID, correlationID: session.request.references.clientRequestID)
    }

    /// No message was sent, and no window began.
    init(blocked reason: Reason, id: CorrelationID, correlationID: String?) {
        self.id = id
        status = .blocked
        self.reason = reason
        self.correlationID = correlationID
    }

    var riskFactors: [RiskFactor]? { reason?.riskFactors }
}

extension Created.Reason {
    /// The reason, if this wire format answers the refusal with `blocked`; `nil`: the refusal is an error.
    init?(_ refusal: SendRefusal) {
        switch refusal {
        case .malformedNumber: self = .invalidPhoneNumber
        case .lineRefused: self = .invalidPhoneLine
        case .sendLimited(let hit, _) where !hit.limit.isBudget: self = .repeatedAttempts
        case .numberNotServed, .countryClosed, .codeTooShort, .pageRefused, .callbackRefused, .startsLimited,
            .sendLimited, .retryKeyReused, .clientRevoked, .noSession, .over, .notAwaited, .sendsUsedUp,
            .notDelivered, .engine:
            return nil
        }
    }

    var riskFactors: [Created.RiskFactor]? {
        switch self {
        case .repeatedAttempts: [.repeatedAttempts]
        case .suspicious: [.fraudDatabase]
        case .inBlockList, .invalidPhoneLine, .invalidPhoneNumber: nil
        }
    }
}

/// The result of a check.
struct Checked: Sendable {
    enum Status: String, CaseIterable, Sendable {
        case success, failure
        case expiredOrNotFound = "expired_or_not_found"
        case transactionMissing = "transaction_missing"
        case transactionMismatch = "transaction_mismatch"

        static let about = """
            success: the code is right. failure: it is wrong. expired_or_not_found: no window is open. \
            transaction_missing: the code is for a payment, and the check names none. transaction_mismatch: the check \
            names another payment, or the code is for none.
            """
    }

    let status: Status
    /// The session that the code was for; `nil`: there was no such session.
    let session: Session?

    init(_ status: Status, _ session: Session? = nil) {
        self.status = status
        self.session = session
    }
}

/// An answer with the id of its request.
struct AnswerWithRequestID<Value: Sendable>: Sendable {
    let value: Value
    let requestID: String

    init(_ value: Value, _ requestID: String) {
        self.value = value
        self.requestID = requestID
    }
}

/// The caller's own name for a call, repeated in answers.
enum EchoedMetadata {
    static let metadata = Reply<String>(name: "VerificationMetadata") {
        ReplyMember.always("correlation_id", .text, "As it was given.") { $0 }
    }
}
