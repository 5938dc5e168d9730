internal import HTTPServer
internal import SurfaceKit

/// `GET /camara/authorize`: refuses people who are sent here to authorize something (RFC 6749 section 3.1). The
/// endpoint exists because OpenID Connect Discovery requires its address.
struct RefuseAuthorization: Endpoint {
    static let call = Call(
        .get, CamaraPath.authorize, id: "refuseCamaraAuthorization", "There is no authorization flow",
        "Tokens come from POST /camara/token. No address that the caller names is redirected to.")
    static let reply = ResponseReply<Nothing>([]) { _ in TokenRefusal.noAuthorizationFlow.response }
    static let refusals: [TokenRefusal] = [.noAuthorizationFlow]

    static var operations: [Operation] {
        [operation(.camaraTokens, caller: nil, schema: .anything, errors: [], shape: .camaraToken)]
    }

    var routes: [Route] {
        [
            Route.immediate(Self.call.method, Self.call.path) { _ in TokenRefusal.noAuthorizationFlow.response }
        ]
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(TokenRefusal) -> Nothing {
        throw .noAuthorizationFlow
    }
}
