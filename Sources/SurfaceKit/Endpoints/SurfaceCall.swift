package import HTTPServer

/// One endpoint in the list of a surface: its part of the API description, and how its routes are made of the surface.
///
///     private static let calls: [SurfaceCall<LinkSurface>] = [
///         SurfaceCall { ShowLink(look: $0.look, pages: $0.pages) },
///     ]
package struct SurfaceCall<Surface>: Sendable {
    private let makeOperations: @Sendable () -> [Operation]
    private let makeRoutes: @Sendable (Surface) -> [Route]

    /// - Parameter operations: made when the API description is asked for.
    package init(
        _ operations: @escaping @autoclosure @Sendable () -> [Operation],
        _ routes: @escaping @Sendable (Surface) -> [Route]
    ) {
        makeOperations = operations
        makeRoutes = routes
    }

    package var operations: [Operation] { makeOperations() }

    package func routes(_ surface: Surface) -> [Route] { makeRoutes(surface) }
}
