package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// Events of verifications in the format of Prelude's webhooks. One key of the server signs the bytes of the body.
///
///     {"id":"evt_01k...","type":"verify.attempt","payload":{"delivery_status":"submitted","id":"att_01k...", ...},
///      "client_id":"shop","created_at":"2026-01-01T00:00:03.214Z"}
///
/// `client_id` is this server's own member. One key signs for all API clients, so the signed bytes must name the
/// client. Otherwise another client could have its own event signed and send it to this receiver.
///
/// The format has no event for the end of a verification: a backend learns it from its check. Price and network are
/// left out, because this server does not know them.
package struct PreludeWebhooks: WebhookDialect {
    static let signatureHeader = "X-Webhook-Signature"
    static let signaturePrefix = "rsassa-pss-sha256="

    private let sign: @Sendable ([UInt8]) throws(TokenFault) -> String

    /// - Parameter sign: RSASSA-PSS over SHA-256, with a salt of 32 bytes, in base64url.
    package init(sign: @escaping @Sendable ([UInt8]) throws(TokenFault) -> String) {
        self.sign = sign
    }

    package func posting(
        _ event: WebhookEvent, to endpoint: WebhookEndpoint, keys: [WebhookEndpoint.Keys]
    ) throws(TokenFault) -> WebhookPosting? {
        guard let wording = Wording(event) else { return nil }
        var object = JSONObject()
        object.set("id", PreludeID.text(event.id, PreludeID.event))
        object.set("type", wording.type)
        object.set("payload", wording.payload)
        object.set("client_id", event.clientID.text)
        object.set("created_at", event.news.at.millisecondText)
        let body = object.serialized()
        return WebhookPosting(
            headers: [
                ("Content-Type", "application/json"),
                (Self.signatureHeader, Self.signaturePrefix + (try sign(body))),
            ], body: body)
    }

    /// One event in Prelude's format.
    private struct Wording {
        let type: String
        let payload: JSONObject

        /// `nil`: the format has no such event.
        init?(_ event: WebhookEvent) {
            let news = event.news
            guard news.text("product")?.isSame(as: ProductName.prelude.text) == true, let session = news.session,
                let target = news.target, let word = Word(news)
            else { return nil }
            type = word.type
            var payload = JSONObject()
            switch word {
            case .authentication: break
            case .attempt(let message, let status, let channel):
                payload.set("id", PreludeID.text(message, PreludeID.attempt))
                payload.set("delivery_status", status.rawValue)
                payload.set("channel", channel)
            case .delivery(let message, let status):
                payload.set("id", PreludeID.text(event.id, PreludeID.deliveryStatus))
                payload.set("attempt_id", PreludeID.text(message, PreludeID.attempt))
                payload.set("status", status.rawValue)
            }
            if let name = news.text("clientRequestId") { payload.set("metadata", ["correlation_id": .string(name)]) }
            payload.set("target", Self.object(target))
            payload.set("time", news.at.millisecondText)
            payload.set("verification_id", PreludeID.text(session))
            self.payload = payload
        }

        private static func object(_ target: Possession.Target) -> JSONObject {
            let type = target.number == nil ? "email_address" : "phone_number"
            return ["type": .string(type), "value": .string(target.text)]
        }
    }

    private enum Status: String { case submitted, delivered, undeliverable }

    /// The content of an event in this format.
    private enum Word {
        /// A verification has begun.
        case authentication
        /// A message was sent, or no carrier accepted it.
        case attempt(MessageID, Status, channel: String?)
        /// A carrier reported the result of a delivery.
        case delivery(MessageID, Status)

        init?(_ news: WebhookNews) {
            let message = news.text("messageId").flatMap { MessageID($0) }
            switch (news.type, message) {
            case (.sessionCreated, _): self = .authentication
            case (.messageSent, let message?): self = .attempt(message, .submitted, channel: news.text("channel"))
            case (.messageFailed, let message?): self = .attempt(message, .undeliverable, channel: nil)
            case (.messageDelivered, let message?): self = .delivery(message, .delivered)
            case (.messageUndelivered, let message?): self = .delivery(message, .undeliverable)
            default: return nil
            }
        }

        var type: String {
            switch self {
            case .authentication: "verify.authentication"
            case .attempt: "verify.attempt"
            case .delivery: "verify.delivery_status"
            }
        }
    }
}

extension Timestamp {
    fileprivate var millisecondText: String { RFC3339.text(milliseconds: milliseconds, showsMilliseconds: true) }
}
