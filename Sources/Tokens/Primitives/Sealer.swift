import COpenSSL
internal import Locks
package import Possession
internal import Secrets

/// Seals small values for storage: AES-256-GCM with a fresh random nonce each, bound to a context.
///
/// Form: version (1 byte), day (2, most significant first), nonce (12), ciphertext, tag (16). The context, such as table,
/// column and row, is authenticated with the first three bytes, so that a sealed value cannot be moved elsewhere.
///
/// Random nonces allow 2^32 seals a key (NIST SP 800-38D section 8.3). Each day has a key of its own, derived by HMAC
/// (SP 800-108 section 4.1): 49,000 seals a second, day and night, stay below that.
package struct Sealer: Sendable {
    private static let version: UInt8 = 1
    private static let nonceSize = 12
    private static let tagSize = 16
    private static let headerSize = 3
    /// Bytes that sealing adds.
    package static let overhead = headerSize + nonceSize + tagSize

    private let now: Now
    private let randomBytes: RandomBytes
    private let keys: DayKeys

    /// - Parameter now: the machine's clock. Any day opens what any other has sealed.
    /// - Throws: `TokenFault` unless the key has 32 bytes.
    package init(key: SecretBytes, now: @escaping Now, randomBytes: @escaping RandomBytes) throws(TokenFault) {
        guard key.count == 32 else { throw TokenFault("a sealing key has 32 bytes") }
        self.now = now
        self.randomBytes = randomBytes
        keys = DayKeys(KeyedHash(key: key))
    }

    /// - Throws: `TokenFault` when OpenSSL or the generator refuses.
    package func seal(_ plain: [UInt8], context: [UInt8]) throws(TokenFault) -> [UInt8] {
        guard plain.count < 1 << 30 else { throw TokenFault("too long to seal") }
        let nonce: [UInt8]
        do { nonce = try randomBytes(Self.nonceSize) } catch { throw TokenFault("no random bytes for a nonce") }
        guard nonce.count == Self.nonceSize else { throw TokenFault("a nonce has 12 bytes") }

        let day = UInt16(clamping: now().milliseconds / 86_400_000)
        let header = [Self.version, UInt8(day >> 8), UInt8(day & 0xFF)]
        let box = try keys.of(day).sealing.withContext { (cipher) throws(TokenFault) -> [UInt8] in
            try Self.start(cipher, nonce: nonce, authenticating: header + context)
            var output = [UInt8](repeating: 0, count: plain.count + Self.tagSize)
            var length: Int32 = 0
            var rest: Int32 = 0
            try output.withUnsafeMutableBufferPointer { (output) throws(TokenFault) in
                guard let start = output.baseAddress else { throw TokenFault("no memory") }
                try requireSuccess(
                    EVP_CipherUpdate(cipher, start, &length, plain, Int32(plain.count)), "EVP_CipherUpdate")
                try requireSuccess(EVP_CipherFinal_ex(cipher, start + Int(length), &rest), "EVP_CipherFinal_ex")
                guard Int(length + rest) == plain.count else { throw TokenFault("GCM gave another length") }
                let tag = start + plain.count
                try requireSuccess(
                    EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), tag), "EVP_CIPHER_CTX_ctrl")
            }
            return output
        }
        var sealed = header
        sealed.reserveCapacity(plain.count + Self.overhead)
        sealed += nonce
        sealed += box
        return sealed
    }

    /// - Throws: `TokenFault` for anything not sealed by this key in this context; which part was wrong it does
    ///   not say.
    package func open(_ sealed: [UInt8], context: [UInt8]) throws(TokenFault) -> [UInt8] {
        guard sealed.count >= Self.overhead, sealed.count < 1 << 30, sealed[0] == Self.version else {
            throw TokenFault("not a sealed value")
        }
        let day = UInt16(sealed[1]) << 8 | UInt16(sealed[2])
        let nonceEnd = Self.headerSize + Self.nonceSize
        let nonce = Array(sealed[Self.headerSize..<nonceEnd])
        let box = Array(sealed[nonceEnd..<sealed.count - Self.tagSize])
        var tag = Array(sealed[(sealed.count - Self.tagSize)...])
        let header = Array(sealed[..<Self.headerSize])

        return try keys.of(day).opening.withContext { (cipher) throws(TokenFault) -> [UInt8] in
            try Self.start(cipher, nonce: nonce, authenticating: header + context)
            try requireSuccess(
                EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag), "EVP_CIPHER_CTX_ctrl")
            // One spare byte, so that the final call has a valid address even when nothing was sealed.
            var plain = [UInt8](repeating: 0, count: box.count + 1)
            var length: Int32 = 0
            var rest: Int32 = 0
            try plain.withUnsafeMutableBufferPointer { (plain) throws(TokenFault) in
                guard let start = plain.baseAddress else { throw TokenFault("no memory") }
                try requireSuccess(EVP_CipherUpdate(cipher, start, &length, box, Int32(box.count)), "EVP_CipherUpdate")
                do throws(TokenFault) {
                    try requireSuccess(EVP_CipherFinal_ex(cipher, start + Int(length), &rest), "EVP_CipherFinal_ex")
                } catch {
                    // Nothing of an unauthenticated plain text may be seen.
                    OPENSSL_cleanse(start, plain.count)
                    throw TokenFault("not a sealed value")
                }
            }
            guard Int(length + rest) == box.count else { throw TokenFault("GCM gave another length") }
            plain.removeLast()
            return plain
        }
    }

    /// Takes the nonce, keeping the key schedule the context was made with, and the authenticated data.
    private static func start(
        _ cipher: OpaquePointer, nonce: [UInt8], authenticating data: [UInt8]
    ) throws(TokenFault) {
        try requireSuccess(EVP_CipherInit_ex2(cipher, nil, nil, nonce, -1, nil), "EVP_CipherInit_ex2")
        var length: Int32 = 0
        try requireSuccess(EVP_CipherUpdate(cipher, nil, &length, data, Int32(data.count)), "EVP_CipherUpdate")
    }
}

