import COpenSSL
import Possession

/// Owns one reference to an `EVP_PKEY`.
final class KeyHandle: @unchecked Sendable {
    // Sendable because the key is never changed once made, and OpenSSL counts references atomically.
    let key: OpaquePointer

    /// Takes over the reference.
    init(owning key: OpaquePointer) {
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
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

    /// Contexts that are ready to sign or to verify, for many calls.
    func contexts(starting start: @escaping (OpaquePointer) -> Int32, _ call: StaticString) -> ContextPool {
        ContextPool(
            make: { () throws(TokenFault) in try self.context(starting: start, call) },
            free: { EVP_PKEY_CTX_free($0) })
    }
}
