import COpenSSL
package import Possession

/// A P-256 public key that checks ES256 signatures.
package struct VerifyingKey: Sendable {
    package let publicKey: PublicKey
    private let contexts: ContextPool

    /// An empty key on the curve, whose parameters every other one copies: reading them by name takes longer.
    private static let template: KeyHandle? = try? {
        () throws(TokenFault) -> KeyHandle in
        let context = try requireObject(EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil), "EVP_PKEY_CTX_new_id")
        defer { EVP_PKEY_CTX_free(context) }
        try requireSuccess(EVP_PKEY_paramgen_init(context), "EVP_PKEY_paramgen_init")
        try requireSuccess(
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1),
            "EVP_PKEY_CTX_set_ec_paramgen_curve_nid")
        var key: OpaquePointer?
        try requireSuccess(EVP_PKEY_paramgen(context, &key), "EVP_PKEY_paramgen")
        return KeyHandle(owning: try requireObject(key, "EVP_PKEY_paramgen"))
    }()

    /// - Throws: `TokenFault` unless the coordinates are in range and satisfy the curve equation. The point at
    ///   infinity has no such coordinates.
    package init(_ publicKey: PublicKey) throws(TokenFault) {
        guard let template = Self.template else { throw TokenFault("P-256 is not available") }
        let handle = KeyHandle(owning: try requireObject(EVP_PKEY_new(), "EVP_PKEY_new"))
        try requireSuccess(EVP_PKEY_copy_parameters(handle.key, template.key), "EVP_PKEY_copy_parameters")
        // SEC 1 section 2.3.4: the uncompressed form. Reading it checks range and equation.
        let point = [0x04] + publicKey.x + publicKey.y
        try requireSuccess(
            EVP_PKEY_set1_encoded_public_key(handle.key, point, point.count), "EVP_PKEY_set1_encoded_public_key")
        self.publicKey = publicKey
        contexts = handle.contexts(starting: EVP_PKEY_verify_init, "EVP_PKEY_verify_init")
    }

    /// Whether `signature`, raw r and s, is this key's over `message`. Anything amiss makes it `false`.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let signature = ECDSASignature(raw: signature) else { return false }
        return verifies(signature, ofDigest: SHA256.digest(message))
    }

    func verifies(_ signature: ECDSASignature, ofDigest digest: [UInt8]) -> Bool {
        let der = signature.der
        let result = try? contexts.withContext { (context) throws(TokenFault) -> Int32 in
            let result = EVP_PKEY_verify(context, der, der.count, digest, digest.count)
            // 0: not its signature. Below 0: an error.
            if result != 1 { ERR_clear_error() }
            guard result >= 0 else { throw TokenFault("EVP_PKEY_verify failed") }
            return result
        }
        return result == 1
    }
}
