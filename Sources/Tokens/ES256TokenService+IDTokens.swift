internal import Locks
package import Engine
package import Possession
import StrictJSON

extension ES256TokenService {
    /// An ID token by RS256; `nil`: no key exists yet.
    package func signIDToken(_ token: IDToken, at now: Timestamp) throws(TokenFault) -> String? {
        guard let record = ring.withLock({ $0.signer(for: .idToken, at: now) }) else { return nil }
        guard let key = record.rsaKey else { throw TokenFault("no signing key is active") }
        let issuedAt = machineTime(now)
        var claims: JSONObject = [
            "iss": .string(token.issuer), "aud": .string(token.audience.text), "sub": .string(token.subject),
            "iat": .integer(issuedAt.seconds),
            "exp": .integer(issuedAt.adding(limits.idTokenLifetime).seconds),
            // A text: one of the libraries that accept only RS256 fails on a number.
            "auth_time": .string(String(min(token.provenAt, issuedAt).seconds)),
        ]
        for (name, value) in token.claims {
            switch value {
            case .text(let text): claims.set(name, text)
            case .flag(let flag): claims[name] = .bool(flag)
            }
        }
        return try JWS.make(header: record.encodedHeader, claims: claims.serialized(), key: key)
    }

    package func idTokenKeySet(at now: Timestamp) -> [UInt8]? {
        ring.withLock { $0 }.idTokenKeySet(at: now)
    }
}
