package import Engine
package import Possession
import StrictJSON
internal import Text

/// Checks texts that clients sign with their own keys: DPoP proofs (RFC 9449 section 4.3) and device proofs (client
/// protocol 4.10). The proof contains the key; the caller decides by its thumbprint to whom the key belongs.
package struct DPoPVerifier: ProofVerifier {
    private static let dpopType = "dpop+jwt"
    private static let deviceProofType = "device-proof+jwt"

    private let deviceAudience: String
    private let limits: TokenLimits
    /// The keys of clients that have called recently: each calls several times in a session.
    private let signers: RecentValues<PublicKey, Signer>

    private struct Signer: Sendable {
        let key: VerifyingKey
        let thumbprint: Thumbprint
    }

    /// - Parameter deviceAudience: `aud` of device proofs: the public URL and `/client/v1`.
    package init(deviceAudience: String, limits: TokenLimits = TokenLimits()) {
        self.deviceAudience = deviceAudience
        self.limits = limits
        signers = RecentValues(capacity: limits.rememberedKeys)
    }

    package func verifyDPoP(_ proof: String, expecting expected: DPoPExpectation) throws(ProofFault) -> DPoPProof {
        guard let jws = JWS(proof, type: Self.dpopType) else { throw JWS.fault(of: proof) }
        guard let key = JWK.publicKey(jws.header["jwk"]) else { throw .form }
        guard jws.claims.hasString("htm", expected.method) else { throw .claim(.htm) }
        guard let target = jws.claims["htu"]?.string, isOne(of: expected.targets, target) else { throw .claim(.htu) }
        guard jws.claims.hasString("nonce", expected.nonce) else { throw .claim(.nonce) }
        guard jws.claims.hasString("ath", Base64URL.encode(SHA256.digest(expected.accessToken))) else {
            throw .claim(.ath)
        }
        let issuedAt = try time(in: jws.claims, within: limits.dpopWindow, of: expected.systemNow)
        guard let jti = jws.claims["jti"]?.string, (1...128).contains(jti.utf8.count) else { throw .claim(.jti) }
        guard let signer = signer(of: jws, by: key) else { throw .signature }
        // The window is in whole seconds and includes its last second.
        return DPoPProof(
            thumbprint: signer, jtiDigest: SHA256.digest(jti), issuedAt: issuedAt,
            checkedAt: expected.systemNow, validUntil: issuedAt.adding(limits.dpopWindow + .seconds(1)))
    }

    package func verifyDeviceProof(_ proof: String, systemNow: Timestamp) throws(ProofFault) -> DeviceProof {
        guard let jws = JWS(proof, type: Self.deviceProofType) else { throw JWS.fault(of: proof) }
        guard let key = JWK.publicKey(jws.header["jwk"]) else { throw .form }
        guard let audience = jws.claims["aud"]?.string, isOne(of: [deviceAudience], audience) else {
            throw .claim(.aud)
        }
        guard let authID = jws.claims["sub"]?.string.flatMap({ AuthID($0) }) else { throw .claim(.sub) }
        guard let challenge = jws.claims["nonce"]?.string.flatMap({ Base64URL.decode($0) }), challenge.count == 32
        else { throw .claim(.nonce) }
        _ = try time(in: jws.claims, within: limits.deviceProofWindow, of: systemNow)
        guard let operation = jws.claims["op"]?.string.flatMap({ DeviceProof.Operation.spelled($0) }) else {
            throw .claim(.op)
        }
        guard let sessionKey = confirmation(in: jws.claims) else { throw .claim(.cnf) }
        guard let signer = signer(of: jws, by: key) else { throw .signature }
        return DeviceProof(
            publicKey: key, thumbprint: signer, authID: authID, challenge: challenge,
            sessionKey: sessionKey.thumbprint, operation: operation)
    }

    /// The thumbprint of the key; `nil`: the key has not signed the text, or its point is not on the curve.
    ///
    /// Only keys with a valid signature are remembered, so an attacker cannot evict others with random keys.
    private func signer(of jws: JWS, by key: PublicKey) -> Thumbprint? {
        if let known = signers.value(of: key) { return jws.isSigned(by: known.key) ? known.thumbprint : nil }
        guard let made = try? VerifyingKey(key), jws.isSigned(by: made) else { return nil }
        let signer = Signer(key: made, thumbprint: key.thumbprint)
        signers.insert(signer, for: key)
        return signer.thumbprint
    }

    /// `iat`, if it lies within the window, both ends included.
    private func time(
        in claims: JSONObject, within window: Duration, of now: Timestamp
    ) throws(ProofFault) -> Timestamp {
        guard let seconds = NumericDate.seconds(claims["iat"]) else { throw .claim(.iat) }
        let ahead = seconds - now.seconds
        guard ahead.magnitude <= window.components.seconds else { throw .clock(.iat, secondsAhead: ahead) }
        return Timestamp(seconds: seconds)
    }

    /// RFC 9449 section 4.3, step 9: `htu` is compared in its normal form, without query and fragment. Nearly all
    /// clients write it as the server does.
    private func isOne(of targets: [String], _ target: String) -> Bool {
        if targets.contains(where: { $0.isSame(as: target) }) { return true }
        guard let normal = NormalURL(target) else { return false }
        return targets.contains { NormalURL($0) == normal }
    }

    /// `cnf.jkt` (RFC 9449 section 6.1). `cnf` may be absent; if it is present and wrong, the token is refused.
    private func confirmation(in claims: JSONObject) -> (thumbprint: Thumbprint?, Void)? {
        guard let confirmation = claims["cnf"] else { return (nil, ()) }
        guard let bytes = confirmation.object?["jkt"]?.string.flatMap({ Base64URL.decode($0) }),
            let thumbprint = Thumbprint(bytes)
        else { return nil }
        return (thumbprint, ())
    }
}
