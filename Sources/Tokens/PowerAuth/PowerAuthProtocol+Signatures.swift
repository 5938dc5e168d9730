package import Engine
package import Possession

extension PowerAuthProtocol {
    /// Phones sign with tokens by their own clock, which may be wrong (the vendor's limits).
    private static let tokenLife: Duration = .seconds(2 * 3600)
    private static let tokenLead: Duration = .seconds(30 * 60)

    package func verify(
        _ call: SignedCall, from caller: DeviceCaller
    ) throws(DeviceProtocolError) -> SignatureMatch? {
        guard let activation = caller.activation,
            call.signature.count == call.factors.count * SignatureCode.partSize
        else { throw .refused }
        return try withFault { () throws(TokenFault) in
            let data = SignatureCode.data(of: call, secretText: try secrets(of: caller.application).secretText)
            let match = SignatureCode.match(
                call.signature, of: data, from: try counter(of: activation.id, activation.secrets),
                keys: try keys(of: activation.id, activation.secrets).keys(of: call.factors))
            guard let match else { return nil }
            return SignatureMatch(
                skipped: match.skipped, counter: try seal(match.counter.successor, of: activation.id))
        }
    }

    package func makeToken(of id: ActivationID) throws(TokenFault) -> NewDeviceToken {
        let secret = try random(KeyDerivation.keySize)
        return NewDeviceToken(sealed: try seal(secret, .token, of: id.bytes), secret: secret)
    }

    package func isProof(
        _ proof: TokenProof, by sealedToken: [UInt8], of id: ActivationID, at now: Timestamp
    ) throws(TokenFault) -> Bool {
        guard proof.nonce.count == 16, proof.timestamp >= now.adding(.zero - Self.tokenLife).milliseconds,
            proof.timestamp <= now.adding(Self.tokenLead).milliseconds
        else { return false }
        let secret = BriefSecret(try open(sealedToken, .token, of: id.bytes))
        return constantTimeEqual(proof.digest, Self.digest(proof, secret))
    }

    /// HMAC of nonce, time and version as text, with `&` between them.
    static func digest(_ proof: TokenProof, _ secret: BriefSecret) -> [UInt8] {
        MessageCode.hmac(
            .sha256, key: secret.bytes,
            proof.nonce + Array("&\(proof.timestamp)&\(proof.version.rawValue)".utf8))
    }
}
