internal import HTTPServer
internal import SurfaceKit

/// One endpoint in the list of a surface for backends: its operations, and how its routes are made of the surface's
/// parts.
struct PlatformCall<Parts>: Sendable {
    let operations: [Operation]
    private let makeRoutes: @Sendable (Parts, PlatformGate) -> [Route]

    init<E: PlatformEndpoint>(_ make: @escaping @Sendable (Parts) -> E) {
        operations = E.operations
        makeRoutes = { parts, gate in gate.routes(make(parts)) }
    }

    /// A call that does not come through the gate.
    init(_ operation: Operation, _ route: @escaping @Sendable (Parts, PlatformGate) -> Route) {
        operations = [operation]
        makeRoutes = { [route($0, $1)] }
    }

    func routes(_ parts: Parts, _ gate: PlatformGate) -> [Route] { makeRoutes(parts, gate) }
}
