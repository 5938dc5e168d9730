package import HTTPServer
package import Possession
internal import Text

/// Which web pages may call a surface (client protocol 4.3, API-18): exact origins, no `*`, no `null`.
package struct CrossOrigin: Sendable {
    /// Whether the origin is listed at all: what is known before there is a token.
    package let isListed: @Sendable (String) -> Bool
    /// Sandbox: pages served from this machine may call.
    package let acceptsLoopback: Bool
    package let grant: Grant
    /// The answer to a page of any other origin.
    package let refusal: Response

    package init(
        isListed: @escaping @Sendable (String) -> Bool, acceptsLoopback: Bool, grant: Grant, refusal: Response
    ) {
        self.isListed = isListed
        self.acceptsLoopback = acceptsLoopback
        self.grant = grant
        self.refusal = refusal
    }

    /// Header fields and cookies that a page may send and read.
    package struct Grant: Sendable {
        package let requestHeaders: String
        package let exposedHeaders: String
        /// Whether cookies come along.
        package let withCredentials: Bool

        package init(requestHeaders: String, exposedHeaders: String, withCredentials: Bool) {
            self.requestHeaders = requestHeaders
            self.exposedHeaders = exposedHeaders
            self.withCredentials = withCredentials
        }

        package static let client = Grant(
            requestHeaders: "Authorization, DPoP, Content-Type, x-correlator, Last-Event-ID",
            exposedHeaders: "Retry-After, WWW-Authenticate, Date, X-Request-Id, x-correlator",
            withCredentials: false)
        package static let app = Grant(
            requestHeaders: "Authorization, Content-Type", exposedHeaders: "Retry-After, X-Request-Id",
            withCredentials: true)
    }

    private static let maxAgeSeconds = 600

    /// No origin is longer: a scheme, a host of 253 bytes and a port.
    private static let maxOriginBytes = 272

    package func mayCall(_ origin: String) -> Bool {
        isOrigin(origin) && (isLoopback(origin) || isListed(origin))
    }

    /// The same once the tenant is known.
    package func mayCall(_ origin: String, _ rules: TenantRules) -> Bool {
        isOrigin(origin) && (isLoopback(origin) || rules.allowedOrigins.contains { $0.isSame(as: origin) })
    }

    private func isOrigin(_ text: String) -> Bool {
        text.utf8.count <= Self.maxOriginBytes && !text.isSame(as: "null")
    }

    package func isLoopback(_ origin: String) -> Bool {
        acceptsLoopback && LoopbackHost.isOne(origin: origin)
    }

    /// The answer to `OPTIONS`: a preflight, or a plain question.
    package func preflight(_ request: Request, methods: String) -> Response {
        guard let origin = request.headers["origin"] else {
            return Response(status: 204, headers: [("Allow", methods + ", OPTIONS"), ("Vary", "Origin")])
        }
        guard request.headers.count("origin") == 1, mayCall(origin) else {
            return withoutPermission(refusal)
        }
        var response = Response(
            status: 204,
            headers: [
                ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Methods", methods),
                ("Access-Control-Allow-Headers", grant.requestHeaders),
                ("Access-Control-Max-Age", String(Self.maxAgeSeconds)), ("Vary", "Origin"),
            ])
        if grant.withCredentials { response.add("Access-Control-Allow-Credentials", "true") }
        return response
    }

    /// Lets the page at `origin`, which may call, read the answer.
    package func permit(_ response: Response, to origin: String?) -> Response {
        var response = response
        if let origin {
            response.add("Access-Control-Allow-Origin", origin)
            response.add("Access-Control-Expose-Headers", grant.exposedHeaders)
            if grant.withCredentials { response.add("Access-Control-Allow-Credentials", "true") }
        }
        return withoutPermission(response)
    }

    /// The same for the page that the headers name, if it is listed at all.
    package func permit(_ response: Response, to headers: Headers) -> Response {
        permit(response, to: listedOrigin(headers))
    }

    /// The page that asks, if it may call at all.
    package func listedOrigin(_ headers: Headers) -> String? {
        let origins = headers.values("origin")
        return origins.count == 1 && origins.allSatisfy(mayCall) ? origins.first : nil
    }

    private func withoutPermission(_ response: Response) -> Response {
        var response = response
        response.add("Vary", "Origin")
        return response
    }
}
