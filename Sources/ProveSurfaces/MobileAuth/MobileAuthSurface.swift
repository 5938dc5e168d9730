package import HTTPServer
package import Engine
internal import Possession
package import Text
package import SurfaceKit

/// The hops of a Mobile Auth chain, followed by the phone over its cellular connection (client protocol 4.7).
///
/// Hops never use a token, a cookie, or cross-origin permission: only the client that followed the chain gets the
/// fingerprint.
package struct MobileAuthSurface: Sendable {
    private let engine: Engine
    private let first: MobileAuthService
    /// Serves every product, because an operator knows only one return URL.
    private let back: MobileAuthService
    private let address: ClientAddress
    private let callers: CallerGate?

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<MobileAuthSurface>] = [
        SurfaceCall { GoToOperator(service: $0.first, engine: $0.engine, address: $0.address) },
        SurfaceCall { ReturnFromOperator(service: $0.back, engine: $0.engine, address: $0.address) },
    ]

    /// - Parameters:
    ///   - trustedProxies: peers whose `X-Forwarded-For` is trusted for the phone's address.
    ///   - callers: the limits and rates that these calls share with other surfaces.
    package init(engine: Engine, trustedProxies: AddressRanges, callers: CallerGate? = nil) {
        self.engine = engine
        self.callers = callers
        first = MobileAuthService(engine, in: SessionFence(products: ProductName.ofPlatform))
        back = MobileAuthService(engine, in: .all)
        address = ClientAddress(trustedProxies: trustedProxies)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations), schemas: [(ErrorShape.hop.name, HopError.schema), ErrorShape.hop.orFailure])

    fileprivate var hops: PhoneHops<HopError> { PhoneHops(callers: callers, report: engine.reports.log) }
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
