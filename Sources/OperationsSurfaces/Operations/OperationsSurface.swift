package import HTTPServer
package import Engine
internal import Possession
internal import Text
package import SurfaceKit

/// Calls of operators and gateways (contract section 5).
package struct OperationsSurface: Sendable {
    private let engine: Engine
    private let notReady: @Sendable () async -> String?
    private let metrics: @Sendable () async -> String
    private let descriptionAnswers: DescriptionAnswers?
    private let sessionAnswers: DescriptionAnswers?
    private let vendorDocuments: [(path: String, answers: DescriptionAnswers)]
    private let library: WebLibrary

    /// All endpoints except the front page: their routes and their API description come from here.
    private static let calls: [SurfaceCall<OperationsSurface>] = [
        SurfaceCall(ReadHealth.operations) { _ in [ReadHealth().route] },
        SurfaceCall(ReadReadiness.operations) { [ReadReadiness(notReady: $0.notReady).route] },
        SurfaceCall(ReadMetrics.operations) { [ReadMetrics(text: $0.metrics).route] },
        SurfaceCall(ReadPublicKeys.operations) { [ReadPublicKeys(engine: $0.engine).route] },
        SurfaceCall(ListWebLibrary.operations) { [ListWebLibrary(library: $0.library).route] },
        SurfaceCall(ReadWebLibrary.operations) { [ReadWebLibrary(library: $0.library).route] },
        SurfaceCall(ReadWebLibraryVersion.operations) { [ReadWebLibraryVersion(library: $0.library).route] },
        SurfaceCall(ReadDescription.operations) { surface in
            surface.descriptionAnswers.map { [ReadDescription(answers: $0).route] } ?? []
        },
        SurfaceCall(ReadSessionDescription.operations) { surface in
            surface.sessionAnswers.map { [ReadSessionDescription(answers: $0).route] } ?? []
        },
    ]

    /// - Parameters:
    ///   - notReady: why the server cannot work, without any data; `nil`: it can.
    ///   - metrics: the metrics as Prometheus text.
    ///   - sha256: computes the digest by which a page checks the files it loads.
    ///   - description: builds `/openapi.json`; `nil`: there is no such path.
    ///   - sessions: builds `/openapi/session.json`, in the same way.
    ///   - vendors: the documents of surfaces with their own document, by path.
    package init(
        engine: Engine, notReady: @escaping @Sendable () async -> String?,
        metrics: @escaping @Sendable () async -> String, sha256: @Sendable ([UInt8]) -> [UInt8],
        description: (@Sendable () -> APIDescription)? = nil,
        sessions: (@Sendable () -> APIDescription)? = nil,
        vendors: [(path: String, description: @Sendable () -> APIDescription)] = []
    ) {
        self.engine = engine
        self.notReady = notReady
        self.metrics = metrics
        descriptionAnswers = description.map(DescriptionAnswers.init)
        sessionAnswers = sessions.map(DescriptionAnswers.init)
        vendorDocuments = vendors.map { ($0.path, DescriptionAnswers(make: $0.description)) }
        library = WebLibrary(sha256: sha256)
    }

    /// Routes that stay on the public listener if operators have their own listener: probes, and the keys that gateways
    /// and mobile operators read.
    ///
    /// - Parameters:
    ///   - metrics: whether `/metrics` is included.
    ///   - description: whether the OpenAPI documents are included.
    package func publicRoutes(metrics: Bool, description: Bool) -> [Route] {
        let own = [ReadDescription.call.path, ReadSessionDescription.call.path]
        let ofDescription = own + vendorDocuments.map(\.path)
        return routes.filter { route in
            if route.pattern.isSame(as: ReadMetrics.call.path) { return metrics }
            return description || !ofDescription.contains { $0.isSame(as: route.pattern) }
        }
    }

    package var routes: [Route] {
        Self.calls.flatMap { $0.routes(self) }
            + vendorDocuments.map { vendor in
                Route(.get, vendor.path) { await vendor.answers.document(to: $0) }
            }
    }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        ReadFrontPage.operations + calls.flatMap(\.operations))
}

extension SurfaceName {
    static let operations = SurfaceName("Operations", about: "For operators, gateways and developers.")
}
