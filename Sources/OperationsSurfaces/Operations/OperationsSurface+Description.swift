package import SurfaceKit

extension OperationsSurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(OperationsDescription.operations)
}

extension SurfaceName {
    static let operations = SurfaceName("Operations", about: "For operators, gateways and developers.")
}
