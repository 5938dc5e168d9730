@testable import ServerDescription
@testable import SurfaceKit
import HTTPServer
import StrictJSON
import Testing

/// Holds answers against the API description of the surfaces that share one, and against what SDKs can read. Every answer
/// that `InProcessClient` gets comes by here, so that each test of a surface is one of its description as well.
enum OpenAPIAnswers {
    static let description = APIDescription.document(
        version: World.version, publicURL: World.publicURL, isSandbox: true)
    static let document = description.object
    static let answers = DocumentAnswers(document)

    /// Records an issue that names route and status where the answer is not as described.
    @Sendable static func check(_ response: Response, to request: Request) {
        guard let pattern = request.routePattern, request.method != .head else { return }
        answers.check(response, to: request)
        for defect in SDKAnswers.defects(of: response, method: request.method, pattern: pattern) {
            Issue.record("\(request.method.text) \(pattern) \(response.status): \(defect)")
        }
    }

    static func operation(_ method: Method, _ pattern: String) -> JSONObject? { answers.operation(method, pattern) }

    static func defects(of response: Response, method: Method, pattern: String) -> [String] {
        answers.defects(of: response, method: method, pattern: pattern)
    }
}
