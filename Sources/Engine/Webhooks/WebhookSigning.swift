package import Possession
internal import Text

/// The cryptography of webhooks, as closures, so that this module needs no library.
package struct WebhookSigning: Sendable {
    /// HMAC-SHA-256, 32 bytes.
    package let mac: @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]
    /// Ed25519 signature of 64 bytes, by the pair of a 32-byte seed.
    package let sign: @Sendable (_ seed: [UInt8], _ message: [UInt8]) throws(TokenFault) -> [UInt8]
    /// The public half of that pair, 32 bytes.
    package let publicKey: @Sendable (_ seed: [UInt8]) throws(TokenFault) -> [UInt8]
    /// A keyed digest of a number or address, the same within a tenant. It does not reveal the number or address.
    package let subject: @Sendable (ClientID, Target) -> String

    package init(
        mac: @escaping @Sendable ([UInt8], [UInt8]) -> [UInt8],
        sign: @escaping @Sendable ([UInt8], [UInt8]) throws(TokenFault) -> [UInt8],
        publicKey: @escaping @Sendable ([UInt8]) throws(TokenFault) -> [UInt8],
        subject: @escaping @Sendable (ClientID, Target) -> String
    ) {
        self.mac = mac
        self.sign = sign
        self.publicKey = publicKey
        self.subject = subject
    }

    /// The `webhook-signature` of Standard Webhooks 1.0.0 over `<id>.<seconds>.<body>`: for each pair of keys `v1`,
    /// then `v1a` if it has an Ed25519 pair, separated by blanks. Libraries that know only `v1` use the first one that
    /// fits.
    package func header(
        _ id: String, at now: Timestamp, _ body: [UInt8], keys: [WebhookEndpoint.Keys]
    ) throws(TokenFault) -> String {
        let message = Array("\(id).\(now.seconds).".utf8) + body
        var parts = keys.map { "v1," + Base64.encode(mac($0.secret, message)) }
        for seed in keys.compactMap(\.seed) { parts.append("v1a," + Base64.encode(try sign(seed, message))) }
        return parts.joined(separator: " ")
    }

    /// `whsec_...`
    package static func text(ofSecret secret: [UInt8]) -> String { "whsec_" + Base64.encode(secret) }

    /// `whpk_...`
    package func text(ofPublicKeyOf seed: [UInt8]) throws(TokenFault) -> String {
        "whpk_" + Base64.encode(try publicKey(seed))
    }
}
