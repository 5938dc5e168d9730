internal import Locks
package import Engine
package import Possession
import StrictJSON
internal import Text

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

    /// Longest subject and scope of a grant, in bytes.
    private static let longestText = 4096

    package func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion? {
        guard let (client, claims) = verifyAssertion(assertion, audience: audience, at: now),
            claims.hasString("sub", client.clientID)
        else { return nil }
        return client
    }

    package func verifyGrantAssertion(_ assertion: String, audience: String, at now: Timestamp) -> GrantAssertion? {
        guard let (client, claims) = verifyAssertion(assertion, audience: audience, at: now),
            let subject = claims["sub"]?.string, (1...Self.longestText).contains(subject.utf8.count),
            let scope = claims["scope"]?.string, (1...Self.longestText).contains(scope.utf8.count)
        else { return nil }
        return GrantAssertion(client: client, subject: subject, scope: scope)
    }

    private func verifyAssertion(
        _ assertion: String, audience: String, at now: Timestamp
    ) -> (client: ClientAssertion, claims: JSONObject)? {
        guard let jws = JWS(assertion, type: StoredSigningKey.Purpose.assertion.tokenType),
            jws.header.count == 3, let kid = jws.header["kid"]?.string,
            let key = ring.withLock({ $0.verifier(kid: kid, for: .assertion, at: now) })?.verifyingKey,
            let issuer = jws.claims["iss"]?.string, (1...128).contains(issuer.utf8.count),
            jws.claims.hasString("aud", audience),
            let jti = jws.claims["jti"]?.string, (1...128).contains(jti.utf8.count),
            let issuedAt = time("iat", in: jws.claims), hasBegun(issuedAt, at: now),
            let expiresAt = time("exp", in: jws.claims), isAlive(until: expiresAt, at: now),
            // Both are below 2^40.
            expiresAt - issuedAt <= Self.longestAssertionLife,
            jws.isSigned(by: key)
        else { return nil }
        let client = ClientAssertion(
            clientID: issuer, jti: jti, issuedAt: Timestamp(seconds: issuedAt),
            expiresAt: Timestamp(seconds: expiresAt))
        return (client, jws.claims)
    }
}
