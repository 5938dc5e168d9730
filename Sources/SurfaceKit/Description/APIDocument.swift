internal import HTTPServer
package import StrictJSON

/// Puts the OpenAPI 3.1 document together.
package struct APIDocument: Sendable {
    /// What the document says of itself.
    package struct Info: Sendable {
        let title: String
        let summary: String
        /// What holds of every call.
        let detail: String

        package init(title: String, summary: String, detail: String) {
            self.title = title
            self.summary = summary
            self.detail = detail
        }
    }

    let info: Info
    package let publicURL: String
    package let surfaces: [SurfaceDescription]
    /// The recorded answer of an operation, by its id.
    package let example: @Sendable (String) -> JSONValue?

    package init(
        _ info: Info = .server, publicURL: String, surfaces: [SurfaceDescription],
        example: @escaping @Sendable (String) -> JSONValue?
    ) {
        self.info = info
        self.publicURL = publicURL
        self.surfaces = surfaces
        self.example = example
    }

    private var operations: [Operation] { surfaces.flatMap(\.operations) }

    package var object: JSONObject {
        var object: JSONObject = ["openapi": "3.1.0"]
        object.set(
            "info",
            [
                "title": .string(info.title), "version": "1", "summary": .string(info.summary),
                "description": .string(info.detail),
            ] as JSONObject)
        object.set("jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema")
        object.set("servers", [["url": .string(publicURL)] as JSONObject])
        object.set("tags", tags)
        object.set("paths", paths)
        object.set("components", components)
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
        if !operation.parameters.isEmpty { object.set("parameters", operation.parameters.map(Self.parameter)) }
        if let body = operation.body {
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

    private static func parameter(_ parameter: Parameter) -> JSONObject {
        [
            "name": .string(parameter.field.name), "in": .string(parameter.place.rawValue),
            "required": .bool(parameter.field.isRequired), "description": .string(parameter.field.about),
            "schema": .object(parameter.field.schema.object),
        ]
    }

    private static func media(_ content: Content) -> JSONObject {
        var media: JSONObject = ["schema": .object(content.schema.object)]
        media["example"] = content.example
        return [content.type: .object(media)]
    }

    private func responses(_ operation: Operation) -> JSONObject {
        var all: [(status: Int, response: JSONObject)] = operation.answers.map { answer in
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
        // A call that says itself what it answers goes first.
        for (name, failure) in DescribedErrors.shared where !all.contains(where: { $0.status == failure.status }) {
            all.append((failure.status, ["$ref": .string("#/components/responses/\(name)")]))
        }
        var responses = JSONObject()
        for (status, response) in all.sorted(by: { $0.status < $1.status }) {
            responses.set(String(status), response)
        }
        return responses
    }

    private var components: JSONObject {
        var schemas = JSONObject()
        for (name, schema) in [SharedSchemas.error] + surfaces.flatMap(\.schemas) { schemas.set(name, schema.object) }
        var responses = JSONObject()
        for (name, failure) in DescribedErrors.shared {
            let response = failureResponse(failure)
            let content: JSONObject = [
                "application/json": [
                    "schema": .object(Schema.named(ErrorShape.coded.name).object),
                    "example": (try? JSONValue.parse(response.body)) ?? .null,
                ]
            ]
            responses.set(name, DescribedErrors.object(failure.status, headers: [], content))
        }
        return [
            "securitySchemes": .object(SecuritySchemes(operations: operations, publicURL: publicURL).object),
            "schemas": .object(schemas), "responses": .object(responses),
        ]
    }
}

extension APIDocument.Info {
    /// Of the surfaces that have no document of their own.
    package static let server = APIDocument.Info(
        title: "Holdfast", summary: "Proves that a person holds the phone number they claim.",
        detail: """
            Every response has X-Request-Id: the caller's if it sent 1 to 128 of [A-Za-z0-9._:-], else a new one. \
            In requests, null and "" count as absent; answers have no null. Times are RFC 3339 in UTC, identifiers UUIDs in \
            lower case. An unknown path answers 404, another method 405 with Allow, and whatever fails before a call \
            is found answers {"code":8001,"message":"..."}.
            """)
}
