package import SurfaceKit

extension LinkSurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(LinkDescription.operations)
}

extension SurfaceName {
    static let link = SurfaceName("Instant links", about: "Pages for the person who holds an instant link.")
}
