package import Possession

/// Signs webhooks for receivers that check all of a server's webhooks by one public key. The key changes when keys are
/// rotated.
package protocol WebhookKeyPair: Sendable {
    /// RSASSA-PSS over SHA-256 of the message, with a salt of 32 bytes (RFC 8017 section 8.1), in base64url.
    func signWebhook(_ message: [UInt8], at now: Timestamp) throws(TokenFault) -> String
    /// The public half of the current signing key, in PEM, or `nil`.
    func webhookPublicKey(at now: Timestamp) -> String?
    /// The public half of the next signing key; `nil`: none is known yet.
    func nextWebhookPublicKey(at now: Timestamp) -> String?
}
