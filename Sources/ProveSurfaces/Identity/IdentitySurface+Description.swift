package import SurfaceKit

extension IdentitySurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(
        IdentityDescription.operations, schemas: PlatformSchemas.ofIdentity)
}
