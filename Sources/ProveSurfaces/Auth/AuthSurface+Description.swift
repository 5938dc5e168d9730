package import SurfaceKit

extension AuthSurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(AuthDescription.operations)
}
