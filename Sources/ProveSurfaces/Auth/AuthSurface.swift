package import HTTPServer
internal import Possession
package import SurfaceKit

/// The calls of the older server API, which newer ones replace one by one: start is unify, continue is bind, finish is
/// status. Sessions of these calls are known to no other, and the other way round.
package struct AuthSurface: PlatformGated {
    let gate: PlatformGate
    private let service: PlatformService

    /// Every endpoint: its routes and its part of the API description come from here.
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

    /// The surface in the API description.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))
}
