import COpenSSL
package import Engine
internal import Possession
internal import Text

/// Ed25519 (RFC 8032). The seed is the whole private key.
package enum Ed25519 {
    package static let seedBytes = 32

    /// The signature over the message itself, 64 bytes.
    ///
    /// - Throws: `TokenFault` unless the seed has 32 bytes.
    package static func sign(_ message: [UInt8], seed: [UInt8]) throws(TokenFault) -> [UInt8] {
        let key = try key(seed)
        defer { EVP_PKEY_free(key) }
        let context = try requireObject(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { EVP_MD_CTX_free(context) }
        try requireSuccess(EVP_DigestSignInit(context, nil, nil, nil, key), "EVP_DigestSignInit")
        var signature = [UInt8](repeating: 0, count: 64)
        var length = signature.count
        try requireSuccess(EVP_DigestSign(context, &signature, &length, message, message.count), "EVP_DigestSign")
        guard length == signature.count else { throw TokenFault("Ed25519 gave another length") }
        return signature
    }

    /// The public half, 32 bytes.
    package static func publicKey(seed: [UInt8]) throws(TokenFault) -> [UInt8] {
        let key = try key(seed)
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        try requireSuccess(EVP_PKEY_get_raw_public_key(key, &bytes, &length), "EVP_PKEY_get_raw_public_key")
        guard length == bytes.count else { throw TokenFault("Ed25519 gave another length") }
        return bytes
    }

    private static func key(_ seed: [UInt8]) throws(TokenFault) -> OpaquePointer {
        guard seed.count == seedBytes else { throw TokenFault("an Ed25519 seed has 32 bytes") }
        return try requireObject(
            EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count), "EVP_PKEY_new_raw_private_key")
    }
}

extension WebhookSigning {
    /// - Throws: `TokenFault` when the key for webhook subjects cannot be derived.
    package init(_ master: MasterKey) throws(TokenFault) {
        let subjects = KeyedHash(key: try master.subkey(.webhookSubject))
        self.init(
            mac: { KeyedHash(key: SecretBytes($0)).digest($1) },
            sign: { (seed, message) throws(TokenFault) in try Ed25519.sign(message, seed: seed) },
            publicKey: { (seed) throws(TokenFault) in try Ed25519.publicKey(seed: seed) },
            subject: { client, target in
                "s_"
                    + Base64URL.encode(
                        Array(subjects.digest(fields: [client.text.utf8, target.canonical.utf8]).prefix(16)))
            })
    }
}
