package import HTTPServer
package import Possession
package import Text
package import SurfaceKit

/// The hops of a Mobile Auth chain, followed by the phone over its cellular connection (client protocol 4.7).
///
/// No token, no cookie, and no permission to read across origins, ever: the fingerprint goes to whoever followed the
/// chain and to nobody else.
package struct MobileAuthSurface: Sendable {
    private let engine: Engine
    private let first: MobileAuthService
    /// It serves every product, because an operator knows one address to come back to.
    private let back: MobileAuthService
    private let address: ClientAddress
    private let callers: CallerGate?

    /// Every endpoint: its routes and its part of the API description come from here.
    private static let calls: [SurfaceCall<MobileAuthSurface>] = [
        SurfaceCall { GoToOperator(service: $0.first, engine: $0.engine, address: $0.address) },
        SurfaceCall { ReturnFromOperator(service: $0.back, engine: $0.engine, address: $0.address) },
    ]

    /// - Parameters:
    ///   - trustedProxies: peers whose `X-Forwarded-For` tells the phone's address.
    ///   - callers: the limits and rates that these calls share with other surfaces.
    package init(engine: Engine, trustedProxies: AddressRanges, callers: CallerGate? = nil) {
        self.engine = engine
        self.callers = callers
        first = MobileAuthService(engine, in: SessionFence(products: ProductName.ofPlatform))
        back = MobileAuthService(engine, in: .all)
        address = ClientAddress(trustedProxies: trustedProxies)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The surface in the API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations), schemas: [(ErrorShape.hop.name, HopError.schema), ErrorShape.hop.orFailure])

    fileprivate var hops: PhoneHops<HopError> { PhoneHops(callers: callers, report: engine.report) }
}

extension SurfaceCall<MobileAuthSurface> {
    fileprivate init<E: HopEndpoint>(_ make: @escaping @Sendable (MobileAuthSurface) -> E) {
        self.init(E.operations) { $0.hops.routes(make($0)) }
    }
}

extension SurfaceName {
    static let mobileAuth = SurfaceName(
        "Mobile Auth hops", about: "Hops that the phone follows over its cellular connection. No token, no cookie.")
}

extension ErrorShape {
    static let hop = ErrorShape("HopError", .separate)
}
