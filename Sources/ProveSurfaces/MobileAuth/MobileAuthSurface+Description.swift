package import SurfaceKit

extension MobileAuthSurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(
        MobileAuthDescription.operations,
        schemas: [(ErrorShape.hop.name, MobileAuthDescription.hopError), ErrorShape.hop.orFailure])
}

extension SurfaceName {
    static let mobileAuth = SurfaceName(
        "Mobile Auth hops", about: "Hops that the phone follows over its cellular connection. No token, no cookie.")
}

extension ErrorShape {
    static let hop = ErrorShape("HopError", .separate)
}
