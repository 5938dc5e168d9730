import Engine
import Possession

/// The 32 bytes that report the status of its activation to a phone, encrypted with AES-128-CBC without padding.
///
///     DE C0 DE D1, state, current and newest version (3, 3), 5 random bytes, low byte of the counter, failed attempts,
///     maximum of them, look-ahead (20), hash of the counter (16)
enum StatusBlobCipher {
    static let size = 32
    /// Bytes of a challenge, and of a nonce.
    static let nonceSize = 16
    static let randomSize = 5

    /// - Parameter random: 5 bytes.
    static func plain(
        _ status: ActivationStatus, _ counter: SignatureCounter, transportKey: BriefSecret, random: [UInt8]
    ) throws(TokenFault) -> [UInt8] {
        let hash = KeyDerivation.key(
            from: try KeyDerivation.key(from: transportKey, number: 4000), index: counter.data)
        let plain =
            [0xDE, 0xC0, 0xDE, 0xD1, status.state.rawValue, 3, 3] + random
            + [
                UInt8(truncatingIfNeeded: counter.number), status.failedAttempts, status.maxFailedAttempts,
                UInt8(SignatureCode.lookAhead),
            ] + hash.bytes
        guard plain.count == size else { throw TokenFault("a status blob has 32 bytes") }
        return plain
    }

    static func encrypt(
        _ plain: [UInt8], transportKey: BriefSecret, challenge: [UInt8], nonce: [UInt8]
    ) throws(TokenFault) -> [UInt8] {
        try AES128.encrypt(
            plain, key: transportKey, iv: try iv(transportKey, challenge: challenge, nonce: nonce), pads: false)
    }

    static func iv(_ transportKey: BriefSecret, challenge: [UInt8], nonce: [UInt8]) throws(TokenFault) -> [UInt8] {
        KeyDerivation.key(
            from: try KeyDerivation.key(from: transportKey, number: 3000), index: challenge + nonce
        ).bytes
    }
}
