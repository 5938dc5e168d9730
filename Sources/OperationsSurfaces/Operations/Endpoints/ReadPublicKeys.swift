internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /.well-known/jwks.json`: the public half of every key whose tokens may still be valid (RFC 7517 section 5).
///
///     ->  200 {"keys":[{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"...","x":"...","y":"..."}]}
struct ReadPublicKeys: OperationsEndpoint, ImmediateEndpoint {
    let engine: Engine

    static let call = Call(
        .get, "/.well-known/jwks.json", id: "readPublicKeys", "Public keys of the tokens",
        "Every key whose tokens may still be alive (RFC 7517 section 5).")

    /// At most the lead with which a new key is published (TOK-08, TOK-09).
    private static let maxAgeSeconds = 300

    /// The keys are stored in their written form.
    static let reply = ResponseReply<[UInt8]>([
        Answer(status: 200, about: "The keys.", content: .json(keys), headers: ["Cache-Control"])
    ]) { bytes in
        var response = Response.json(200, bytes: bytes)
        response.add("Cache-Control", "public, max-age=\(maxAgeSeconds)")
        return response
    }

    private static var keys: Schema {
        let coordinate = Schema.text(pattern: "^[A-Za-z0-9_-]{43}$")
        let key = Schema.record([
            must("kty", .choice(["EC"]), "An elliptic curve."), must("crv", .choice(["P-256"]), "The curve."),
            must("use", .choice(["sig"]), "The key verifies signatures."),
            must("alg", .choice(["ES256"]), "The algorithm of the signatures."),
            must("kid", .text(), "Names the key: tokens that it signed have the same kid in their header."),
            must("x", coordinate, "The point's x coordinate: 32 bytes in base64url."),
            must("y", coordinate, "The point's y coordinate: 32 bytes in base64url."),
        ]).called("PublicKey")
        return .record([must("keys", .list(of: key), "Every key whose tokens may still be alive.")])
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> [UInt8] {
        engine.crypto.tokens.publicKeySet(at: engine.now())
    }
}
