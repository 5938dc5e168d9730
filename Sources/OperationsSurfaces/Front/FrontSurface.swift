package import HTTPServer
internal import Text
internal import SurfaceKit

/// What a browser gets where there is nothing for programs: the front page, and pages for wrong addresses (contract
/// section 9).
package struct FrontSurface: Sendable {
    private let policy: PagePolicy
    private let page: FrontPage

    /// - Parameters:
    ///   - routes: of the listener: the page leads to what is there, and nowhere else.
    ///   - sha256: the digest by which the pages' policy names their style.
    package init(beside routes: [Route], isSandbox: Bool, sha256: @Sendable ([UInt8]) -> [UInt8]) {
        policy = PagePolicy(sha256: sha256)
        page = FrontPage(
            places: Self.places.filter { place in routes.contains { $0.pattern.isSame(as: place.path) } },
            isSandbox: isSandbox)
    }

    private static let places = [
        (path: "/docs", about: "describes every call"),
        (path: "/openapi.json", about: "is the same for programs"),
        (path: "/healthz", about: "says whether the process serves"),
        (path: "/readyz", about: "says whether it can do its work"),
        (path: "/metrics", about: "has the figures"),
        (path: "/sandbox/users", about: "lists the test users"),
        (path: "/sandbox/messages", about: "lists the messages that were sent"),
    ]

    package var routes: [Route] {
        [Route.immediate(.get, "/") { self.answer(to: $0) }]
    }

    /// The page that takes the place of a failure for a browser.
    package func failurePage(_ failure: HTTPFailure, _ headers: Headers) -> Response? {
        switch failure {
        case .notFound, .methodNotAllowed:
            guard AcceptedForm.isPage(headers) else { return nil }
            var response = response(failure.status, FrontPage.failure(failure.status))
            response.error = failureResponse(failure).error
            return response
        default: return nil
        }
    }

    private func answer(to request: Request) -> Response {
        guard AcceptedForm.isPage(request.headers) else { return Self.nothing(hasDocs: leadsToDocs) }
        return response(200, page.document)
    }

    private var leadsToDocs: Bool { page.places.contains { $0.path.isSame(as: "/docs") } }

    /// What programs get.
    static func nothing(hasDocs: Bool) -> Response {
        .coded(
            404, code: 8001, message: "there is nothing at this path" + (hasDocs ? "; /docs describes every call" : ""))
    }

    private func response(_ status: Int, _ document: HTML) -> Response {
        Response(status: status, headers: policy.headers(hasForm: false), body: Array(document.text.utf8))
    }
}
