internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /.well-known/jwks.json`: the public half of every key whose tokens may still be alive (RFC 7517 section 5).
///
///     ->  200 {"keys":[{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"...","x":"...","y":"..."}]}
struct ReadPublicKeys: Sendable {
    let engine: Engine

    /// Not over the lead with which a new key is published (TOK-08, TOK-09).
    private static let maxAgeSeconds = 300

    func respond(to request: Request) -> Response {
        var response = Response.json(200, bytes: engine.tokens.publicKeySet(at: engine.now()))
        response.add("Cache-Control", "public, max-age=\(Self.maxAgeSeconds)")
        return response
    }
}
