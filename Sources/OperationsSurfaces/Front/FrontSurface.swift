package import HTTPServer
internal import Text
internal import SurfaceKit

/// Pages for browsers at paths without an answer for programs: the front page, and pages for wrong addresses (contract
/// section 9).
package struct FrontSurface: Sendable {
    private let policy: PagePolicy
    private let page: FrontPage

    /// - Parameters:
    ///   - routes: of the listener: the page links only to existing ones.
    ///   - sha256: computes the digest by which the pages' policy allows their style.
    package init(beside routes: [Route], isSandbox: Bool, sha256: @Sendable ([UInt8]) -> [UInt8]) {
        policy = PagePolicy(sha256: sha256)
        page = FrontPage(
            places: Self.places.filter { place in routes.contains { $0.pattern.isSame(as: place.path) } },
            isSandbox: isSandbox)
    }

    private static let places = [
        (path: "/demo", about: "plays each check with test users, on a shop's page and a phone"),
        (path: "/docs", about: "describes every call"),
        (path: "/openapi.json", about: "is the same for programs"),
        (path: "/healthz", about: "says whether the process serves"),
        (path: "/readyz", about: "says whether it can do its work"),
        (path: "/metrics", about: "has the figures"),
        (path: "/sandbox/users", about: "lists the test users"),
        (path: "/sandbox/messages", about: "lists the messages that were sent"),
    ]

    package var routes: [Route] {
        let hasDocs = page.places.contains { $0.path.isSame(as: "/docs") }
        return [ReadFrontPage(page: page, policy: policy, hasDocs: hasDocs).route]
    }

    /// The page that a browser gets instead of a failure.
    package func failurePage(_ failure: HTTPFailure, _ headers: Headers) -> Response? {
        switch failure {
        case .notFound, .doubleSlash, .methodNotAllowed, .overloaded:
            guard AcceptedForm.isPage(headers) else { return nil }
            var response = policy.response(failure.status, FrontPage.failure(failure.status))
            response.error = failureResponse(failure).error
            return response
        default: return nil
        }
    }
}
