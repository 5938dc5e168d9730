import COpenSSL
package import Engine
internal import Possession

/// Encrypts a long stream in chunks with AES-256-GCM, so that a reader can verify each chunk as it arrives.
///
///     nonce of a chunk: its number from 0 (11 bytes, most significant first), 1 for the last chunk and 0 for others
///
/// This is the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár 2015), as age uses it. A stream with a
/// missing, repeated, moved or truncated chunk, or with a chunk from another stream, does not open. Each stream needs
/// its own key, because nonces repeat from stream to stream. Only one thread at a time may use a cipher.
package final class ChunkCipher {
    /// Plain bytes of each chunk except the last, which has 1 to this many. The only chunk of an empty stream has none.
    package static let chunkBytes = 64 * 1024
    /// Bytes that encryption adds to each chunk.
    package static let overhead = tagSize

    package enum Direction: Sendable { case encrypting, decrypting }

    private static let tagSize = 16
    private let cipher: OpaquePointer
    private let header: [UInt8]
    private let direction: Direction

    /// - Parameter header: authenticated with each chunk.
    /// - Throws: `TokenFault` unless the key has 32 bytes, or when OpenSSL refuses.
    package init(key: SecretBytes, header: [UInt8], _ direction: Direction) throws(TokenFault) {
        guard key.count == 32 else { throw TokenFault("a key of a stream has 32 bytes") }
        self.header = header
        self.direction = direction
        cipher = try requireObject(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        let result = key.withBytes {
            let start = $0.bindMemory(to: UInt8.self).baseAddress
            return EVP_CipherInit_ex2(cipher, EVP_aes_256_gcm(), start, nil, direction == .encrypting ? 1 : 0, nil)
        }
        try requireSuccess(result, "EVP_CipherInit_ex2")
    }

    deinit { EVP_CIPHER_CTX_free(cipher) }

    /// The encrypted chunk and its tag.
    /// - Parameter plain: `chunkBytes`, or fewer in the last chunk.
    /// - Throws: `TokenFault` when OpenSSL refuses.
    package func seal(_ plain: [UInt8], number: UInt64, isLast: Bool) throws(TokenFault) -> [UInt8] {
        precondition(direction == .encrypting, "this cipher opens")
        precondition(isLast ? plain.count <= Self.chunkBytes : plain.count == Self.chunkBytes, "no such chunk")
        try begin(number, isLast)
        var output = [UInt8](repeating: 0, count: plain.count + Self.tagSize)
        var length: Int32 = 0
        var rest: Int32 = 0
        try output.withUnsafeMutableBufferPointer { (output) throws(TokenFault) in
            guard let start = output.baseAddress else { throw TokenFault("no memory") }
            try requireSuccess(EVP_CipherUpdate(cipher, start, &length, plain, Int32(plain.count)), "EVP_CipherUpdate")
            try requireSuccess(EVP_CipherFinal_ex(cipher, start + Int(length), &rest), "EVP_CipherFinal_ex")
            guard Int(length + rest) == plain.count else { throw TokenFault("GCM gave another length") }
            let tag = start + plain.count
            try requireSuccess(
                EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), tag), "EVP_CIPHER_CTX_ctrl")
        }
        return output
    }

    /// - Throws: `TokenFault` for anything except this chunk of this stream.
    package func open(_ sealed: [UInt8], number: UInt64, isLast: Bool) throws(TokenFault) -> [UInt8] {
        precondition(direction == .decrypting, "this cipher seals")
        let size = sealed.count - Self.tagSize
        guard size >= 0, isLast ? size <= Self.chunkBytes : size == Self.chunkBytes else {
            throw TokenFault("not a chunk")
        }
        try begin(number, isLast)
        var tag = Array(sealed[size...])
        try requireSuccess(
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag), "EVP_CIPHER_CTX_ctrl")
        // One spare byte, so that the final call has a valid address after an empty chunk.
        var plain = [UInt8](repeating: 0, count: size + 1)
        var length: Int32 = 0
        var rest: Int32 = 0
        try plain.withUnsafeMutableBufferPointer { (plain) throws(TokenFault) in
            guard let start = plain.baseAddress else { throw TokenFault("no memory") }
            try requireSuccess(EVP_CipherUpdate(cipher, start, &length, sealed, Int32(size)), "EVP_CipherUpdate")
            do throws(TokenFault) {
                try requireSuccess(EVP_CipherFinal_ex(cipher, start + Int(length), &rest), "EVP_CipherFinal_ex")
            } catch {
                // An unauthenticated plain text must not be visible.
                OPENSSL_cleanse(start, plain.count)
                throw TokenFault("not this chunk")
            }
        }
        guard Int(length + rest) == size else { throw TokenFault("GCM gave another length") }
        plain.removeLast()
        return plain
    }

    /// Sets the nonce of a chunk, and the header as authenticated data.
    private func begin(_ number: UInt64, _ isLast: Bool) throws(TokenFault) {
        var nonce: [UInt8] = [0, 0, 0]
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            nonce.append(UInt8(truncatingIfNeeded: number >> shift))
        }
        nonce.append(isLast ? 1 : 0)
        try requireSuccess(EVP_CipherInit_ex2(cipher, nil, nil, nonce, -1, nil), "EVP_CipherInit_ex2")
        var length: Int32 = 0
        try requireSuccess(EVP_CipherUpdate(cipher, nil, &length, header, Int32(header.count)), "EVP_CipherUpdate")
    }
}
