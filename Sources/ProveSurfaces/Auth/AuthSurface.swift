package import HTTPServer
internal import Possession
internal import SurfaceKit

/// The calls of the older server API, which newer ones replace one by one: start is unify, continue is bind, finish is
/// status. Sessions of these calls are known to no other, and the other way round.
package struct AuthSurface: Sendable {
    private let gate: PlatformGate
    private let service: PlatformService

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate) {
        self.gate = gate
        service = PlatformService(gate.engine)
    }

    package var routes: [Route] {
        [
            route("/v1/server/auth/start", StartAuth(service: service).respond),
            route("/v1/server/auth/continue", ContinueAuth(service: service).respond),
            route("/v1/server/auth/finish", FinishAuth(service: service).respond),
        ]
    }

    private func route(
        _ pattern: String,
        _ respond: @escaping @Sendable (Request, Tenant) async throws(PlatformError) -> Response
    ) -> Route {
        gate.route(.post, pattern, onHead: { gate.refusal(ofHead: $0) }, answer: { $0.authResponse }, respond)
    }
}
