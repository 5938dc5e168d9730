import COpenSSL
package import Engine
internal import Possession

/// An RSA key pair that signs with SHA-256 and one padding.
package struct RSAKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// As strong as the other keys (TOK-02): 128 bits, by NIST SP 800-57 part 1.
    package static let bits: Int32 = 3072

    private let handle: KeyHandle
    private let contexts: ContextPool
    /// The public half.
    package let publicKey: RSAPublicKey

    /// A new key from OpenSSL's generator. Takes up to some seconds.
    package static func generate(_ padding: RSAPadding = .pss) throws(TokenFault) -> RSAKey {
        let context = try requireObject(EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil), "EVP_PKEY_CTX_new_id")
        defer { EVP_PKEY_CTX_free(context) }
        try requireSuccess(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        try requireSuccess(EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits), "EVP_PKEY_CTX_set_rsa_keygen_bits")
        var key: OpaquePointer?
        try requireSuccess(EVP_PKEY_keygen(context, &key), "EVP_PKEY_keygen")
        return try RSAKey(KeyHandle(owning: try requireObject(key, "EVP_PKEY_keygen")), padding)
    }

    /// Reads a private key in DER (PKCS #1 or PKCS #8).
    ///
    /// - Throws: `TokenFault` unless it is exactly one RSA key of at least 3072 bits.
    package init(privateDER der: [UInt8], _ padding: RSAPadding = .pss) throws(TokenFault) {
        try self.init(KeyHandle(privateDER: der), padding)
    }

    private init(_ handle: KeyHandle, _ padding: RSAPadding) throws(TokenFault) {
        self.handle = handle
        publicKey = try RSAPublicKey(handle, padding)
        contexts = handle.contexts(starting: { padding.start($0, EVP_PKEY_sign_init) }, "EVP_PKEY_sign_init")
    }

    /// The private key in DER. The caller seals it at once.
    package func privateDER() throws(TokenFault) -> SecretBytes { try handle.privateDER() }

    /// The signature; it has the length of the modulus.
    package func sign(_ message: [UInt8]) throws(TokenFault) -> [UInt8] {
        let digest = SHA256.digest(message)
        let size = Int(EVP_PKEY_get_size(handle.key))
        return try contexts.withContext { (context) throws(TokenFault) -> [UInt8] in
            var signature = [UInt8](repeating: 0, count: size)
            var length = size
            try requireSuccess(
                EVP_PKEY_sign(context, &signature, &length, digest, digest.count), "EVP_PKEY_sign")
            return Array(signature.prefix(length))
        }
    }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
