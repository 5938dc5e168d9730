@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import HTTPServer
import Locks
import Possession
import StrictJSON
import Testing

/// What the description says against what there is.
struct OpenAPITests {
    private let document = OpenAPIAnswers.document
    private static let operations = APIDescription.operations(isSandbox: true)
    private static let schemas = APIDescription.surfaces(isSandbox: true).flatMap(\.schemas) + [SharedSchemas.error]

    @Test func `every route is described, and nothing else`() async throws {
        let world = try await World()
        let routes = (world.client.routes + Self.ownRoutes(world)).filter { $0.method != .head }
        let there = Set(routes.map { "\($0.method.text) \($0.pattern)" })
        let described = Set(Self.operations.map { "\($0.method.text) \($0.path)" })
        #expect(there.subtracting(described).sorted() == [])
        #expect(described.subtracting(there).sorted() == [])
    }

    @Sendable private static func description() -> APIDescription {
        APIDescription(publicURL: World.publicURL, isSandbox: true, sha256: { $0 })
    }

    /// Those that the world does without.
    private static func ownRoutes(_ world: World) -> [Route] {
        let operations = OperationsSurface(
            engine: world.engine, notReady: { nil }, metrics: { "" }, sha256: { $0 }, description: description)
        let simulated = SimulatedOperator(
            .init(publicURL: "", clientID: "", redirectURI: ""), users: World.users, assertions: NoAssertions(),
            now: { FixedTime.moment },
            randomBytes: { count throws(EntropyFault) in [UInt8](repeating: 0, count: count) },
            sha256: { $0 }, hang: {}, report: { _ in })
        return operations.routes + simulated.routes
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

    /// The wire tells a client of a member that it misspells (client protocol 4.3); other callers may send more.
    @Test func `bodies of clients have no members but those described`() throws {
        for operation in Self.operations {
            guard let schema = operation.body?.schema.object else { continue }
            let isStrict = operation.surface == .client
            #expect(schema["additionalProperties"] == (isStrict ? .bool(false) : nil), "\(operation.id)")
            guard isStrict else { continue }
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
        let names = Set(Self.schemas.map { "#/components/schemas/\($0.name)" })
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

    @Test func `a form is shown as a form`() {
        let page = Self.description().pageResponse.text
        let form = "grant_type=client_credentials&amp;client_id=sandbox&amp;client_secret=sandbox-secret"
        #expect(page.contains("<pre><code>\(form)</code></pre>"))
    }

    @Test func `the sandbox is described in sandbox mode only`() {
        let live = APIDescription.document(publicURL: "https://id.example", isSandbox: false)
        #expect(live["paths"]?.object?.names.contains { $0.hasPrefix("/sandbox") } == false)
        #expect(live["servers"]?.array?.first?.object?["url"]?.string == "https://id.example")
    }

    @Test func `whoever has the version gets 304`() async throws {
        let world = try await World()
        let client = try InProcessClient(Self.ownRoutes(world))
        for path in ["/openapi.json", "/docs"] {
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
        let request = Request(method: .get, path: "/docs", id: "q")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { #expect(await description.document(to: request).status == 200) }
                group.addTask { #expect(await description.page(to: request).status == 200) }
            }
        }
        #expect(made.withLock { $0 } == 1)
    }

    @Test func `the page has every operation and schema, and nothing from elsewhere`() {
        let response = Self.description().pageResponse
        for operation in Self.operations where operation.method != .options {
            #expect(response.text.contains("<article id=\"\(operation.id)\">"), "\(operation.id)")
        }
        for (name, _) in Self.schemas { #expect(response.text.contains("id=\"schema-\(name)\"")) }
        for word in ["<script", "src=", "style=", "@import", "url("] { #expect(!response.text.contains(word)) }
        #expect(response.header("content-security-policy")?.contains("default-src 'none'; style-src 'sha256-") == true)
    }
}

private enum FixedTime {
    static let moment = Timestamp(milliseconds: 0)
}

private struct NoAssertions: ClientAssertionVerifier {
    func verifyClientAssertion(_ text: String, audience: String, at now: Timestamp) -> ClientAssertion? { nil }
    func verifyGrantAssertion(_ text: String, audience: String, at now: Timestamp) -> GrantAssertion? { nil }
}
