package import HTTPServer
package import Possession

/// What operators and gateways call (contract section 5).
package struct OperationsSurface: Sendable {
    private let readHealth = ReadHealth()
    private let readReadiness: ReadReadiness
    private let readMetrics: ReadMetrics
    private let readPublicKeys: ReadPublicKeys
    private let description: APIDescription?

    /// - Parameters:
    ///   - isReady: whether the store answers and the server is not draining.
    ///   - metrics: the figures as Prometheus text.
    ///   - description: what `/openapi.json` and `/docs` show; without one they are not there.
    package init(
        engine: Engine, isReady: @escaping @Sendable () async -> Bool, metrics: @escaping @Sendable () async -> String,
        description: APIDescription? = nil
    ) {
        self.description = description
        readReadiness = ReadReadiness(isReady: isReady)
        readMetrics = ReadMetrics(text: metrics)
        readPublicKeys = ReadPublicKeys(engine: engine)
    }

    package var routes: [Route] {
        [
            Route.immediate(.get, "/healthz", respond: readHealth.respond),
            Route(.get, "/readyz", respond: readReadiness.respond),
            Route(.get, "/metrics", respond: readMetrics.respond),
            Route.immediate(.get, "/.well-known/jwks.json", respond: readPublicKeys.respond),
        ] + descriptionRoutes
    }

    private var descriptionRoutes: [Route] {
        guard let description else { return [] }
        return [
            Route.immediate(
                .get, "/openapi.json", respond: ReadDescription(response: description.documentResponse).respond),
            Route.immediate(.get, "/docs", respond: ReadDescription(response: description.pageResponse).respond),
        ]
    }
}