/// The keys of the days that were asked for last.
private final class DayKeys: Sendable {
    struct Key: Sendable {
        let sealing: ContextPool
        let opening: ContextPool
    }

    /// Days whose keys are kept: what is older is rarely read, and its key is derived anew in microseconds.
    private static let most = 64

    private let hash: KeyedHash
    private let keys = Locked<[UInt16: Key]>([:])

    init(_ hash: KeyedHash) {
        self.hash = hash
    }

    func of(_ day: UInt16) -> Key {
        keys.withLock { keys in
            if let key = keys[day] { return key }
            let label = Array("sealing key of a day".utf8)
            var bytes = hash.digest(fields: [label, [UInt8(day >> 8), UInt8(day & 0xFF)]])
            defer { bytes.wipe() }
            let secret = SecretBytes(bytes)
            let key = Key(
                sealing: Self.contexts(secret, encrypting: true), opening: Self.contexts(secret, encrypting: false))
            if keys.count >= Self.most, let oldest = keys.keys.min() { keys[oldest] = nil }
            keys[day] = key
            return key
        }
    }

    private static func contexts(_ key: SecretBytes, encrypting: Bool) -> ContextPool {
        ContextPool(
            make: { () throws(TokenFault) in
                let context = try requireObject(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
                let result = key.withBytes {
                    let start = $0.bindMemory(to: UInt8.self).baseAddress
                    return EVP_CipherInit_ex2(context, EVP_aes_256_gcm(), start, nil, encrypting ? 1 : 0, nil)
                }
                do throws(TokenFault) { try requireSuccess(result, "EVP_CipherInit_ex2") } catch {
                    EVP_CIPHER_CTX_free(context)
                    throw error
                }
                return context
            },
            free: { EVP_CIPHER_CTX_free($0) })
    }
}
