package import SurfaceKit

extension SandboxSurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(SandboxDescription.operations, schemas: SandboxSchemas.all)
}

extension SurfaceName {
    static let sandbox = SurfaceName(
        "Sandbox", about: "For developers and tests. There in sandbox mode only, and not authenticated.")
}
