package import Possession

/// Checks the client's signatures: DPoP proofs (RFC 9449) and device proofs (client protocol 4.10).
package protocol ProofVerifier: Sendable {
    /// Checks form, ES256, public key on the curve, signature, `htm`, `htu`, `ath`, `nonce`, and `iat` within 60 s of
    /// the system clock. The store checks whether the `jti` is new.
    /// - Throws: the first check that fails.
    func verifyDPoP(_ proof: String, expecting expected: DPoPExpectation) throws(ProofFault) -> DPoPProof
    /// Checks form, ES256, public key on the curve, signature, `aud`, and `iat` within 120 s of the system clock.
    /// `Session` checks whether `nonce`, `sub` and `cnf` are the session's.
    /// - Throws: the first check that fails.
    func verifyDeviceProof(_ proof: String, systemNow: Timestamp) throws(ProofFault) -> DeviceProof
}

/// Content that one request's DPoP proof must have.
package struct DPoPExpectation: Sendable {
    package let method: String
    /// Acceptable `htu` values: the public URL and path; for developers also the request's own loopback authority.
    package let targets: [String]
    package let accessToken: String
    package let nonce: String
    package let systemNow: Timestamp

    package init(method: String, targets: [String], accessToken: String, nonce: String, systemNow: Timestamp) {
        self.method = method
        self.targets = targets
        self.accessToken = accessToken
        self.nonce = nonce
        self.systemNow = systemNow
    }
}
