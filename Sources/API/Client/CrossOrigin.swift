internal import HTTPServer
internal import Possession

/// Which web pages may call the client surface (client protocol 4.3, API-18): exact origins, no cookies, no `*`, no
/// `null`.
struct CrossOrigin: Sendable {
    /// Whether any tenant lists the origin: all that is known before there is a token.
    let isListed: @Sendable (String) -> Bool
    /// Sandbox: pages served from this machine may call.
    let acceptsLoopback: Bool

    private static let maxAgeSeconds = 600
    private static let headers = "Authorization, DPoP, Content-Type, x-correlator, Last-Event-ID"
    private static let exposed = "Retry-After, WWW-Authenticate, X-Request-Id, x-correlator"

    func mayCall(_ origin: String) -> Bool {
        origin != "null" && (isLoopback(origin) || isListed(origin))
    }

    /// The same once the tenant is known.
    func mayCall(_ origin: String, _ rules: TenantRules) -> Bool {
        origin != "null" && (isLoopback(origin) || rules.allowedOrigins.contains { $0.utf8.elementsEqual(origin.utf8) })
    }

    func isLoopback(_ origin: String) -> Bool {
        acceptsLoopback && LoopbackHost.isOne(origin: origin)
    }

    /// The answer to `OPTIONS`: a preflight, or a plain question.
    func preflight(_ request: Request, methods: String) -> Response {
        guard let origin = request.headers["origin"] else {
            return Response(status: 204, headers: [("Allow", methods + ", OPTIONS"), ("Vary", "Origin")])
        }
        guard request.headers.count("origin") == 1, mayCall(origin) else {
            return withoutPermission(ClientError.originNotAllowed.response)
        }
        return Response(
            status: 204,
            headers: [
                ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Methods", methods),
                ("Access-Control-Allow-Headers", Self.headers),
                ("Access-Control-Max-Age", String(Self.maxAgeSeconds)), ("Vary", "Origin"),
            ])
    }

    /// Lets the page at `origin`, which may call, read the answer.
    func permit(_ response: Response, to origin: String?) -> Response {
        var response = response
        if let origin {
            response.add("Access-Control-Allow-Origin", origin)
            response.add("Access-Control-Expose-Headers", Self.exposed)
        }
        return withoutPermission(response)
    }

    private func withoutPermission(_ response: Response) -> Response {
        var response = response
        response.add("Vary", "Origin")
        return response
    }
}
