internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A verification, as callers see it.
struct VerificationDocument: Sendable {
    enum Status: String, Sendable, CaseIterable { case pending, approved, canceled }

    let session: CorrelationID
    let caller: AccountSIDs
    /// In E.164.
    let to: String
    let channel: VerificationChannel
    let status: Status
    let createdAt: Timestamp
    let updatedAt: Timestamp
    let attempts: [SendAttempt]
    let url: String

    /// - Parameters:
    ///   - events: the session's timeline.
    ///   - publicURL: scheme and authority of this server as its callers reach it.
    init(_ session: Session, _ status: Status, of caller: AccountSIDs, _ events: [SessionEvent], publicURL: String) {
        let attempts = SendAttempt.all(of: session, events)
        self.session = session.correlationID
        self.caller = caller
        to = session.currentNumber?.e164 ?? ""
        channel = attempts.last?.channel ?? VerificationChannel(session.request.policy.channels.first ?? .sms)
        self.status = status
        createdAt = session.createdAt
        updatedAt = max(events.last?.at ?? session.createdAt, session.endedAt ?? session.createdAt)
        self.attempts = attempts
        let sid = SID(.verification, session.correlationID.bytes)
        url = "\(publicURL)\(TwilioPath.services)/\(caller.service.text)/Verifications/\(sid.text)"
    }

    private var sid: SID { SID(.verification, session.bytes) }

    /// Members that verifications and checks share.
    @ReplyBuilder<Self> private static var head: [ReplyMember<Self>] {
        ReplyMember.always("sid", .sid(.verification), "The verification, until it is over.") { $0.sid }
        ReplyMember.always("service_sid", .sid(.service), "The service of the verification.") { $0.caller.service }
        ReplyMember.always("account_sid", .sid(.account), "The account, which is the API client.") { $0.caller.account }
        ReplyMember.always("to", .text, "The number, in E.164.") { $0.to }
        ReplyMember.always("channel", .choice([VerificationChannel.sms, .call, .whatsapp]), "Of the newest message.") {
            $0.channel
        }
        ReplyMember.always(
            "status", .choice(Status.allCases),
            "pending: no right code yet. approved: by a right code, or by a call. canceled: by a call."
        ) { $0.status }
        ReplyMember.always("valid", .flag, "Whether it is approved.") { $0.status == .approved }
        ReplyMember.null("amount", "Always null: a code is not bound to a payment.")
        ReplyMember.null("payee", "Always null: a code is not bound to a payment.")
        ReplyMember.always("date_created", .moment, "When the verification began, UTC.") { $0.createdAt }
        ReplyMember.always("date_updated", .moment, "When the verification last changed, UTC.") { $0.updatedAt }
    }

    static let reply = Reply<Self>(name: "Verification", example: example) {
        head
        ReplyMember.empty("lookup", "Always empty: no carrier is asked.")
        ReplyMember.always("send_code_attempts", .list(of: .object(attempt)), "The oldest first.") { $0.attempts }
        ReplyMember.null("sna", "Always null: this server has no channel sna.")
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL that reads the verification.") { $0.url }
    }

    /// The answer to a check.
    static let checkReply = Reply<Self>(name: "VerificationCheck", example: checkExample) {
        head
        ReplyMember.always(
            "sna_attempts_error_codes", Output<Void>(Schema.list(of: .anything)) { _ in .array([]) }, "Always empty."
        ) { _ in () }
    }

    private static let attempt = Reply<SendAttempt>(name: "SendAttempt") {
        ReplyMember.always("time", .moment, "When the message was sent, UTC.") { $0.time }
        ReplyMember.always(
            "channel", .text(.choice(["SMS", "CALL", "WHATSAPP"])), "The channel of the message, in capital letters."
        ) { $0.channel.inCapitals }
        ReplyMember.always("attempt_sid", .sid(.attempt), "The message, as Attempts has it.") { $0.sid }
    }

    /// The named schemas for the description.
    static var schemas: [(name: String, schema: Schema)] { [reply.named, checkReply.named] }

    static let example: StaticString = """
        {"sid":"VE019b79078d5875008000000000000001","service_sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e",\
        "account_sid":"AC0123456789abcdef0123456789abcdef","to":"+12001004014","channel":"sms","status":"pending",\
        "valid":false,"amount":null,"payee":null,"date_created":"2026-01-01T10:00:00Z",\
        "date_updated":"2026-01-01T10:00:00Z","lookup":{},"send_code_attempts":[{"time":"2026-01-01T10:00:00Z",\
        "channel":"SMS","attempt_sid":"VL019b79078d5815008000000000000001"}],"sna":null,\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/Verifications/VE019b79078d5875008000000000000001"}
        """
    private static let checkExample: StaticString = """
        {"sid":"VE019b79078d5875008000000000000001","service_sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e",\
        "account_sid":"AC0123456789abcdef0123456789abcdef","to":"+12001004014","channel":"sms","status":"approved",\
        "valid":true,"amount":null,"payee":null,"date_created":"2026-01-01T10:00:00Z",\
        "date_updated":"2026-01-01T10:00:00Z","sna_attempts_error_codes":[]}
        """
}

extension VerificationChannel {
    /// As the vendor's lists of attempts spell it.
    fileprivate var inCapitals: String {
        switch self {
        case .sms: "SMS"
        case .call: "CALL"
        case .whatsapp: "WHATSAPP"
        case .email: "EMAIL"
        case .sna: "SNA"
        case .auto: "AUTO"
        }
    }
}
