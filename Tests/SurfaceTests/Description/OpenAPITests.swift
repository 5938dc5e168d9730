@testable import ClientSurfaces
@testable import DocsSurface
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import Testing

/// The description of the server's own surfaces: what other documents do not have. `DescriptionTests` has the rules for all.
struct OpenAPITests {
    private let document = OpenAPIAnswers.document
    private static let operations = APIDescription.operations(isSandbox: true)

    @Sendable private static func description() -> APIDescription {
        APIDescription(version: World.version, publicURL: World.publicURL, isSandbox: true, sha256: { $0 })
    }

    @Sendable private static func sessions() -> APIDescription {
        APIDescription(ofSessions: World.version, publicURL: World.publicURL, isSandbox: true, sha256: { $0 })
    }

    /// Routes that the world does without.
    static func ownRoutes(_ world: World) -> [Route] {
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

    @Test(arguments: ["schema", "items", "additionalProperties"])
    func `every object has a name`(place: String) {
        for object in objects(in: .object(document)) {
            let properties = object["properties"]?.object?.members.map(\.value) ?? []
            for schema in ([object[place]] + properties).compactMap({ $0?.object }) {
                #expect(schema["properties"] == nil || schema["$ref"] != nil, "\(schema)")
            }
        }
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

    @Test(arguments: ["correlationId", "authId", "proveId", "identityId", "deviceId", "pcid"])
    func `an identifier has the same format wherever it is given or told`(name: String) {
        var places = 0
        for object in objects(in: .object(document)) {
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
