internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/otp/v1/send`: sends a code, for the older libraries.
///
///     {"phoneNumber":"+12001004014","channel":"SMS","orderId":null}  ->  200 {"orderId":"019b..."}
struct SendOrder: OtplessEndpoint {
    enum Channel: String, Sendable, CaseIterable {
        case sms = "SMS"
        case whatsapp = "WHATSAPP"
        /// First by WhatsApp, then by text message.
        case all = "ALL"
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.orders + "/send", id: "SendOrder", "Send a code (older call)",
        """
        null and \"\" count as absent. An orderId of the caller names the order within its API client. The same call again sends \
        nothing while a code of the order is good.
        """,
        body: .json(#"{"phoneNumber":"+12001004014","channel":"SMS","expiry":60,"otpLength":6}"#), demand: .begins,
        answer: "The order.")
    static let body = Shape(
        CodeOrder(channelsField: "channel", hashField: "hash", mayBeSentAgain: true)
    ) {
        Member.optional("phoneNumber", .text(.phoneNumber), "With country code. The plus may be missing.") {
            $0.number = $1
        }
        Member.optional(
            "email", .text(.freeText(254)),
            "Refused (7105), unless there is a number. Kept with the order, for verify. Nothing is sent there."
        ) { $0.email = $1 }
        Member.optional("channel", .choice(Channel.allCases), "ALL: WhatsApp, and a text message if that fails.") {
            $0.channels = Self.channels($1)
        }
        Member.optional("orderId", .requestName, "The caller's own name of the order. Else the server makes one.") {
            $0.name = $1
        }
        Member.optional("expiry", .expiry(OtplessRules.lifetimes), "Of the code, in seconds. Else 300.") {
            $0.expirySeconds = $1
        }
        Member.optional("otpLength", .codeLength, "Digits. Else 6.") { $0.codeLength = $1 }
        Member.optional("hash", .appHash, CodeOrder.hashWords) { $0.appHash = $1 }
        Member.ignored("templateId", .text(.freeText(64)), "No effect: texts are the operator's.")
    }
    static let reply = OrderReply.reply
    static let refusals: [OtplessError] = InitiateOTP.refusals

    func respond(
        to order: CodeOrder, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> String {
        let session = try await verifications.sendCode(order, for: tenant)
        request.note(session.correlationID)
        return order.name?.text ?? session.correlationID.text
    }

    private static func channels(_ channel: Channel) -> [OtplessChannel] {
        switch channel {
        case .sms: [.sms]
        case .whatsapp: [.whatsapp]
        case .all: [.whatsapp, .sms]
        }
    }
}

/// The answer of the older calls that send a code.
enum OrderReply {
    static let reply = Reply<String>(example: #"{"orderId":"019b7907-8d58-7500-8000-000000000001"}"#) {
        ReplyMember.always("orderId", .text, "Of the order: the caller's own, where it has one.") { $0 }
    }
}
