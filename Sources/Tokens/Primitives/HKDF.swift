import COpenSSL
package import Engine
internal import Possession
internal import Secrets

/// HKDF with SHA-256 (RFC 5869): extract and expand.
package enum HKDF {
    /// - Throws: `TokenFault` when OpenSSL refuses, as it does for more than 8160 bytes.
    package static func derive(
        from key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) throws(TokenFault) -> SecretBytes {
        let context = try requireObject(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil), "EVP_PKEY_CTX_new_id")
        defer { EVP_PKEY_CTX_free(context) }
        try requireSuccess(EVP_PKEY_derive_init(context), "EVP_PKEY_derive_init")
        try requireSuccess(EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()), "EVP_PKEY_CTX_set_hkdf_md")
        if !salt.isEmpty {
            try requireSuccess(
                EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)), "EVP_PKEY_CTX_set1_hkdf_salt")
        }
        try key.withBytes { (bytes) throws(TokenFault) in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            try requireSuccess(
                EVP_PKEY_CTX_set1_hkdf_key(context, start, Int32(bytes.count)), "EVP_PKEY_CTX_set1_hkdf_key")
        }
        if !info.isEmpty {
            try requireSuccess(
                EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)), "EVP_PKEY_CTX_add1_hkdf_info")
        }
        var output = [UInt8](repeating: 0, count: count)
        defer { output.wipe() }
        var length = count
        try requireSuccess(EVP_PKEY_derive(context, &output, &length), "EVP_PKEY_derive")
        guard length == count else { throw TokenFault("EVP_PKEY_derive gave another length") }
        return SecretBytes(output)
    }
}
