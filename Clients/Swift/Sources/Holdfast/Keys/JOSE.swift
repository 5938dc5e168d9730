import Foundation

/// The public key as JSON Web Key. The order of members is that of its thumbprint (RFC 7638).
private func jwk(of key: any SigningKey) -> JSONObject {
    [
        "crv": "P-256", "kty": "EC", "x": .string(Base64URL.text(Data(key.publicKey.prefix(32)))),
        "y": .string(Base64URL.text(Data(key.publicKey.suffix(32)))),
    ]
}

package func thumbprint(of key: any SigningKey) -> String {
    Base64URL.text(sha256(jwk(of: key).encoded()))
}

/// A JWS in compact form; its header names the key that signs.
private func sign(by key: any SigningKey, type: String, claims: JSONObject) throws -> String {
    let header: JSONObject = ["typ": .string(type), "alg": "ES256", "jwk": .object(jwk(of: key))]
    let input = [header, claims].map { Base64URL.text($0.encoded()) }.joined(separator: ".")
    return input + "." + Base64URL.text(try key.signature(for: Data(input.utf8)))
}

/// The DPoP proof of one call (RFC 9449). `url` is signed without its query.
package func dpopProof(
    by key: any SigningKey, method: String, url: String, iat: Int, jti: String, token: Token
) throws -> String {
    let claims: JSONObject = [
        "jti": .string(jti), "htm": .string(method), "htu": .string(String(url.prefix { $0 != "?" })),
        "iat": .int(iat), "ath": .string(Base64URL.text(sha256(Data(token.text.utf8)))), "nonce": .string(token.nonce),
    ]
    return try sign(by: key, type: "dpop+jwt", claims: claims)
}

/// Proof by the device key for a session whose key has this thumbprint.
package func deviceProof(
    by key: any SigningKey, aud: String, authID: String, challenge: String, iat: Int, op: String, thumbprint: String
) throws -> String {
    let claims: JSONObject = [
        "aud": .string(aud), "sub": .string(authID), "nonce": .string(challenge), "iat": .int(iat), "op": .string(op),
        "cnf": .object(["jkt": .string(thumbprint)]),
    ]
    return try sign(by: key, type: "device-proof+jwt", claims: claims)
}
