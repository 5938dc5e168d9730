package import HTTPServer
internal import Locks
internal import StrictJSON
package import SurfaceKit

/// The documentation as a website (contract section 9): the guides of `docs/`, and the reference of every surface, made
/// from the OpenAPI documents.
///
/// The first request builds it, so that a server whose documentation is never read saves the work and the memory. Not
/// an actor: its jobs would move between loops, and a flood of these requests delayed others by 50 ms.
package final class DocsSurface: Sendable {
    /// The OpenAPI document of one surface.
    package struct Document: Sendable {
        let name: String
        let heading: String
        let path: String
        let errors: String
        let make: @Sendable () -> APIDescription

        /// - Parameters:
        ///   - name: used in URLs, such as `prelude`.
        ///   - heading: for people.
        ///   - path: the URL path of the document itself, such as `/prelude/openapi.json`.
        ///   - errors: the guide with its errors, such as `errors/prelude`.
        package init(
            _ name: String, heading: String, path: String, errors: String,
            make: @escaping @Sendable () -> APIDescription
        ) {
            self.name = name
            self.heading = heading
            self.path = path
            self.errors = errors
            self.make = make
        }
    }

    private let make: @Sendable () -> DocsSite
    private let making = Locked<Task<DocsSite, Never>?>(nil)

    private static let calls: [SurfaceCall<DocsSurface>] = [
        SurfaceCall(ReadDocumentation.operations) { [ReadDocumentation(surface: $0).route] },
        SurfaceCall(ReadDocumentationPage.operations) { [ReadDocumentationPage(surface: $0).route] },
        SurfaceCall(ReadDocumentationSubpage.operations) { [ReadDocumentationSubpage(surface: $0).route] },
        SurfaceCall(ReadReferencePage.operations) { [ReadReferencePage(surface: $0).route] },
        SurfaceCall(ReadDocumentationAsset.operations) { [ReadDocumentationAsset(surface: $0).route] },
    ]

    /// - Parameters:
    ///   - documents: in the order of the navigation.
    ///   - isSandbox: pages then have forms that call the server.
    ///   - sha256: computes the digest that identifies a version of a page or a file.
    package init(
        _ documents: [Document], isSandbox: Bool, sha256: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        make = {
            let content = SiteContent(
                guides: Guide.all(), documents: documents.map(ReferenceDocument.init), isSandbox: isSandbox)
            return DocsSite(content, sha256: sha256)
        }
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))

    var site: DocsSite {
        get async {
            let task = making.withLock { making in
                if let making { return making }
                // Detached: on a loop it would block every connection of the loop.
                let task = Task.detached { [make] in make() }
                making = task
                return task
            }
            return await task.value
        }
    }
}
