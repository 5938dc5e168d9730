package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// Events of requests in the format of OTPLESS's webhooks: messages (DLR), verifications (AUTH) and silent checks
/// (SNA).
///
///     {"eventType":"DLR","timestamp":1767225603214,"data":{"requestId":"019b...","status":"DELIVERED","channel":"SMS", ...}}
///
/// `X-Signature` is the standard Base64 of HMAC-SHA-256 over the bytes of the body. The key is the text of the
/// endpoint's newest secret including `whsec_`, because this vendor's receivers use the text that they were shown.
package struct OtplessWebhooks: WebhookDialect {
    static let signatureHeader = "X-Signature"

    private let mac: @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]
    private let keyed: KeyedDigests
    private let numbers: any NumberDirectory

    /// - Parameters:
    ///   - mac: HMAC-SHA-256.
    ///   - keyed: makes the token of a request that has succeeded.
    ///   - numbers: the numbering plan.
    package init(
        mac: @escaping @Sendable ([UInt8], [UInt8]) -> [UInt8], keyed: KeyedDigests, numbers: any NumberDirectory
    ) {
        self.mac = mac
        self.keyed = keyed
        self.numbers = numbers
    }

    package func posting(
        _ event: WebhookEvent, to endpoint: WebhookEndpoint, keys: [WebhookEndpoint.Keys]
    ) throws(TokenFault) -> WebhookPosting? {
        guard let secret = keys.first?.secret, let told = OtplessEvent(event, keyed, numbers) else { return nil }
        var object = JSONObject()
        object.set("eventType", told.type.rawValue)
        object.set("timestamp", event.news.at.milliseconds)
        object.set("data", told.data)
        let body = object.serialized()
        let signature = mac(Array(WebhookSigning.text(ofSecret: secret).utf8), body)
        return WebhookPosting(
            headers: [("Content-Type", "application/json"), (Self.signatureHeader, Base64.encode(signature))],
            body: body)
    }
}
