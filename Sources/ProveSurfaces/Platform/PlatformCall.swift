internal import HTTPServer
internal import SurfaceKit

/// One endpoint in the list of a surface for backends: its operations, and how its routes are made of the surface's
/// parts.
struct PlatformCall<Parts>: Sendable {
    private let makeOperations: @Sendable () -> [Operation]
    private let makeRoutes: @Sendable (Parts, PlatformGate) -> [Route]

    init<E: PlatformEndpoint>(_ make: @escaping @Sendable (Parts) -> E) {
        makeOperations = { E.operations }
        makeRoutes = { parts, gate in gate.routes(make(parts)) }
    }

    /// A call that does not come through the gate.
    init(
        _ operation: @escaping @autoclosure @Sendable () -> Operation,
        _ route: @escaping @Sendable (Parts, PlatformGate) -> Route
    ) {
        makeOperations = { [operation()] }
        makeRoutes = { [route($0, $1)] }
    }

    /// In the API description.
    var operations: [Operation] { makeOperations() }

    func routes(_ parts: Parts, _ gate: PlatformGate) -> [Route] { makeRoutes(parts, gate) }
}
