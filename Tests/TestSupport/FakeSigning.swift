package import Engine
internal import Possession

extension WebhookSigning {
    /// Readable in place of cryptography.
    package static let fake = WebhookSigning(
        mac: { key, message in Array(key.prefix(4)) + Array(message.prefix(8)) },
        sign: { (seed, message) throws(TokenFault) in Array(seed.prefix(4)) + Array(message.prefix(8)) },
        publicKey: { (seed) throws(TokenFault) in Array(seed.prefix(16)) },
        subject: { client, target in "s_\(client.text)_\(target.canonical.suffix(2))" })
}
