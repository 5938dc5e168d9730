package import Engine
package import Possession
import StrictJSON
internal import Text

/// Checks client assertions that API clients have signed with their own keys (ES256).
package struct ClientKeyAssertions: ClientKeyVerifier {
    /// In seconds (CAMARA Identity and Consent Management r4.2).
    private static let longestLife: Int64 = 300
    /// Longest subject and scope of a grant, in bytes.
    private static let longestText = 4096
    /// Client libraries write the first, or omit the member. The second distinguishes assertions from other tokens (RFC
    /// 8725 section 3.11).
    private static let types = ["JWT", "client-authentication+jwt"]

    /// How far the client's clock may be ahead.
    private let leeway: Duration

    package init(limits: TokenLimits = TokenLimits()) {
        leeway = limits.leeway
    }

    package func claimedClient(of assertion: String) -> String? {
        JWS(assertion, types: Self.types, mayHaveNone: true)?.claims["iss"]?.string
    }

    package func verify(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> ClientAssertion {
        let (client, claims) = try checked(assertion, by: keys, for: audiences, at: now)
        guard claims.hasString("sub", client.clientID) else { throw .claim(.sub) }
        return client
    }

    package func verifyGrant(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> GrantAssertion {
        let (client, claims) = try checked(assertion, by: keys, for: audiences, at: now)
        guard let subject = claims["sub"]?.string, (1...Self.longestText).contains(subject.utf8.count) else {
            throw .claim(.sub)
        }
        guard let scope = claims["scope"]?.string, (1...Self.longestText).contains(scope.utf8.count) else {
            throw .claim(.scope)
        }
        return GrantAssertion(client: client, subject: subject, scope: scope)
    }

    /// Checks everything except `sub` and `scope`.
    private func checked(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) throws(ProofFault) -> (client: ClientAssertion, claims: JSONObject) {
        guard let jws = JWS(assertion, types: Self.types, mayHaveNone: true) else {
            throw JWS.fault(of: assertion)
        }
        let claims = jws.claims
        guard let issuer = claims["iss"]?.string, (1...128).contains(issuer.utf8.count) else { throw .claim(.iss) }
        guard isMeant(claims["aud"], audiences) else { throw .claim(.aud) }
        guard let jti = claims["jti"]?.string, (1...128).contains(jti.utf8.count) else { throw .claim(.jti) }
        let (issued, expiry) = try checkTimes(of: claims, at: now)
        let isSigned = keys.contains { key in
            guard let verifying = try? VerifyingKey(key) else { return false }
            return jws.isSigned(by: verifying)
        }
        guard isSigned else { throw .signature }
        let client = ClientAssertion(
            clientID: issuer, jti: jti, issuedAt: Timestamp(seconds: issued), expiresAt: Timestamp(seconds: expiry))
        return (client, claims)
    }

    /// - Returns: `iat`, or the earliest time that `exp` allows; and `exp`.
    private func checkTimes(
        of claims: JSONObject, at now: Timestamp
    ) throws(ProofFault) -> (issued: Int64, expiry: Int64) {
        let latest = now.adding(leeway).seconds
        guard let expiry = NumericDate.seconds(claims["exp"]) else { throw .claim(.exp) }
        guard now < Timestamp(seconds: expiry).adding(leeway), expiry <= latest + Self.longestLife else {
            throw .clock(.exp, secondsAhead: expiry - now.seconds)
        }
        // Both may be missing (RFC 7523 section 3, items 5 and 6).
        for claim in [ProofFault.Claim.iat, .nbf] where claims[claim.rawValue] != nil {
            guard let start = NumericDate.seconds(claims[claim.rawValue]) else { throw .claim(claim) }
            guard start <= latest, claim == .nbf || expiry - start <= Self.longestLife else {
                throw .clock(claim, secondsAhead: start - now.seconds)
            }
        }
        return (NumericDate.seconds(claims["iat"]) ?? expiry - Self.longestLife, expiry)
    }

    private func isMeant(_ value: JSONValue?, _ audiences: [String]) -> Bool {
        let named = value?.string.map { [$0] } ?? value?.array?.prefix(8).compactMap(\.string) ?? []
        return named.contains { name in audiences.contains { $0.isSame(as: name) } }
    }
}
