import COpenSSL

/// The padding of an RSA key's signatures. A key has one padding for its whole life.
package enum RSAPadding: Sendable {
    /// RSASSA-PSS (RFC 8017 section 8.1): SHA-256, MGF1 with the same, and a salt as long as the digest.
    case pss
    /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2) with SHA-256.
    case pkcs1

    /// Prepares a context for this padding.
    func start(_ context: OpaquePointer, _ initialize: (OpaquePointer) -> Int32) -> Int32 {
        let padding =
            switch self {
            case .pss: RSA_PKCS1_PSS_PADDING
            case .pkcs1: RSA_PKCS1_PADDING
            }
        guard initialize(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1,
            EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        else { return 0 }
        switch self {
        case .pss: return EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST)
        case .pkcs1: return 1
        }
    }
}
