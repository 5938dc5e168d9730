internal import Locks
package import Possession
import StrictJSON

extension ES256TokenService: ClientAssertionIssuer {
    package func issueClientAssertion(
        clientID: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        try issueAssertion(clientID: clientID, subject: clientID, scope: nil, audience: audience, jti: jti, at: now)
    }

    package func issueGrantAssertion(
        clientID: String, subject: String, scope: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        try issueAssertion(clientID: clientID, subject: subject, scope: scope, audience: audience, jti: jti, at: now)
    }

    private func issueAssertion(
        clientID: String, subject: String, scope: String?, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        guard let record = ring.withLock({ $0.signer(for: .assertion, at: now) }), let key = record.key else {
            throw TokenFault("no signing key is active")
        }
        var claims: JSONObject = [
            "iss": .string(clientID), "sub": .string(subject), "aud": .string(audience),
            "jti": .string(Base64URL.encode(jti)), "iat": .integer(now.seconds),
            "exp": .integer(now.adding(limits.assertionLifetime).seconds),
        ]
        claims.set("scope", scope)
        return try JWS.make(header: record.encodedHeader, claims: claims.serialized(), key: key).token
    }
}

extension ES256TokenService: ClientAssertionVerifier {
    /// In seconds (CAMARA Identity and Consent Management r4.2).
    private static let longestAssertionLife: Int64 = 300

    package func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion? {
        guard let jws = JWS(assertion, type: StoredSigningKey.Purpose.assertion.tokenType),
            jws.header.count == 3, let kid = jws.header["kid"]?.string,
            let record = ring.withLock({ $0.verifier(kid: kid, for: .assertion, at: now) }),
            let issuer = jws.claims["iss"]?.string, (1...128).contains(issuer.utf8.count),
            jws.claims.hasString("sub", issuer), jws.claims.hasString("aud", audience),
            let jti = jws.claims["jti"]?.string, (1...128).contains(jti.utf8.count),
            let issuedAt = time("iat", in: jws.claims), hasBegun(issuedAt, at: now),
            let expiresAt = time("exp", in: jws.claims), isAlive(until: expiresAt, at: now),
            // Both are below 2^40.
            expiresAt - issuedAt <= Self.longestAssertionLife,
            jws.isSigned(by: record.verifyingKey)
        else { return nil }
        return ClientAssertion(clientID: issuer, jti: jti, expiresAt: Timestamp(seconds: expiresAt))
    }
}
