package import Possession
package import StrictJSON
internal import Text
package import Tokens

/// A client's key pair, which signs DPoP proofs and device proofs for tests. `change` may spoil header and claims first.
package struct ProofSigner: Sendable {
    package typealias Change = (_ header: inout JSONObject, _ claims: inout JSONObject) -> Void

    package let key: SigningKey

    package init() throws {
        key = try SigningKey.generate()
    }

    package init(key: SigningKey) {
        self.key = key
    }

    package var thumbprint: Thumbprint { key.publicKey.thumbprint }

    /// The value of a `DPoP` header (RFC 9449 section 4.2).
    ///
    /// - Parameters:
    ///   - nonce: the auth token's `nonce`; read from the token when `nil`.
    ///   - jti: a fresh random one when `nil`.
    package func dpop(
        _ method: String, _ target: String, accessToken: String, nonce: String? = nil, jti: String? = nil,
        at now: Timestamp, change: Change = { _, _ in }
    ) throws -> String {
        let claims: JSONObject = [
            "jti": .string(try jti ?? Base64URL.encode(SystemRandom().bytes(16))), "htm": .string(method),
            "htu": .string(target), "iat": .integer(now.seconds),
            "ath": .string(Base64URL.encode(Self.digest(of: accessToken))),
            "nonce": (nonce ?? Self.nonce(in: accessToken)).map { .string($0) },
        ]
        return try sign(type: "dpop+jwt", claims: claims, change)
    }

    /// A device proof (client protocol 4.10).
    ///
    /// - Parameter challenge: base64url text, as the server gave it.
    package func deviceProof(
        _ operation: String, audience: String, authID: String, challenge: String, sessionKey: Thumbprint?,
        at now: Timestamp, change: Change = { _, _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "aud": .string(audience), "sub": .string(authID), "nonce": .string(challenge), "iat": .integer(now.seconds),
            "op": .string(operation),
        ]
        if let sessionKey { claims["cnf"] = ["jkt": .string(Base64URL.encode(sessionKey.bytes))] }
        return try sign(type: "device-proof+jwt", claims: claims, change)
    }

    private func sign(type: String, claims: JSONObject, _ change: Change) throws -> String {
        var header: JSONObject = ["typ": .string(type), "alg": "ES256", "jwk": .object(key.publicKey.jwk)]
        var claims = claims
        change(&header, &claims)
        let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        return try input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
    }

    /// The `nonce` claim of a token, as a client reads it; nothing is checked.
    private static func nonce(in token: String) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decode(String(parts[1])) else { return nil }
        return (try? JSONObject.parse(claims))?["nonce"]?.string
    }

    private static func digest(of token: String) -> [UInt8] {
        SHA256.digest(token)
    }
}
