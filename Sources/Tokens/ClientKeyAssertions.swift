package import Possession
import StrictJSON
internal import Text

/// Checks client assertions that API clients have signed with keys of their own (ES256).
package struct ClientKeyAssertions: ClientKeyVerifier {
    /// In seconds (CAMARA Identity and Consent Management r4.2).
    private static let longestLife: Int64 = 300
    /// Of a grant's subject and scope, in bytes.
    private static let longestText = 4096
    /// Client libraries write the first, or leave the member out. The second keeps assertions apart from other tokens (RFC
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
    ) -> ClientAssertion? {
        guard let (client, claims) = checked(assertion, by: keys, for: audiences, at: now),
            claims.hasString("sub", client.clientID)
        else { return nil }
        return client
    }

    package func verifyGrant(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) -> GrantAssertion? {
        guard let (client, claims) = checked(assertion, by: keys, for: audiences, at: now),
            let subject = claims["sub"]?.string, (1...Self.longestText).contains(subject.utf8.count),
            let scope = claims["scope"]?.string, (1...Self.longestText).contains(scope.utf8.count)
        else { return nil }
        return GrantAssertion(client: client, subject: subject, scope: scope)
    }

    /// Everything but `sub`.
    private func checked(
        _ assertion: String, by keys: [PublicKey], for audiences: [String], at now: Timestamp
    ) -> (client: ClientAssertion, claims: JSONObject)? {
        guard let jws = JWS(assertion, types: Self.types, mayHaveNone: true),
            let issuer = jws.claims["iss"]?.string, (1...128).contains(issuer.utf8.count),
            isMeant(jws.claims["aud"], audiences),
            let jti = jws.claims["jti"]?.string, (1...128).contains(jti.utf8.count),
            let expiry = time("exp", in: jws.claims), now < Timestamp(seconds: expiry).adding(leeway),
            expiry <= now.adding(leeway).seconds + Self.longestLife
        else { return nil }
        // It may be left out (RFC 7523 section 3, item 6).
        if jws.claims["iat"] != nil {
            guard let issuedAt = time("iat", in: jws.claims), issuedAt <= now.adding(leeway).seconds,
                expiry - issuedAt <= Self.longestLife
            else { return nil }
        }
        if jws.claims["nbf"] != nil {
            guard let start = time("nbf", in: jws.claims), start <= now.adding(leeway).seconds else { return nil }
        }
        let isSigned = keys.contains { key in
            guard let verifying = try? VerifyingKey(key) else { return false }
            return jws.isSigned(by: verifying)
        }
        guard isSigned else { return nil }
        return (ClientAssertion(clientID: issuer, jti: jti, expiresAt: Timestamp(seconds: expiry)), jws.claims)
    }

    private func isMeant(_ value: JSONValue?, _ audiences: [String]) -> Bool {
        let named = value?.string.map { [$0] } ?? value?.array?.prefix(8).compactMap(\.string) ?? []
        return named.contains { name in audiences.contains { $0.isSame(as: name) } }
    }

    private func time(_ name: String, in claims: JSONObject) -> Int64? {
        guard let seconds = claims[name]?.integer, (0...1 << 40).contains(seconds) else { return nil }
        return seconds
    }
}
