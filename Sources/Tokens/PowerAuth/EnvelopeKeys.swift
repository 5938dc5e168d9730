import Engine
import Possession

/// The three keys of an envelope, 16 bytes each, which open the request and seal its reply.
struct EnvelopeKeys: Sendable {
    private let encryption: BriefSecret
    private let authentication: BriefSecret
    private let nonceKey: BriefSecret

    /// - Parameter envelopeKey: 48 bytes.
    init(envelopeKey: BriefSecret) {
        precondition(envelopeKey.bytes.count == 48, "three keys")
        encryption = BriefSecret(Array(envelopeKey.bytes[..<16]))
        authentication = BriefSecret(Array(envelopeKey.bytes[16..<32]))
        nonceKey = BriefSecret(Array(envelopeKey.bytes[32...]))
    }

    /// - Throws: `TokenFault` when OpenSSL refuses the agreement.
    init(
        recipient: KeyHandle, point: CurvePoint, ephemeralPublicKey: [UInt8], _ context: EnvelopeContext
    ) throws(TokenFault) {
        let shared = try recipient.agree(with: point)
        self.init(
            envelopeKey: KeyDerivation.x963(
                shared, info: context.derivationInfo(ephemeralPublicKey: ephemeralPublicKey)))
    }

    /// Whether the request has the right MAC. Checked before anything is decrypted, so that padding errors reveal
    /// nothing.
    func authenticates(_ envelope: Envelope, _ context: EnvelopeContext) -> Bool {
        constantTimeEqual(
            envelope.mac,
            mac(
                of: envelope.ciphertext,
                context.authenticatedData(
                    nonce: envelope.nonce, timestamp: envelope.timestamp,
                    ephemeralPublicKey: envelope.ephemeralPublicKey)))
    }

    /// `nil`: the padding is wrong, though the MAC was right.
    func decrypt(_ envelope: Envelope) throws(TokenFault) -> [UInt8]? {
        try AES128.decrypt(envelope.ciphertext, key: encryption, iv: iv(envelope.nonce), pads: true)
    }

    /// - Parameter nonce: 16 fresh random bytes.
    func reply(
        _ plain: [UInt8], nonce: [UInt8], timestamp: Int64, _ context: EnvelopeContext
    ) throws(TokenFault) -> EnvelopeReply {
        let ciphertext = try AES128.encrypt(plain, key: encryption, iv: iv(nonce), pads: true)
        let data = context.authenticatedData(nonce: nonce, timestamp: timestamp, ephemeralPublicKey: [])
        return EnvelopeReply(
            ciphertext: ciphertext, mac: mac(of: ciphertext, data), nonce: nonce, timestamp: timestamp)
    }

    private func mac(of ciphertext: [UInt8], _ data: [UInt8]) -> [UInt8] {
        MessageCode.hmac(.sha256, key: authentication.bytes, ciphertext + data)
    }

    private func iv(_ nonce: [UInt8]) -> [UInt8] {
        KeyDerivation.key(from: nonceKey, index: nonce).bytes
    }
}
