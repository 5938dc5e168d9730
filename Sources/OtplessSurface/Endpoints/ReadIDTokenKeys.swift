internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /otpless/.well-known/jwks`: the public keys of all ID tokens that may still be valid. The current signing key
/// comes first (RFC 7517 section 5).
///
///     ->  200 {"keys":[{"kty":"RSA","n":"...","e":"AQAB","use":"sig","alg":"RS256","kid":"..."}]}
struct ReadIDTokenKeys: OtplessOpenEndpoint {
    let idTokens: any IDTokenIssuer
    let now: Now

    static let call = Call(
        .get, OtplessPath.wellKnown + "/jwks", id: "ReadIDTokenKeys", "Public keys of ID tokens",
        """
        The key that signs now stands first, because some libraries take the first one. The list is empty until the first \
        ID token is made. The server's other tokens have keys of their own, at /.well-known/jwks.json.
        """)

    /// The cache time of the answer must not exceed the lead time between publishing a key and signing with it (TOK-08,
    /// TOK-09).
    static let reply = ResponseReply<[UInt8]?>([
        Answer(status: 200, about: "The keys.", content: .json(keys), headers: ["Cache-Control"])
    ]) { bytes in
        var response = Response.json(200, bytes: bytes ?? Array(#"{"keys":[]}"#.utf8))
        // The first key signs as soon as it is made, so an empty list must not be cached.
        response.add("Cache-Control", bytes == nil ? "no-store" : "public, max-age=300")
        return response
    }

    private static var keys: Schema {
        let number = Schema.text(pattern: "^[A-Za-z0-9_-]+$")
        let key = Schema.record([
            must("kty", .choice(["RSA"]), "The type of the key: always RSA."),
            must("n", number, "The modulus, in base64url."), must("e", number, "The exponent, in base64url."),
            must("use", .choice(["sig"]), "The key checks signatures."),
            must("alg", .choice(["RS256"]), "The algorithm of the signatures."),
            must("kid", .text(), "Names the key: kid in the header of an ID token."),
        ]).called("IDTokenKey")
        return .record([
            must(
                "keys", .list(of: key),
                "The key that signs now, then the older ones. Empty until the first ID token is made.")
        ])
    }

    func value() -> [UInt8]? { idTokens.idTokenKeySet(at: now()) }
}
