import COpenSSL
import Engine
import Possession

/// Owns one reference to an `EVP_PKEY`.
final class KeyHandle: @unchecked Sendable {
    // Sendable because the key never changes after `init`, and OpenSSL's reference count is atomic.
    let key: OpaquePointer

    /// Takes ownership of the reference.
    init(owning key: OpaquePointer) {
        self.key = key
    }

    /// Reads a private key of any kind in DER.
    ///
    /// - Throws: `TokenFault` unless it is exactly one key.
    convenience init(privateDER der: [UInt8]) throws(TokenFault) {
        let key = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
            var position: UnsafePointer<UInt8>? = start
            let key = d2i_AutoPrivateKey(nil, &position, bytes.count)
            guard position == start + bytes.count else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        self.init(owning: try requireObject(key, "d2i_AutoPrivateKey"))
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The private key in DER. The caller seals it at once.
    func privateDER() throws(TokenFault) -> SecretBytes {
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_PrivateKey(key, &der)
        guard length > 0, let der else {
            ERR_clear_error()
            throw TokenFault("i2d_PrivateKey failed")
        }
        defer { CRYPTO_clear_free(der, Int(length), #file, #line) }
        return SecretBytes(Array(UnsafeBufferPointer(start: der, count: Int(length))))
    }

    /// A context for one operation on this key.
    func context(
        starting start: (OpaquePointer) -> Int32, _ call: StaticString
    ) throws(TokenFault) -> OpaquePointer {
        let context = try requireObject(EVP_PKEY_CTX_new(key, nil), "EVP_PKEY_CTX_new")
        do throws(TokenFault) { try requireSuccess(start(context), call) } catch {
            EVP_PKEY_CTX_free(context)
            throw error
        }
        return context
    }

    /// Contexts prepared for signing or verifying, for many calls.
    func contexts(starting start: @escaping (OpaquePointer) -> Int32, _ call: StaticString) -> ContextPool {
        ContextPool(
            make: { () throws(TokenFault) in try self.context(starting: start, call) },
            free: { EVP_PKEY_CTX_free($0) })
    }
}
