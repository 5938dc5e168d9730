import COpenSSL

/// Digests and codes in other systems' formats, with which gateways and webhooks sign.
package enum MessageCode {
    package enum Hash: Sendable { case md5, sha1, sha256, sha384, sha512 }

    /// HMAC (RFC 2104).
    package static func hmac(_ hash: Hash, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length = 0
        let result = EVP_Q_mac(
            nil, "HMAC", nil, hash.name, nil, key, key.count, message, message.count, &code, code.count, &length)
        precondition(result != nil, "HMAC: OpenSSL has no such hash")
        return Array(code[..<length])
    }

    package static func digest(_ hash: Hash, _ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let result = EVP_Digest(message, message.count, &digest, &length, hash.algorithm, nil)
        precondition(result == 1, "EVP_Digest: OpenSSL has no such hash")
        return Array(digest[..<Int(length)])
    }

    /// Ed25519 (RFC 8032).
    package static func isEd25519(_ signature: [UInt8], by key: [UInt8], of message: [UInt8]) -> Bool {
        guard key.count == 32, signature.count == 64,
            let publicKey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count)
        else { return false }
        defer { EVP_PKEY_free(publicKey) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, publicKey) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

extension MessageCode.Hash {
    fileprivate var name: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }

    fileprivate var algorithm: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}
