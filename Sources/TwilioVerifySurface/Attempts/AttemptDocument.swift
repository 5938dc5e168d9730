internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A message of a verification, and whether a right code was entered after it.
struct AttemptDocument: Sendable {
    enum Conversion: String, Sendable, CaseIterable { case converted, unconverted }

    let attempt: SendAttempt
    let session: CorrelationID
    let caller: AccountSIDs
    let updatedAt: Timestamp
    /// `converted` only for the newest message of an approved verification.
    let conversion: Conversion
    /// In E.164.
    let to: String
    let codeLength: Int
    let url: String

    /// The attempts of a verification, the newest first.
    static func all(
        of session: Session, _ events: [SessionEvent], for caller: AccountSIDs, publicURL: String
    ) -> [AttemptDocument] {
        let attempts = SendAttempt.all(of: session, events)
        return attempts.indices.reversed().map { index in
            let attempt = attempts[index]
            let isConverted = session.outcome == .succeeded && index == attempts.count - 1
            return AttemptDocument(
                attempt: attempt, session: session.correlationID, caller: caller,
                updatedAt: isConverted ? session.endedAt ?? attempt.time : attempt.time,
                conversion: isConverted ? .converted : .unconverted, to: session.currentNumber?.e164 ?? "",
                codeLength: session.otp.codeLength, url: "\(publicURL)\(TwilioPath.attempts)/\(attempt.sid.text)")
        }
    }

    static let reply = Reply<Self>(name: "Attempt", example: example) {
        ReplyMember.always("sid", .sid(.attempt), "Names the message in paths.") { $0.attempt.sid }
        ReplyMember.always("account_sid", .sid(.account), "The account, which is the API client.") { $0.caller.account }
        ReplyMember.always("service_sid", .sid(.service), "The service of the verification.") { $0.caller.service }
        ReplyMember.always("verification_sid", .sid(.verification), "The verification that sent the message.") {
            SID(.verification, $0.session.bytes)
        }
        ReplyMember.always("date_created", .moment, "When the message was sent, UTC.") { $0.attempt.time }
        ReplyMember.always(
            "date_updated", .moment, "When the verification was approved, UTC, if converted. Otherwise as date_created."
        ) { $0.updatedAt }
        ReplyMember.always(
            "conversion_status", .choice(Conversion.allCases),
            "converted: the newest message of an approved verification. unconverted: any other message."
        ) { $0.conversion }
        ReplyMember.always(
            "channel", .choice([VerificationChannel.sms, .call, .whatsapp]), "The channel of the message."
        ) { $0.attempt.channel }
        ReplyMember.empty("price", "Always empty.")
        ReplyMember.always("channel_data", .object(channelData), "Facts about the message.") { $0 }
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL that reads the attempt.") { $0.url }
    }

    private static let channelData = Reply<Self>(name: "ChannelData") {
        ReplyMember.always("to", .text, "The number, in E.164.") { $0.to }
        ReplyMember.always("code_length", .integer(4...10), "The number of digits in the verification's codes.") {
            $0.codeLength
        }
        ReplyMember.null("status", "What became of a message, webhooks tell.")
        ReplyMember.null("carrier", "Always null: no carrier is asked.")
        ReplyMember.null("mcc", "The mobile country code of a carrier. Always null: no carrier is asked.")
        ReplyMember.null("mnc", "The mobile network code of a carrier. Always null: no carrier is asked.")
    }

    private static let example: StaticString = """
        {"sid":"VL019b79078d5815008000000000000001","account_sid":"AC0123456789abcdef0123456789abcdef",\
        "service_sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e","verification_sid":"VE019b79078d5875008000000000000001",\
        "date_created":"2026-01-01T10:00:00Z","date_updated":"2026-01-01T10:00:05Z",\
        "conversion_status":"converted","channel":"sms","price":{},\
        "channel_data":{"to":"+12001004014","code_length":6,"status":null,"carrier":null,"mcc":null,"mnc":null},\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Attempts/VL019b79078d5815008000000000000001"}
        """
}
