@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import HTTPServer
import StrictJSON
import Testing

/// Holds answers against the API description, and against what SDKs can read. Every answer that `InProcessClient` gets
/// comes by here, so that each test of a surface is one of its description as well.
enum OpenAPIAnswers {
    static let document = APIDescription.document(publicURL: World.publicURL, isSandbox: true)
    private static let check = OpenAPISchemaCheck(document)

    /// Records an issue that names route and status where the answer is not as described.
    static func check(_ response: Response, to request: Request) {
        // HEAD is GET without content (RFC 9110 section 9.3.2) and not described.
        guard let pattern = request.routePattern, request.method != .head else { return }
        let name = "\(request.method.text) \(pattern) \(response.status)"
        let defects =
            defects(of: response, method: request.method, pattern: pattern)
            + SDKAnswers.defects(of: response, method: request.method, pattern: pattern)
        for defect in defects {
            Issue.record("\(name): \(defect)")
        }
    }

    static func operation(_ method: Method, _ pattern: String) -> JSONObject? {
        document["paths"]?.object?[pattern]?.object?[method.text.lowercased()]?.object
    }

    static func defects(of response: Response, method: Method, pattern: String) -> [String] {
        guard let operation = operation(method, pattern) else { return ["the route is not described"] }
        guard var described = operation["responses"]?.object?[String(response.status)]?.object else {
            return ["the status is not described"]
        }
        if let target = described["$ref"]?.string { described = check.resolve(target) ?? described }
        let content = described["content"]?.object ?? JSONObject()
        let names = response.headers.map { $0.name.lowercased() }
        let missing =
            (200..<400).contains(response.status)
            ? (described["headers"]?.object?.names ?? []).filter { !names.contains($0.lowercased()) } : []
        return missing.map { "header \($0) is missing" } + defects(of: response, content)
    }

    private static func defects(of response: Response, _ content: JSONObject) -> [String] {
        guard let header = response.header("content-type") else {
            return content.isEmpty || response.status == 303 ? [] : ["there is no content"]
        }
        let type = header.prefix { $0 != ";" }
        guard let media = content[String(type)]?.object, let schema = media["schema"]?.object else {
            return ["\(type) is not described"]
        }
        guard type == "application/json" else { return [] }
        guard let body = try? JSONValue.parse(response.body) else { return ["the body is no JSON"] }
        return check.defects(of: body, schema) + unlisted(body, media)
    }

    /// The code and the name of an error that the description does not list for its status.
    private static func unlisted(_ body: JSONValue, _ media: JSONObject) -> [String] {
        DescribedErrors.listed.compactMap { member, list in
            guard let values = media[list]?.array, let value = body.object?[member] else { return nil }
            return values.contains(value) ? nil : "$.\(member): \(value) is not listed"
        }
    }
}
