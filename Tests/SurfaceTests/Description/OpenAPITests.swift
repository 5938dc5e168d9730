@testable import ClientSurfaces
@testable import DocsSurface
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import Testing

/// The description against the routes and answers that there are.
struct OpenAPITests {
    private let document = OpenAPIAnswers.document
    private static let operations = APIDescription.operations(isSandbox: true)
    private static let definitions = OpenAPIAnswers.description.definitions

    @Test func `every route is described, and nothing else`() async throws {
        let world = try await World()
        let routes = (world.client.routes + Self.ownRoutes(world)).filter { $0.method != .head }
        let there = Set(routes.map { "\($0.method.text) \($0.pattern)" })
        let described = Set(Self.operations.map { "\($0.method.text) \($0.path)" })
        #expect(there.subtracting(described).sorted() == [])
        #expect(described.subtracting(there).sorted() == [])
    }

    @Sendable private static func description() -> APIDescription {
        APIDescription(version: World.version, publicURL: World.publicURL, isSandbox: true, sha256: { $0 })
    }

    @Sendable private static func sessions() -> APIDescription {
        APIDescription(ofSessions: World.version, publicURL: World.publicURL, isSandbox: true, sha256: { $0 })
    }

    /// Those that the world does without.
    private static func ownRoutes(_ world: World) -> [Route] {
        let operations = OperationsSurface(
            engine: world.engine, notReady: { nil }, metrics: { "" }, sha256: { $0 }, description: description,
            sessions: sessions)
        let simulated = SimulatedOperator(
            .init(publicURL: "", clientID: "", redirectURI: ""), users: World.users, assertions: NoAssertions(),
            now: { FixedTime.moment },
            randomBytes: { count throws(EntropyFault) in [UInt8](repeating: 0, count: count) },
            sha256: { $0 }, hang: {}, report: { _ in })
        return operations.routes + simulated.routes + DocsWorld.surface().routes
            + FrontSurface(beside: [], isSandbox: true, sha256: { $0 }).routes
    }

    @Test func `operation ids are unique, and paths name their parameters`() {
        #expect(Set(Self.operations.map(\.id)).count == Self.operations.count)
        for operation in Self.operations {
            let named = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            let described = operation.parameters.filter { $0.place == .path }.map(\.field.name)
            #expect(named.map(String.init) == described, "\(operation.id)")
        }
    }

    @Test func `every case of the errors of a surface is described by one of its operations`() {
        for (surface, response, name) in OpenAPIErrorCases.all {
            let operations = Self.operations.filter { $0.surface == surface }
            let isDescribed = operations.contains {
                OpenAPIAnswers.defects(of: response, method: $0.method, pattern: $0.path).isEmpty
            }
            #expect(isDescribed, "\(surface) \(response.status) \(name)")
        }
    }

    /// The wire tells a client and a test of a member that it misspells (client protocol 4.3, contract section 11); other
    /// callers may send more.
    @Test func `bodies of clients and tests have no members but those described`() throws {
        for operation in Self.operations {
            guard let schema = operation.body?.schema.object else { continue }
            // The receiver of webhooks takes any body.
            let isOfTests = operation.surface == .sandbox && operation.id != "takeWebhook"
            let isStrict = operation.surface == .client || isOfTests
            #expect(schema["additionalProperties"] == (isStrict ? .bool(false) : nil), "\(operation.id)")
            guard operation.surface == .client else { continue }
            #expect(schema["properties"]?.object?["requestId"] != nil, "\(operation.id)")
        }
        #expect(ClientSurface.description.operations.count { $0.body != nil } == 13)
    }

    @Test func `examples are valid`() throws {
        let check = OpenAPISchemaCheck(document)
        var count = 0
        for content in Self.operations.flatMap({ $0.answers.compactMap(\.content) + [$0.body].compactMap { $0 } }) {
            guard let example = content.example else { continue }
            count += 1
            #expect(check.defects(of: example, content.schema.object) == [])
        }
        #expect(count > 20)
    }

    @Test func `names the server's version`() {
        #expect(document["info"]?.object?["version"] == .string(World.version))
    }

