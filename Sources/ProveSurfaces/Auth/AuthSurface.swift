package import HTTPServer
internal import Possession
package import SurfaceKit

/// The calls of the older server API, which newer ones replace one by one: start is unify, continue is bind, finish is
/// status. Sessions of these calls are known to no other, and the other way round.
package struct AuthSurface: Sendable {
    private let gate: PlatformGate

    /// Every endpoint: its routes and its part of the API description come from here.
    private static let calls: [PlatformCall<PlatformService>] = [
        PlatformCall { StartAuth(service: $0) },
        PlatformCall { ContinueAuth(service: $0) },
        PlatformCall { FinishAuth(service: $0) },
    ]

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate) {
        self.gate = gate
    }

    package var routes: [Route] {
        let service = PlatformService(gate.engine)
        return Self.calls.flatMap { $0.routes(service, gate) }
    }

    /// The surface in the API description.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))
}
