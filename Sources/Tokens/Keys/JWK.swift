package import Possession
package import StrictJSON
internal import Text

/// A P-256 public key as JWK (RFC 7517, RFC 7518 section 6.2.1).
enum JWK {
    /// Members that belong to private or symmetric keys (RFC 7518 sections 6.2.2, 6.3.2, 6.4).
    private static let privateNames = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// `nil` unless it is an EC key on P-256 with 32-byte coordinates in canonical form and no private member. Does not
    /// check that the point is on the curve; `VerifyingKey` does.
    static func publicKey(_ value: JSONValue?) -> PublicKey? {
        guard let object = value?.object, object.hasString("kty", "EC"), object.hasString("crv", "P-256"),
            privateNames.allSatisfy({ object[$0] == nil }),
            let x = object["x"]?.string.flatMap({ Base64URL.decode($0) }),
            let y = object["y"]?.string.flatMap({ Base64URL.decode($0) })
        else { return nil }
        return PublicKey(x: x, y: y)
    }

    /// RFC 7638 section 3: SHA-256 of the required members in alphabetical order without white space.
    static func thumbprint(of key: PublicKey) -> Thumbprint {
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(key.x))","y":"\#(Base64URL.encode(key.y))"}"#
        guard let thumbprint = Thumbprint(SHA256.digest(text)) else { preconditionFailure("SHA-256 has 32 bytes") }
        return thumbprint
    }

    /// `kty`, `crv`, `x`, `y`.
    static func object(_ key: PublicKey) -> JSONObject {
        [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
        ]
    }
}

extension PublicKey {
    /// `nil` unless it is a public key on P-256 in canonical form, without private members.
    package init?(jwk: JSONValue) {
        guard let key = JWK.publicKey(jwk), (try? VerifyingKey(key)) != nil else { return nil }
        self = key
    }

    /// The JWK, with public members only.
    package var jwk: JSONObject { JWK.object(self) }
    /// Its RFC 7638 thumbprint.
    package var thumbprint: Thumbprint { JWK.thumbprint(of: self) }
}