    @Test(arguments: ["schema", "items", "additionalProperties"])
    func `every object has a name`(place: String) {
        for object in Self.objects(in: .object(document)) {
            let properties = object["properties"]?.object?.members.map(\.value) ?? []
            for schema in ([object[place]] + properties).compactMap({ $0?.object }) {
                #expect(schema["properties"] == nil || schema["$ref"] != nil, "\(schema)")
            }
        }
    }

    @Test func `every field is described`() {
        #expect(undescribedFields(document) == [])
    }

    @Test func `a field without description is found`() {
        let field: JSONObject = ["type": "string", "description": "Of no matter."]
        let empty: JSONObject = ["type": "string", "description": ""]
        let inner: JSONObject = ["properties": ["description": ["type": "string"]], "description": "An object."]
        let document: JSONObject = [
            "properties": ["a": .object(field), "b": .object(empty), "c": .object(inner)],
            "anyOf": [["properties": ["d": ["type": "string"]]]], "example": ["properties": ["e": "a value"]],
        ]
        #expect(
            undescribedFields(document) == [
                "properties.b", "properties.c.properties.description", "anyOf.0.properties.d",
            ])
    }

    @Test func `every parameter is described`() {
        for operation in Self.operations {
            for parameter in operation.parameters {
                #expect(!parameter.field.about.isEmpty, "\(operation.id) \(parameter.field.name)")
            }
        }
    }

    @Test func `a name stands for one schema`() {
        for (name, definitions) in Dictionary(grouping: Self.definitions, by: \.name) {
            #expect(definitions.allSatisfy { $0 == definitions[0] }, "\(name)")
        }
    }

    @Test func `another path of a call has the same bodies`() throws {
        let aliases = Self.operations.filter { $0.original != nil }
        for alias in aliases {
            let original = try #require(Self.operations.first { $0.id == alias.original })
            let (one, other) = (
                OpenAPIAnswers.operation(original.method, original.path),
                OpenAPIAnswers.operation(alias.method, alias.path)
            )
            #expect(one?["requestBody"] == other?["requestBody"], "\(alias.id)")
            #expect(one?["responses"] == other?["responses"], "\(alias.id)")
        }
        #expect(aliases.count == 5)
    }

    @Test func `requests have no null, and no enum has an empty text`() {
        for operation in Self.operations {
            let schemas = operation.parameters.map(\.field.schema) + [operation.body?.schema].compactMap { $0 }
            for schema in schemas {
                let all = [schema.object] + schema.definitions.map(\.object)
                for object in all.flatMap({ Self.objects(in: .object($0)) }) {
                    #expect(object["type"]?.array?.contains("null") != true, "\(operation.id): \(object)")
                    #expect(object["enum"]?.array?.contains(.string("")) != true, "\(operation.id): \(object)")
                }
            }
        }
    }

    @Test func `the document of sessions has a session's calls as the whole one has them`() throws {
        let sessions = try JSONObject.parse(Self.sessions().documentResponse.body)
        let paths = try #require(sessions["paths"]?.object)
        for path in paths.members {
            for operation in path.value.object?.members ?? [] {
                #expect(operation.value == document["paths"]?.object?[path.name]?.object?[operation.name])
                #expect(operation.name != "options")
            }
        }
        for path in ["/token", "/v3/unify", "/v3/unify-status", "/client/v1/session", "/client/v1/session/otp/verify"] {
            #expect(paths[path] != nil, "\(path)")
        }
        #expect(paths["/unify"] == nil && paths["/v3/verify"] == nil)
        let check = OpenAPISchemaCheck(sessions)
        let text = String(decoding: sessions.serialized(), as: UTF8.self)
        for part in text.split(separator: "\"").filter({ $0.hasPrefix("#/components/") }) {
            #expect(check.resolve(String(part)) != nil, "\(part)")
        }
    }

    @Test func `every reference is resolved`() {
        let text = String(decoding: document.serialized(), as: UTF8.self)
        let check = OpenAPISchemaCheck(document)
        for part in text.split(separator: "\"").filter({ $0.hasPrefix("#/components/") }) {
            #expect(check.resolve(String(part)) != nil, "\(part)")
        }
    }

    @Test func `no schema is of the type null alone, and every enum has a type`() {
        var enums = 0
        for schema in Self.objects(in: .object(document)) {
            #expect(schema["type"] != "null", "\(schema)")
            guard schema["enum"] != nil else { continue }
            enums += 1
            #expect(schema["type"] != nil, "\(schema)")
        }
        #expect(enums > 50)
    }

    @Test func `an error is a named schema, and no response has one of its own`() {
        let names = Set(Self.definitions.map { "#/components/schemas/\($0.name)" })
        var errors = 0
        for operation in Self.operations {
            let responses = OpenAPIAnswers.operation(operation.method, operation.path)?["responses"]?.object?.members
            for response in responses ?? [] where response.name >= "400" {
                guard let media = response.value.object?["content"]?.object?["application/json"]?.object else {
                    continue
                }
                errors += 1
                let schema = media["schema"]?.object
                #expect(schema?.names == ["$ref"] && names.contains(schema?["$ref"]?.string ?? ""), "\(operation.id)")
            }
        }
        #expect(errors > 200)
    }

    @Test(arguments: ["correlationId", "authId", "proveId", "identityId", "deviceId", "pcid"])
    func `an identifier has the same format wherever it is given or told`(name: String) {
        var places = 0
        for object in Self.objects(in: .object(document)) {
            for schema in [
                object["properties"]?.object?[name], object["name"] == .string(name) ? object["schema"] : nil,
            ] {
                guard let schema = schema?.object, schema["type"] != nil, schema["minLength"] == nil else { continue }
                places += 1
                #expect(schema["format"] == "uuid", "\(schema)")
            }
        }
        #expect(places > 1)
    }

    /// Every object within a value, itself included.
    private static func objects(in value: JSONValue) -> [JSONObject] {
        switch value {
        case .object(let object): [object] + object.members.flatMap { objects(in: $0.value) }
        case .array(let values): values.flatMap(objects)
        default: []
        }
    }

    @Test func `the sandbox is described in sandbox mode only`() {
        let live = APIDescription.document(
            version: World.version, publicURL: "https://id.example", isSandbox: false
        ).object
        #expect(live["paths"]?.object?.names.contains { $0.hasPrefix("/sandbox") } == false)
        #expect(live["servers"]?.array?.first?.object?["url"]?.string == "https://id.example")
    }

    @Test func `whoever has the version gets 304`() async throws {
        let world = try await World()
        let client = try InProcessClient(Self.ownRoutes(world))
        for path in ["/openapi.json", "/openapi/session.json"] {
            let whole = await client.send(Request(method: .get, path: path, id: "q"))
            #expect(whole.status == 200)
            let tag = try #require(whole.header("etag"))
            #expect(whole.header("cache-control") == "public, max-age=60")
            for (value, status) in [(tag, 304), ("W/\(tag), \"x\"", 304), ("*", 304), ("\"x\"", 200), ("", 200)] {
                let headers = Headers([(name: "If-None-Match", value: value)])
                let again = await client.send(Request(method: .get, path: path, headers: headers, id: "q"))
                #expect(again.status == status, "\(value)")
                #expect(again.header("etag") == tag)
                #expect(again.body.isEmpty == (status == 304))
            }
        }
    }

    @Test func `is made when it is first read, once for all who ask`() async {
        let made = Locked(0)
        let description = DescriptionAnswers {
            made.withLock { $0 += 1 }
            return Self.description()
        }
        #expect(made.withLock { $0 } == 0)
        let request = Request(method: .get, path: "/openapi.json", id: "q")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { #expect(await description.document(to: request).status == 200) }
            }
        }
        #expect(made.withLock { $0 } == 1)
    }
}

private enum FixedTime {
    static let moment = Timestamp(milliseconds: 0)
}

private struct NoAssertions: ClientAssertionVerifier {
    func verifyClientAssertion(_ text: String, audience: String, at now: Timestamp) -> ClientAssertion? { nil }
    func verifyGrantAssertion(_ text: String, audience: String, at now: Timestamp) -> GrantAssertion? { nil }
}
