internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// One endpoint in the list of the app surface: its operations, and how its routes are made of the surface's parts.
struct AppCall: Sendable {
    /// What endpoints are made of.
    struct Parts: Sendable {
        let service: AppService
        /// Where links of the desktop flow lead when the request does not say (`app.finalTargetUrl`).
        let finalTargetURL: FinalTargetURL?
        /// `nil` outside of the sandbox.
        let runs: OriginRuns?
        let cookie: FlowCookie
        let addresses: ClientAddress
    }

    private let makeOperations: @Sendable () -> [Operation]
    private let makeRoutes: @Sendable (Parts, AppSurface) -> [Route]

    init<E: AppEndpoint>(_ make: @escaping @Sendable (Parts) -> E) {
        makeOperations = { E.operations }
        makeRoutes = { parts, surface in surface.routes(make(parts)) }
    }

    /// The endpoint and its preflight in the API description.
    var operations: [Operation] { makeOperations() }

    func routes(_ parts: Parts, _ surface: AppSurface) -> [Route] { makeRoutes(parts, surface) }
}
