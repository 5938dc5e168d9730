import HTTPServer
import Locks
import StrictJSON
@testable import SurfaceKit
import Testing

/// Holds answers against one document of the API description.
struct DocumentAnswers: Sendable {
    /// The document's words on the answers of one route with one status.
    private struct Described: Sendable {
        struct Content: Sendable {
            let schema: OpenAPISchema
            /// The members that name an error, with the values that are listed.
            let listed: [(member: String, values: [JSONValue])]
        }

        let requiredHeaders: [String]
        let contents: [String: Content]
        let hasNoContent: Bool
    }

    private struct Place: Hashable {
        let method: String
        let pattern: String
        let status: Int
    }

    let document: JSONObject
    private let check: OpenAPISchemaCheck
    private let known = Locked<[Place: Described]>([:])

    init(_ document: JSONObject) {
        self.document = document
        check = OpenAPISchemaCheck(document)
    }

    /// Records an issue that names route and status where the answer is not as described.
    func check(_ response: Response, to request: Request) {
        // HEAD is GET without content (RFC 9110 section 9.3.2) and not described.
        guard let pattern = request.routePattern, request.method != .head else { return }
        for defect in defects(of: response, method: request.method, pattern: pattern) {
            Issue.record("\(request.method.text) \(pattern) \(response.status): \(defect)")
        }
    }

    func operation(_ method: Method, _ pattern: String) -> JSONObject? {
        document["paths"]?.object?[pattern]?.object?[method.text.lowercased()]?.object
    }

    func defects(of response: Response, method: Method, pattern: String) -> [String] {
        let place = Place(method: method.text, pattern: pattern, status: response.status)
        if let described = known.withLock({ $0[place] }) { return defects(of: response, described) }
        guard let operation = operation(method, pattern) else { return ["the route is not described"] }
        guard let answer = answer(response.status, of: operation) else { return ["the status is not described"] }
        let described = described(answer, status: response.status)
        known.withLock { $0[place] = described }
        return defects(of: response, described)
    }

    /// The operation's own words on the status; else the words for every call.
    private func answer(_ status: Int, of operation: JSONObject) -> JSONObject? {
        let responses = operation["responses"]?.object
        if let own = responses?[String(status)]?.object { return own }
        let general = responses?["default"]?.object?["$ref"]?.string.flatMap(check.resolve)
        return general?[DescribedErrors.statuses]?.array?.contains(.integer(Int64(status))) == true ? general : nil
    }

    private func described(_ answer: JSONObject, status: Int) -> Described {
        let answer = answer["$ref"]?.string.flatMap(check.resolve) ?? answer
        let content = answer["content"]?.object ?? JSONObject()
        let headers = (200..<400).contains(status) ? answer["headers"]?.object?.names ?? [] : []
        return Described(
            requiredHeaders: headers,
            contents: Dictionary(
                uniqueKeysWithValues: content.members.compactMap { member in
                    guard let media = member.value.object, let schema = media["schema"]?.object else { return nil }
                    let listed = DescribedErrors.listed.compactMap { name, list in
                        media[list]?.array.map { (member: name, values: $0) }
                    }
                    return (member.name, Described.Content(schema: OpenAPISchema(schema), listed: listed))
                }),
            hasNoContent: content.isEmpty)
    }

    private func defects(of response: Response, _ described: Described) -> [String] {
        let missing = described.requiredHeaders.filter { response.header($0) == nil }
        return missing.map { "header \($0) is missing" } + bodyDefects(of: response, described)
    }

    private func bodyDefects(of response: Response, _ described: Described) -> [String] {
        guard let header = response.header("content-type") else {
            return described.hasNoContent || response.status == 303 ? [] : ["there is no content"]
        }
        let type = header.prefix { $0 != ";" }
        guard let content = described.contents[String(type)] else { return ["\(type) is not described"] }
        guard type == "application/json" else { return [] }
        guard let body = try? JSONValue.parse(response.body) else { return ["the body is no JSON"] }
        return check.defects(of: body, content.schema) + Self.unlisted(body, content)
    }

    /// The code and the name of an error that the description does not list for its status.
    private static func unlisted(_ body: JSONValue, _ content: Described.Content) -> [String] {
        content.listed.compactMap { member, values in
            guard let value = body.object?[member], value.object == nil, !values.contains(value) else { return nil }
            return "$.\(member): \(value) is not listed"
        }
    }
}
