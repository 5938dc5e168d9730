package import HTTPServer
internal import Engine
internal import Possession
package import SurfaceKit

/// The calls of the older server API, each with a newer equivalent: start is unify, continue is bind, finish is status.
/// Sessions of these calls are unknown to the newer ones, and the other way round.
package struct AuthSurface: PlatformGated {
    let gate: PlatformGate
    private let service: PlatformService

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<AuthSurface>] = [
        SurfaceCall { StartAuth(service: $0.service) },
        SurfaceCall { ContinueAuth(service: $0.service) },
        SurfaceCall { FinishAuth(service: $0.service) },
    ]

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate) {
        self.gate = gate
        service = PlatformService(gate.engine)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))
}
