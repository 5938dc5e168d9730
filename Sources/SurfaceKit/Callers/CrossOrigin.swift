package import HTTPServer
package import Possession
internal import Text

/// Which web pages may call a surface (client protocol 4.3, API-18): exact origins, no `*`, no `null`.
package struct CrossOrigin: Sendable {
    /// Whether any tenant lists the origin; used before the token is known.
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
        /// Whether cookies are sent.
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

    /// Longest origin: a scheme, a host of 253 bytes and a port.
    private static let maxOriginBytes = 272

    package func mayCall(_ origin: String) -> Bool {
        isOrigin(origin) && (isLoopback(origin) || isListed(origin))
    }

    /// The same, for a known tenant.
    package func mayCall(_ origin: String, _ rules: TenantRules) -> Bool {
        isOrigin(origin) && (isLoopback(origin) || rules.allowedOrigins.contains { $0.isSame(as: origin) })
    }

    private func isOrigin(_ text: String) -> Bool {
        text.utf8.count <= Self.maxOriginBytes && !text.isSame(as: "null")
    }

    package func isLoopback(_ origin: String) -> Bool {
        acceptsLoopback && LoopbackHost.isOne(origin: origin)
    }

    /// The answer to `OPTIONS`, whether it is a preflight or not.
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

    /// Allows the page at `origin`, which may call, to read the answer.
    package func permit(_ response: Response, to origin: String?) -> Response {
        var response = response
        if let origin {
            response.add("Access-Control-Allow-Origin", origin)
            response.add("Access-Control-Expose-Headers", grant.exposedHeaders)
            if grant.withCredentials { response.add("Access-Control-Allow-Credentials", "true") }
        }
        return withoutPermission(response)
    }

    /// The same for the page named in the headers, if it is listed.
    package func permit(_ response: Response, to headers: Headers) -> Response {
        permit(response, to: listedOrigin(headers))
    }

    /// The origin of the calling page, if it is listed.
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
