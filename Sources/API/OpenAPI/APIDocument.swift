internal import HTTPServer
internal import StrictJSON

/// Puts the OpenAPI 3.1 document together.
struct APIDocument: Sendable {
    let publicURL: String
    let operations: [Operation]

    var object: JSONObject {
        var object: JSONObject = ["openapi": "3.1.0"]
        object.set("info", Self.info)
        object.set("jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema")
        object.set("servers", [["url": .string(publicURL)] as JSONObject])
        object.set("tags", tags)
        object.set("paths", paths)
        object.set("components", components)
        return object
    }

    private static let info: JSONObject = [
        "title": "Holdfast", "version": "1",
        "summary": "Proves that a person holds the phone number they claim.",
        "description": .string(
            """
            Every response has X-Request-Id: the caller's if it sent 1 to 128 of [A-Za-z0-9._:-], else a new one. \
            In requests, null and "" count as absent; answers have no null. Times are RFC 3339 in UTC, identifiers UUIDs in \
            lower case. An unknown path answers 404, another method 405 with Allow, and whatever fails before a call \
            is found answers {"code":8001,"message":"..."}.
            """),
    ]

    private var tags: [JSONObject] {
        SurfaceName.allCases.filter { name in operations.contains { $0.surface == name } }.map {
            ["name": .string($0.rawValue), "description": .string($0.about)]
        }
    }

    private var paths: JSONObject {
        var paths = JSONObject()
        for operation in operations {
            var item = paths[operation.path]?.object ?? JSONObject()
            item.set(operation.method.text.lowercased(), Self.object(operation))
            paths.set(operation.path, item)
        }
        return paths
    }

    private static func object(_ operation: Operation) -> JSONObject {
        var object: JSONObject = [
            "operationId": .string(operation.id), "tags": [.string(operation.surface.rawValue)],
            "summary": .string(operation.summary), "description": .string(detail(operation)),
        ]
        if let listeners = operation.listeners { object.set("x-listeners", listeners) }
        if operation.caller != .anyone {
            object.set("security", [[operation.caller.rawValue: []] as JSONObject])
        }
        if !operation.parameters.isEmpty { object.set("parameters", operation.parameters.map(parameter)) }
        if let body = operation.body {
            object.set("requestBody", ["required": .bool(operation.isBodyRequired), "content": .object(media(body))])
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

    private static func responses(_ operation: Operation) -> JSONObject {
        var all: [(status: Int, response: JSONObject)] = operation.answers.map { answer in
            var content = answer.content
            if content?.type == "application/json", let recorded = RecordedAnswers.answer(to: operation.recordedID) {
                content?.example = recorded
            }
            var object = DescribedErrors.object(
                answer.status, headers: answer.headers, content.map(media) ?? JSONObject())
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
        for (name, schema) in SharedSchemas.all { schemas.set(name, schema.object) }
        var responses = JSONObject()
        for (name, failure) in DescribedErrors.shared {
            let response = failureResponse(failure)
            let content: JSONObject = [
                "application/json": [
                    "schema": .object(Schema.named(Operation.ErrorShape.coded.rawValue).object),
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

extension SurfaceName {
    var about: String {
        switch self {
        case .platform: "What an app's backend calls: a token, and the sessions of its users."
        case .app: "What a browser or phone calls directly, with a flow token as cookie or in Authorization."
        case .client: "What the client SDK calls with the auth token that the backend handed it."
        case .mobileAuth: "Hops that the phone follows over its cellular connection. No token, no cookie."
        case .link: "Pages for the person who holds an instant link."
        case .operations: "For operators, gateways and developers."
        case .sandbox: "For developers and tests. There in sandbox mode only, and not authenticated."
        case .simulatedOperator:
            "A mobile network operator that the sandbox plays: OpenID Connect and CAMARA Number Verification 2.1."
        }
    }
}
