import COpenSSL
internal import Locks
package import Engine
package import Possession
internal import Secrets

/// Seals small values for storage: AES-256-GCM with a fresh random nonce each, bound to a context.
///
/// Form: generation (1 byte), day (2, most significant first), nonce (12), ciphertext, tag (16). The context, such as
/// table, column and row, is authenticated with the first three bytes, so that a sealed value cannot be moved
/// elsewhere.
///
/// The generation names the key (DAT-03): new values use the current one, and values of all known generations can be
/// opened.
///
/// Random nonces allow 2^32 seals per key (NIST SP 800-38D section 8.3). Each day has its own key, derived by HMAC (SP
/// 800-108 section 4.1): 49,000 seals a second, all day, stay below that.
package struct Sealer: Sendable {
    private static let nonceSize = 12
    private static let tagSize = 16
    private static let headerSize = 3
    /// Bytes that sealing adds.
    package static let overhead = headerSize + nonceSize + tagSize

    private let now: Now
    private let randomBytes: RandomBytes
    private let keys: DayKeys

    /// - Parameter now: the machine's clock. A value can be opened on any day.
    /// - Throws: `TokenFault` unless the keys have 32 bytes.
    package init(keys: SealingKeys, now: @escaping Now, randomBytes: @escaping RandomBytes) throws(TokenFault) {
        self.now = now
        self.randomBytes = randomBytes
        self.keys = try DayKeys(keys)
    }

    /// With a single key, which is the first generation.
    package init(key: SecretBytes, now: @escaping Now, randomBytes: @escaping RandomBytes) throws(TokenFault) {
        try self.init(keys: SealingKeys(current: 1, keys: [1: key]), now: now, randomBytes: randomBytes)
    }

    /// Seals with other keys from now on. Calls in progress end with the previous keys.
    ///
    /// - Throws: `TokenFault` unless the keys have 32 bytes; the previous keys then stay.
    package func adopt(_ keys: SealingKeys) throws(TokenFault) { try self.keys.adopt(keys) }

    /// The generation of new values.
    package var generation: UInt8 { keys.generation }

    /// Whether a value names a generation without a key here. Another server may already have that key.
    func isOfUnknownGeneration(_ sealed: [UInt8]) -> Bool {
        guard let generation = sealed.first else { return false }
        return !keys.has(generation)
    }

    /// - Throws: `TokenFault` when OpenSSL or the generator refuses.
    package func seal(_ plain: [UInt8], context: [UInt8]) throws(TokenFault) -> [UInt8] {
        guard plain.count < 1 << 30 else { throw TokenFault("too long to seal") }
        let nonce: [UInt8]
        do { nonce = try randomBytes(Self.nonceSize) } catch { throw TokenFault("no random bytes for a nonce") }
        guard nonce.count == Self.nonceSize else { throw TokenFault("a nonce has 12 bytes") }

        let day = UInt16(clamping: now().milliseconds / 86_400_000)
        let (generation, contexts) = keys.current(on: day)
        let header = [generation, UInt8(day >> 8), UInt8(day & 0xFF)]
        let box = try contexts.sealing.withContext { (cipher) throws(TokenFault) -> [UInt8] in
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

    /// - Throws: `TokenFault` for anything that was not sealed by this key in this context, without saying which part
    ///   was wrong.
    package func open(_ sealed: [UInt8], context: [UInt8]) throws(TokenFault) -> [UInt8] {
        guard sealed.count >= Self.overhead, sealed.count < 1 << 30,
            let contexts = keys.of(sealed[0], on: UInt16(sealed[1]) << 8 | UInt16(sealed[2]))
        else { throw TokenFault("not a sealed value") }
        let nonceEnd = Self.headerSize + Self.nonceSize
        let nonce = Array(sealed[Self.headerSize..<nonceEnd])
        let box = Array(sealed[nonceEnd..<sealed.count - Self.tagSize])
        var tag = Array(sealed[(sealed.count - Self.tagSize)...])
        let header = Array(sealed[..<Self.headerSize])

        return try contexts.opening.withContext { (cipher) throws(TokenFault) -> [UInt8] in
            try Self.start(cipher, nonce: nonce, authenticating: header + context)
            try requireSuccess(
                EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag), "EVP_CIPHER_CTX_ctrl")
            // One spare byte, so that the final call has a valid address even for an empty value.
            var plain = [UInt8](repeating: 0, count: box.count + 1)
            var length: Int32 = 0
            var rest: Int32 = 0
            try plain.withUnsafeMutableBufferPointer { (plain) throws(TokenFault) in
                guard let start = plain.baseAddress else { throw TokenFault("no memory") }
                try requireSuccess(EVP_CipherUpdate(cipher, start, &length, box, Int32(box.count)), "EVP_CipherUpdate")
                do throws(TokenFault) {
                    try requireSuccess(EVP_CipherFinal_ex(cipher, start + Int(length), &rest), "EVP_CipherFinal_ex")
                } catch {
                    // An unauthenticated plain text must not be visible.
                    OPENSSL_cleanse(start, plain.count)
                    throw TokenFault("not a sealed value")
                }
            }
            guard Int(length + rest) == box.count else { throw TokenFault("GCM gave another length") }
            plain.removeLast()
            return plain
        }
    }

    /// The same value, sealed with the current generation.
    ///
    /// - Throws: `TokenFault` as `open` and `seal`.
    package func resealed(_ sealed: [UInt8], context: [UInt8]) throws(TokenFault) -> [UInt8] {
        var plain = try open(sealed, context: context)
        defer { plain.wipe() }
        return try seal(plain, context: context)
    }

    /// Sets the nonce and the authenticated data, and keeps the context's key schedule.
    private static func start(
        _ cipher: OpaquePointer, nonce: [UInt8], authenticating data: [UInt8]
    ) throws(TokenFault) {
        try requireSuccess(EVP_CipherInit_ex2(cipher, nil, nil, nonce, -1, nil), "EVP_CipherInit_ex2")
        var length: Int32 = 0
        try requireSuccess(EVP_CipherUpdate(cipher, nil, &length, data, Int32(data.count)), "EVP_CipherUpdate")
    }
}

/// The keys of a sealer, by generation.
package struct SealingKeys: Sendable {
    /// The generation of new values.
    package let current: UInt8
    /// Keys of 32 bytes each, by generation.
    package let keys: [UInt8: SecretBytes]
}

/// The keys of the days that were used last.
private final class DayKeys: Sendable {
    struct Key: Sendable {
        let sealing: ContextPool
        let opening: ContextPool
    }

    /// Days whose keys are kept: older days are rarely read, and their key is derived again in microseconds.
    private static let most = 64

    private struct State {
        var current: UInt8
        var sources: [UInt8: KeyedHash]
        /// By generation and day.
        var keys: [UInt32: Key] = [:]
    }

    private let state: Locked<State>

    init(_ keys: SealingKeys) throws(TokenFault) {
        state = Locked(State(current: keys.current, sources: try Self.sources(keys)))
    }

    private static func sources(_ keys: SealingKeys) throws(TokenFault) -> [UInt8: KeyedHash] {
        guard keys.keys[keys.current] != nil, keys.keys.values.allSatisfy({ $0.count == 32 }) else {
            throw TokenFault("a sealing key has 32 bytes")
        }
        return keys.keys.mapValues { KeyedHash(key: $0) }
    }

    func adopt(_ keys: SealingKeys) throws(TokenFault) {
        let sources = try Self.sources(keys)
        state.withLock { $0 = State(current: keys.current, sources: sources) }
    }

    var generation: UInt8 { state.withLock { $0.current } }

    func has(_ generation: UInt8) -> Bool { state.withLock { $0.sources[generation] != nil } }

    func current(on day: UInt16) -> (generation: UInt8, key: Key) {
        state.withLock { state in
            guard let key = Self.key(state.current, day, &state) else {
                preconditionFailure("the current generation has a key")
            }
            return (state.current, key)
        }
    }

    /// `nil`: there is no such generation.
    func of(_ generation: UInt8, on day: UInt16) -> Key? {
        state.withLock { Self.key(generation, day, &$0) }
    }

    private static func key(_ generation: UInt8, _ day: UInt16, _ state: inout State) -> Key? {
        let place = UInt32(generation) << 16 | UInt32(day)
        if let key = state.keys[place] { return key }
        guard let source = state.sources[generation] else { return nil }
        let label = Array("sealing key of a day".utf8)
        var bytes = source.digest(fields: [label, [UInt8(day >> 8), UInt8(day & 0xFF)]])
        defer { bytes.wipe() }
        let secret = SecretBytes(bytes)
        let key = Key(sealing: contexts(secret, encrypting: true), opening: contexts(secret, encrypting: false))
        if state.keys.count >= most, let oldest = state.keys.keys.min() { state.keys[oldest] = nil }
        state.keys[place] = key
        return key
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
