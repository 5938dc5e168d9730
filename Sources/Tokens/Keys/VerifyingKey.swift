import COpenSSL
package import Engine
package import Possession

/// A P-256 public key that checks ES256 signatures.
package struct VerifyingKey: Sendable {
    package let publicKey: PublicKey
    private let contexts: ContextPool

    /// - Throws: `TokenFault` unless the coordinates are in range and satisfy the curve equation. The point at
    ///   infinity has no such coordinates.
    package init(_ publicKey: PublicKey) throws(TokenFault) {
        let handle = try KeyHandle(point: publicKey.uncompressed)
        self.publicKey = publicKey
        contexts = handle.contexts(starting: EVP_PKEY_verify_init, "EVP_PKEY_verify_init")
    }

    /// Whether `signature`, raw r and s, is this key's signature over `message`. Any error gives `false`.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let signature = ECDSASignature(raw: signature) else { return false }
        return verifies(signature, ofDigest: SHA256.digest(message))
    }

    func verifies(_ signature: ECDSASignature, ofDigest digest: [UInt8]) -> Bool {
        let der = signature.der
        let result = try? contexts.withContext { (context) throws(TokenFault) -> Int32 in
            let result = EVP_PKEY_verify(context, der, der.count, digest, digest.count)
            // 0: wrong signature. Below 0: an error.
            if result != 1 { ERR_clear_error() }
            guard result >= 0 else { throw TokenFault("EVP_PKEY_verify failed") }
            return result
        }
        return result == 1
    }
}
