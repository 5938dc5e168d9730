/// Signs webhooks for receivers that check all of a server's by one public key. Which key that is changes as keys are rotated.
package protocol WebhookKeyPair: Sendable {
    /// RSASSA-PSS over SHA-256 of the message, with a salt of 32 bytes (RFC 8017 section 8.1), in base64url.
    func signWebhook(_ message: [UInt8], at now: Timestamp) throws(TokenFault) -> String
    /// The public half of the key that signs now, in PEM; `nil`: there is none.
    func webhookPublicKey(at now: Timestamp) -> String?
    /// The same of the key that takes over next; `nil`: none is known yet.
    func nextWebhookPublicKey(at now: Timestamp) -> String?
}
