package import HTTPServer

/// One endpoint in the list of a surface: its API description, and how its routes are made from the surface.
///
///     private static let calls: [SurfaceCall<LinkSurface>] = [
///         SurfaceCall { ShowLink(look: $0.look, pages: $0.pages) },
///     ]
package struct SurfaceCall<Surface>: Sendable {
    private let makeOperations: @Sendable () -> [Operation]
    private let makeRoutes: @Sendable (Surface) -> [Route]

    /// - Parameter operations: created when the API description is requested.
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
