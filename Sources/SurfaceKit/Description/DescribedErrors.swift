internal import HTTPServer
package import StrictJSON

/// The errors of one operation, by status. Codes, names and examples are read from the responses themselves, so that
/// the description cannot differ from the answers.
package struct DescribedErrors: Sendable {
    private let operation: Operation

    package init(_ operation: Operation) {
        self.operation = operation
    }

    /// Answers of the server itself to any call: described once, as the default response of every call.
    private static let failures: [HTTPFailure] = [
        .badRequest(reason: "..."), .requestTimeout, .contentTooLarge, .uriTooLong, .expectationFailed,
        .misdirected, .headerFieldsTooLarge, .internalFault, .overloaded,
    ]
    /// The name of that response.
    package static let general = "Failure"
    /// The member that lists its statuses.
    package static let statuses = "x-statuses"

    package static var generalResponse: JSONObject {
        let responses = failures.map(failureResponse)
        let statuses = responses.map { JSONValue.integer(Int64($0.status)) }
        var examples = JSONObject()
        for response in responses {
            let body = (try? JSONValue.parse(response.body)) ?? .null
            examples.set(
                String(response.status), ["summary": .string(reason(of: response.status)), "value": body] as JSONObject)
        }
        let media: JSONObject = [
            "schema": .object(Schema.named(ErrorShape.coded.name).object), "examples": .object(examples),
        ]
        let names = Set(responses.flatMap { $0.headers.map(\.name) }).subtracting(["Content-Type"]).sorted()
        var object = Self.object(0, headers: names, ["application/json": .object(media)])
        object.set("description", "Any call may answer so: by its status, see the examples.")
        object[Self.statuses] = .array(statuses)
        return object
    }

    /// Failures of the server with the same status as errors of the operation; they are described together. A value
    /// that cannot be a path parameter, such as a control character, matches no path.
    private var failures: [HTTPFailure] {
        let statuses = Set(operation.errors.map(\.status))
        return Self.failures.filter { statuses.contains($0.status) }
            + (operation.path.contains("{") && !operation.isInArea ? [.notFound] : [])
    }

    /// Each status with its response object, in order.
    package var responses: [(status: Int, response: JSONObject)] {
        let statuses = Set(operation.errors.map(\.status) + failures.map(\.status)).sorted()
        return statuses.map { ($0, response($0)) }
    }

    private func response(_ status: Int) -> JSONObject {
        let own = operation.errors.filter { $0.status == status }
        let engine = failures.filter { $0.status == status }.map(failureResponse)
        var content = JSONObject()
        if operation.errorShape.kind == .page, !own.isEmpty {
            content.set("text/html", ["schema": .object(Content.page.schema.object)])
        }
        let inJSON = operation.errorShape.kind == .page ? engine : own + engine
        if !inJSON.isEmpty {
            content.set("application/json", media(inJSON, schemaName(hasOwn: !own.isEmpty, hasEngine: !engine.isEmpty)))
        }
        let names = Set((own + engine).flatMap { $0.headers.map(\.name) })
        return Self.object(status, headers: names.subtracting(["Content-Type"]).sorted(), content)
    }

    package static func object(_ status: Int, headers: [String], _ content: JSONObject) -> JSONObject {
        var fields = JSONObject()
        for name in headers {
            fields.set(name, ["description": .string(about(header: name)), "schema": ["type": "string"]])
        }
        var object: JSONObject = ["description": .string(reason(of: status))]
        if !fields.isEmpty { object.set("headers", fields) }
        if !content.isEmpty { object.set("content", content) }
        return object
    }

    /// One named schema for each status, so that generated clients get one class for each error shape, not for each
    /// call.
    private func schemaName(hasOwn: Bool, hasEngine: Bool) -> String {
        let shape = operation.errorShape
        guard hasOwn else { return ErrorShape.coded.name }
        return switch shape.kind {
        case .coded, .page: ErrorShape.coded.name
        // Members that the engine's failures do not have are optional.
        case .extended: shape.name
        case .separate: hasEngine ? shape.orFailure.name : shape.name
        }
    }

    /// The members that distinguish errors of one status, and the names under which their values are listed. A value
    /// that is an object is not listed.
    package static let listed = [(member: "code", list: "x-codes"), (member: "error", list: "x-errors")]

    private func media(_ responses: [Response], _ schema: String) -> JSONObject {
        var media: JSONObject = ["schema": .object(Schema.named(schema).object)]
        let bodies = responses.compactMap { try? JSONObject.parse($0.body) }
        for (member, list) in Self.listed {
            var values: [JSONValue] = []
            for value in bodies.compactMap({ $0[member] }) where value.object == nil && !values.contains(value) {
                values.append(value)
            }
            if !values.isEmpty { media[list] = .array(values) }
        }
        media.set("examples", Self.examples(responses))
        return media
    }

    /// One example of each code and name.
    private static func examples(_ responses: [Response]) -> JSONObject {
        var examples = JSONObject()
        for body in responses.compactMap({ try? JSONObject.parse($0.body) }) {
            let code = body["code"].map { String(decoding: $0.serialized(), as: UTF8.self) }
            let parts = [body["error"]?.string, code].compactMap { $0 }
            let name = String(parts.joined(separator: "-").filter { $0 != "\"" })
            if examples[name] == nil { examples.set(name, ["value": .object(body)]) }
        }
        return examples
    }

    package static func reason(of status: Int) -> String {
        switch status {
        case 400: "The request is refused: see the code and the message."
        case 401: "Who calls is not known, or may not call."
        case 403: "Not allowed."
        case 404: "There is no such thing."
        case 405: "This path does not take this method."
        case 408: "The request did not arrive in time."
        case 409: "Not at this point."
        case 410: "It is over."
        case 413: "The body is too large."
        case 414: "The request target is too long."
        case 415: "The Content-Type is another one."
        case 417: "The expectation cannot be met."
        case 421: "This server is not called by that name."
        case 422: "The retry key was used with another body."
        case 429: "Too many requests."
        case 431: "The header fields are too large."
        case 502: "The message could not be sent."
        case 503: "Busy or not ready; try again."
        case 504: "The network did not answer in time."
        default: "Internal error."
        }
    }

    private static func about(header name: String) -> String {
        switch name {
        case "Retry-After": "Whole seconds after which to try again."
        case "WWW-Authenticate": "The scheme that is due (RFC 9110 section 11.6.1)."
        case "Location": "Where to go on."
        case "ETag": "Names this version; to be sent back in If-None-Match."
        case "Cache-Control": "How long the answer may be kept."
        case "Vary": "What else of a request the answer depends on."
        default: "See the summary."
        }
    }
}
