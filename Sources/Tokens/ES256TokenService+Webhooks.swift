internal import Locks
package import Engine
package import Possession
internal import Text

extension ES256TokenService: WebhookKeyPair {
    package func signWebhook(_ message: [UInt8], at now: Timestamp) throws(TokenFault) -> String {
        guard let key = ring.withLock({ $0.signer(for: .webhook, at: now) })?.rsaKey else {
            throw TokenFault("no signing key is active")
        }
        return Base64URL.encode(try key.sign(message))
    }

    package func webhookPublicKey(at now: Timestamp) -> String? {
        ring.withLock { $0.signer(for: .webhook, at: now) }?.rsaPublicKey?.pem
    }

    package func nextWebhookPublicKey(at now: Timestamp) -> String? {
        ring.withLock { $0.coming(for: .webhook, at: now) }?.rsaPublicKey?.pem
    }
}
