internal import HTTPServer
package import StrictJSON

/// Builds the OpenAPI 3.1 document.
package struct APIDocument: Sendable {
    /// Title and other texts about the document itself.
    package struct Info: Sendable {
        let title: String
        let summary: String
        /// Text that applies to every call.
        let detail: String

        package init(title: String, summary: String, detail: String) {
            self.title = title
            self.summary = summary
            self.detail = detail
        }
    }

    let info: Info
    /// The version of the server.
    package let version: String
    package let publicURL: String
    package let surfaces: [SurfaceDescription]
    /// The recorded answer of an operation, by its ID.
    package let example: @Sendable (String) -> JSONValue?

    package init(
        _ info: Info = .server, version: String, publicURL: String, surfaces: [SurfaceDescription],
        example: @escaping @Sendable (String) -> JSONValue?
    ) {
        self.info = info
        self.version = version
        self.publicURL = publicURL
        self.surfaces = surfaces
        self.example = example
    }

    private var operations: [Operation] { surfaces.flatMap(\.operations) }
    private var webhooks: [Webhook] { surfaces.flatMap(\.webhooks) }

    package var object: JSONObject {
        var object: JSONObject = ["openapi": "3.1.0"]
        object.set(
            "info",
            [
                "title": .string(info.title), "version": .string(version), "summary": .string(info.summary),
                "description": .string(info.detail),
            ] as JSONObject)
        object.set("jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema")
        object.set("servers", [["url": .string(publicURL)] as JSONObject])
        object.set("tags", tags)
        object.set("paths", paths)
        // By reference, so that client generators ignore them.
        if !webhooks.isEmpty {
            let references = webhooks.map { webhook -> (String, JSONValue?) in
                (webhook.name, ["$ref": .string("#/components/pathItems/\(webhook.name)")])
            }
            object.set("webhooks", JSONObject(references))
        }
        object.set("components", components(of: object))
        return object
    }

    private var tags: [JSONObject] {
        var names: [SurfaceName] = []
        for operation in operations where !names.contains(operation.surface) { names.append(operation.surface) }
        return names.map { ["name": .string($0.text), "description": .string($0.about)] }
    }

    private var paths: JSONObject {
        var paths = JSONObject()
        for operation in operations {
            var item = paths[operation.path]?.object ?? JSONObject()
            item.set(operation.method.text.lowercased(), object(operation))
            paths.set(operation.path, item)
        }
        return paths
    }

    private func object(_ operation: Operation) -> JSONObject {
        var object: JSONObject = [
            "operationId": .string(operation.id), "tags": [.string(operation.surface.text)],
            "summary": .string(operation.summary), "description": .string(Self.detail(operation)),
        ]
        if let listeners = operation.listeners { object.set("x-listeners", listeners) }
        if let caller = operation.caller { object.set("security", [[caller.name: []] as JSONObject]) }
        if !operation.parameters.isEmpty { object.set("parameters", operation.parameters.map(\.object)) }
        if let body = operation.namedBody {
            object.set(
                "requestBody", ["required": .bool(operation.isBodyRequired), "content": .object(Self.media(body))])
        }
        object.set("responses", responses(operation))
        return object
    }

    private static func detail(_ operation: Operation) -> String {
        var sentences = [operation.detail]
        if let bound = operation.bound { sentences.append("The body has at most \(bound.text).") }
        if operation.listeners == ["operations"] {
            sentences.append(
                "In live it is on the listener for operators (server.operationsPort), unless the configuration says "
                    + "otherwise.")
        }
        return sentences.joined(separator: " ")
    }

    private static func media(_ content: Content) -> JSONObject { [content.type: .object(content.media)] }

    private func responses(_ operation: Operation) -> JSONObject {
        var all: [(status: Int, response: JSONObject)] = operation.namedAnswers.map { answer in
            var content = answer.content
            if content?.type == "application/json", let recorded = example(operation.recordedID) {
                content?.example = recorded
            }
            var media = content.map(Self.media) ?? JSONObject()
            for other in answer.otherContents { media[other.type] = Self.media(other)[other.type] }
            if answer.isPageForBrowsers { media[Content.page.type] = Self.media(.page)[Content.page.type] }
            var object = DescribedErrors.object(answer.status, headers: answer.headers, media)
            object.set("description", answer.about)
            return (answer.status, object)
        }
        all += DescribedErrors(operation).responses
        var responses = JSONObject()
        for (status, response) in all.sorted(by: { $0.status < $1.status }) {
            responses.set(String(status), response)
        }
        responses.set("default", ["$ref": .string("#/components/responses/\(DescribedErrors.general)")])
        return responses
    }

    /// Every named schema, once. Two with the same name are equal (checked by a test).
    package var definitions: [Schema.Definition] {
        let ofSurfaces = surfaces.flatMap(\.schemas).flatMap { $0.schema.called($0.name).definitions }
        let error = SharedSchemas.error.schema.called(SharedSchemas.error.name).definitions
        return error + ofSurfaces + operations.flatMap(\.schemas).flatMap(\.definitions)
            + webhooks.flatMap { $0.bodies.flatMap(\.schema.definitions) }
    }

    /// The named schemas that the document refers to, and the other shared parts.
    private func components(of document: JSONObject) -> JSONObject {
        let pathItems = JSONObject(webhooks.map { ($0.name, .object($0.object)) })
        let responses: JSONObject = [DescribedErrors.general: .object(DescribedErrors.generalResponse)]
        var known: [String: JSONObject] = [:]
        let definitions = definitions
        for definition in definitions { known[definition.name] = definition.object }
        var used: Set<String> = []
        var open = [document, responses, pathItems].flatMap { Self.references(in: .object($0)) }
        while let name = open.popLast() {
            guard used.insert(name).inserted, let schema = known[name] else { continue }
            open += Self.references(in: .object(schema))
        }
        var schemas = JSONObject()
        for definition in definitions where used.remove(definition.name) != nil {
            schemas.set(definition.name, definition.object)
        }
        return [
            "securitySchemes": .object(SecuritySchemes(operations: operations, publicURL: publicURL).object),
            "schemas": .object(schemas), "responses": .object(responses),
            "pathItems": pathItems.isEmpty ? nil : .object(pathItems),
        ]
    }

    /// The names of the schemas that the value refers to.
    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let object):
            if let text = object["$ref"]?.string, text.utf8.starts(with: Schema.place.utf8) {
                return [String(text.dropFirst(Schema.place.count))]
            }
            return object.members.flatMap { references(in: $0.value) }
        case .array(let values): return values.flatMap(references)
        default: return []
        }
    }
}

extension APIDocument.Info {
    /// The texts for the surfaces without their own document.
    package static let server = APIDocument.Info(
        title: "Holdfast", summary: "Proves that a person holds the phone number they claim.",
        detail: """
            Every response has X-Request-Id: the caller's if it sent 1 to 128 of [A-Za-z0-9._:-], else a new one. \
            In requests, null and "" count as absent; answers have no null. Times are RFC 3339 in UTC, identifiers UUIDs in \
            lower case. An unknown path answers 404, another method 405 with Allow. Errors outside a known path look like \
            {"code":8001,"message":"..."}. A smaller description, of the calls of a session alone, is at \
            /openapi/session.json.
            """)
}
