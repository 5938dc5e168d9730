import COpenSSL
package import Engine
package import Possession
package import StrictJSON
internal import Text

/// An RSA public key that checks signatures with SHA-256 and one padding.
package struct RSAPublicKey: Sendable {
    /// SubjectPublicKeyInfo (RFC 5280 section 4.1).
    package let der: [UInt8]
    /// RFC 7638, of the members `e`, `kty` and `n`.
    package let thumbprint: Thumbprint
    /// Modulus and exponent in base64url (RFC 7518 section 6.3.1).
    private let modulus: String
    private let exponent: String
    private let contexts: ContextPool

    /// Reads a SubjectPublicKeyInfo.
    ///
    /// - Throws: `TokenFault` unless it is exactly one RSA key of at least 3072 bits.
    package init(der: [UInt8], _ padding: RSAPadding = .pss) throws(TokenFault) {
        let key = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
            var position: UnsafePointer<UInt8>? = start
            let key = d2i_PUBKEY(nil, &position, bytes.count)
            guard position == start + bytes.count else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        try self.init(KeyHandle(owning: try requireObject(key, "d2i_PUBKEY")), padding)
    }

    /// The public half of a key.
    init(_ handle: KeyHandle, _ padding: RSAPadding) throws(TokenFault) {
        guard EVP_PKEY_get_base_id(handle.key) == EVP_PKEY_RSA, EVP_PKEY_get_bits(handle.key) >= RSAKey.bits else {
            throw TokenFault("not an RSA key of \(RSAKey.bits) bits")
        }
        der = try Self.der(of: handle)
        modulus = Base64URL.encode(try Self.number("n", of: handle))
        exponent = Base64URL.encode(try Self.number("e", of: handle))
        thumbprint = Self.thumbprint(modulus: modulus, exponent: exponent)
        contexts = handle.contexts(starting: { padding.start($0, EVP_PKEY_verify_init) }, "EVP_PKEY_verify_init")
    }

    /// As JWK, public members only: `kty`, `n`, `e`.
    package var jwk: JSONObject { ["kty": "RSA", "n": .string(modulus), "e": .string(exponent)] }

    /// RFC 7468 section 13.
    package var pem: String {
        let text = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self) + "\n"
        }
        return "-----BEGIN PUBLIC KEY-----\n" + lines.joined() + "-----END PUBLIC KEY-----\n"
    }

    /// Whether `signature` is this key's signature over `message`. Any error gives `false`.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        let digest = SHA256.digest(message)
        let result = try? contexts.withContext { (context) throws(TokenFault) -> Int32 in
            let result = EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
            // 0: wrong signature. Below 0: an error.
            if result != 1 { ERR_clear_error() }
            guard result >= 0 else { throw TokenFault("EVP_PKEY_verify failed") }
            return result
        }
        return result == 1
    }

    private static func der(of handle: KeyHandle) throws(TokenFault) -> [UInt8] {
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(handle.key, &der)
        guard length > 0, let der else {
            ERR_clear_error()
            throw TokenFault("i2d_PUBKEY failed")
        }
        defer { CRYPTO_free(der, #file, #line) }
        return Array(UnsafeBufferPointer(start: der, count: Int(length)))
    }

    private static func thumbprint(modulus: String, exponent: String) -> Thumbprint {
        guard let thumbprint = Thumbprint(SHA256.digest(#"{"e":"\#(exponent)","kty":"RSA","n":"\#(modulus)"}"#)) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return thumbprint
    }

    /// `n` or `e`, without leading zeros (RFC 7518 section 6.3.1).
    private static func number(_ name: String, of handle: KeyHandle) throws(TokenFault) -> [UInt8] {
        var number: OpaquePointer?
        try requireSuccess(EVP_PKEY_get_bn_param(handle.key, name, &number), "EVP_PKEY_get_bn_param")
        let value = try requireObject(number, "EVP_PKEY_get_bn_param")
        defer { BN_free(value) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(value) + 7) / 8)
        guard Int(BN_bn2bin(value, &bytes)) == bytes.count else { throw TokenFault("BN_bn2bin failed") }
        return bytes
    }
}
