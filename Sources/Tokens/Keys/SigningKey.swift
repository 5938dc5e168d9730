import COpenSSL
package import Engine
package import Possession

/// A P-256 key pair that signs with ES256.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    let handle: KeyHandle
    private let contexts: ContextPool
    /// The public half.
    package let verifyingKey: VerifyingKey

    package var publicKey: PublicKey { verifyingKey.publicKey }

    /// A new key from OpenSSL's generator.
    package static func generate() throws(TokenFault) -> SigningKey {
        let context = try requireObject(EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil), "EVP_PKEY_CTX_new_id")
        defer { EVP_PKEY_CTX_free(context) }
        try requireSuccess(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        try requireSuccess(
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1),
            "EVP_PKEY_CTX_set_ec_paramgen_curve_nid")
        var key: OpaquePointer?
        try requireSuccess(EVP_PKEY_keygen(context, &key), "EVP_PKEY_keygen")
        return try SigningKey(KeyHandle(owning: try requireObject(key, "EVP_PKEY_keygen")))
    }

    /// Reads a private key in DER (SEC 1 or PKCS #8).
    ///
    /// - Throws: `TokenFault` unless it is exactly one P-256 key.
    package init(privateDER der: [UInt8]) throws(TokenFault) {
        try self.init(KeyHandle(privateDER: der))
    }

    /// Makes the key pair of a private number: 32 bytes, most significant first.
    ///
    /// - Throws: `TokenFault` unless it is from 1 to the order of P-256 less 1.
    package init(scalar: [UInt8]) throws(TokenFault) {
        try self.init(KeyHandle(scalar: scalar))
    }

    private init(_ handle: KeyHandle) throws(TokenFault) {
        self.handle = handle
        let publicKey = try handle.publicKey()
        // The point could be on another curve; `VerifyingKey` accepts only points of P-256.
        verifyingKey = try VerifyingKey(publicKey)
        contexts = handle.contexts(starting: EVP_PKEY_sign_init, "EVP_PKEY_sign_init")
    }

    /// The private key in DER. The caller seals it at once.
    package func privateDER() throws(TokenFault) -> SecretBytes { try handle.privateDER() }

    /// The raw signature, 64 bytes, over the SHA-256 digest of `message`.
    package func sign(_ message: [UInt8]) throws(TokenFault) -> [UInt8] {
        try sign(digest: SHA256.digest(message))
    }

    func sign(digest: [UInt8]) throws(TokenFault) -> [UInt8] {
        let der = try contexts.withContext { (context) throws(TokenFault) -> [UInt8] in
            var der = [UInt8](repeating: 0, count: 80)
            var length = der.count
            try requireSuccess(EVP_PKEY_sign(context, &der, &length, digest, digest.count), "EVP_PKEY_sign")
            return Array(der.prefix(length))
        }
        guard let signature = ECDSASignature(der: der) else { throw TokenFault("EVP_PKEY_sign gave no signature") }
        return signature.raw
    }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
