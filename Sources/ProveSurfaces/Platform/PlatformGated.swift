internal import SurfaceKit

/// A surface whose calls are admitted by the platform's gate.
protocol PlatformGated: Sendable {
    var gate: PlatformGate { get }
}

extension SurfaceCall where Surface: PlatformGated {
    init<E: PlatformEndpoint>(_ make: @escaping @Sendable (Surface) -> E) {
        self.init(E.operations) { $0.gate.routes(make($0)) }
    }
}
