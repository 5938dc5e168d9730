package import HTTPServer
package import Possession
package import SurfaceKit

/// What operators and gateways call (contract section 5).
package struct OperationsSurface: Sendable {
    private let readHealth = ReadHealth()
    private let readReadiness: ReadReadiness
    private let readMetrics: ReadMetrics
    private let readPublicKeys: ReadPublicKeys
    private let readDescription: ReadDescription?

    /// - Parameters:
    ///   - notReady: why the server cannot do its work, without any data; `nil`: it can.
    ///   - metrics: the figures as Prometheus text.
    ///   - description: makes what `/openapi.json` and `/docs` show; without it they are not there.
    package init(
        engine: Engine, notReady: @escaping @Sendable () async -> String?,
        metrics: @escaping @Sendable () async -> String,
        description: (@Sendable () -> APIDescription)? = nil
    ) {
        readDescription = description.map(ReadDescription.init)
        readReadiness = ReadReadiness(notReady: notReady)
        readMetrics = ReadMetrics(text: metrics)
        readPublicKeys = ReadPublicKeys(engine: engine)
    }

    /// What stays on the public listener where operators have one of their own: probes, and the keys that gateways and
    /// mobile operators read.
    ///
    /// - Parameters:
    ///   - metrics: whether `/metrics` is there too.
    ///   - description: whether `/openapi.json` and `/docs` are.
    package func publicRoutes(metrics: Bool, description: Bool) -> [Route] {
        routes.filter { route in
            switch route.pattern {
            case "/metrics": metrics
            case "/openapi.json", "/docs": description
            default: true
            }
        }
    }

    package var routes: [Route] {
        [
            Route.immediate(.get, "/healthz", respond: readHealth.respond).always,
            Route(.get, "/readyz", respond: readReadiness.respond).always,
            Route(.get, "/metrics", respond: readMetrics.respond).always,
            Route.immediate(.get, "/.well-known/jwks.json", respond: readPublicKeys.respond),
        ] + descriptionRoutes
    }

    private var descriptionRoutes: [Route] {
        guard let readDescription else { return [] }
        return [
            Route(.get, "/openapi.json", respond: { await readDescription.document(to: $0) }),
            Route(.get, "/docs", respond: { await readDescription.page(to: $0) }),
        ]
    }
}
