import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import StrictJSON
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport

/// No text that a caller chooses costs more than its length: each place of a request with a run of combining marks
/// against as many letters.
@Suite(.serialized) struct BoundedWorkTests {
    struct Target: Sendable {
        let method: HTTPServer.Method
        let path: String
        var query = ""
        var body = ""
        var type: String?
        var isBackend = false

        static func post(_ path: String, _ body: String = "{}", isBackend: Bool = false) -> Target {
            Target(method: .post, path: path, body: body, type: "application/json", isBackend: isBackend)
        }

        static func form(_ path: String, _ body: String) -> Target {
            Target(method: .post, path: path, body: body, type: "application/x-www-form-urlencoded")
        }

        static func get(_ path: String, _ query: String = "", isBackend: Bool = false) -> Target {
            Target(method: .get, path: path, query: query, isBackend: isBackend)
        }
    }

    private static let fieldBytes = 28_000
    private static let token = "grant_type=client_credentials&client_id=sandbox&client_secret=x"

    /// One of each way to read a head.
    private static let targets: [Target] = [
        .get("/openapi.json"), .form("/token", token), .post("/v3/unify", isBackend: true), .post("/initialize"),
        .post("/verify"), .post("/client/v1/session"), .get("/client/v1/session/events"), .get("/l/x"),
        .form("/l/x", "decision=deny"), .get("/ma/v1/cb", "state=x&code=y"), .get("/sandbox/messages"),
        .form("/sandbox/operator/token", token), .get("/v3/identity", isBackend: true),
    ]

    /// Header fields, each with the text before the hostile part of its value.
    private static let fields: [(name: String, start: String)] = [
        ("If-None-Match", ""), ("If-None-Match", "W/\""), ("X-Forwarded-For", ""), ("X-Forwarded-For", "192.0.2.7, "),
        ("X-Forwarded-Proto", ""), ("Content-Type", ""), ("Content-Type", "application/json;"),
        ("Content-Type", "application/json; charset="), ("Content-Encoding", ""), ("Content-Length", ""),
        ("Cookie", ""),
        ("Cookie", "k="), ("Cookie", "holdfast_flow="), ("Origin", "http://"), ("Origin", ""), ("Authorization", ""),
        ("Authorization", "Basic "), ("User-Agent", ""), ("Last-Event-ID", ""), ("X-Correlator", ""),
        ("X-Request-Id", ""), ("Accept-Language", ""), ("Accept-Language", "de;q="),
        ("Accept", ""), ("Access-Control-Request-Headers", ""),
    ]

    private static func world() async throws -> World {
        var options = World.Options()
        options.platform.limitsFailedTokenCalls = true
        options.platform.trustedProxies = try AddressRanges(list: "192.0.2.9")
        return try await World(options)
    }

    private static func cost(_ world: World, _ target: Target, _ field: (name: String, value: String)? = nil) async
        -> UInt64
    {
        var headers: [(name: String, value: String)] = []
        if let type = target.type { headers.append(("Content-Type", type)) }
        if target.isBackend { headers.append(World.bearer()) }
        if let field {
            headers.removeAll { $0.name == field.name }
            headers.append(field)
        }
        let request = Request(
            method: target.method, path: target.path, rawQuery: target.query, headers: Headers(headers),
            body: Array(target.body.utf8), peer: PeerAddress(IPAddress("192.0.2.9")), id: "q")
        var least = UInt64.max
        for _ in 0..<3 { least = min(least, await world.client.cost(of: request)) }
        return least
    }

    private static func check(
        _ world: World, _ place: String, _ bytes: Int, _ target: (String) -> Target
    ) async {
        let marks = await cost(world, target(HostileText.marks(bytes)))
        let letters = await cost(world, target(HostileText.ascii(bytes)))
        #expect(ProcessorTime.isLike(marks, plain: letters), "\(place): \(marks) against \(letters) ns")
    }

    @Test(arguments: fields.indices) func `costs the same in a header field`(index: Int) async throws {
        let world = try await Self.world()
        let field = Self.fields[index]
        for target in Self.targets {
            let start = field.start
            let marks = await Self.cost(world, target, (field.name, start + HostileText.marks(Self.fieldBytes)))
            let letters = await Self.cost(world, target, (field.name, start + HostileText.ascii(Self.fieldBytes)))
            #expect(
                ProcessorTime.isLike(marks, plain: letters),
                "\(field.name): \(start) at \(target.path): \(marks) against \(letters) ns")
        }
    }

    @Test(arguments: [
        ("/sandbox/messages", ["to", "after", "wait"]), ("/ma/v1/go/x", ["t", "phoneNumber"]),
        ("/ma/v1/cb", ["code", "error"]), ("/v3/identity", ["limit", "startKey", "clientRequestId"]),
        ("/client/v1/session", ["after", "wait"]),
        (
            "/sandbox/operator/authorize",
            ["client_id", "redirect_uri", "response_type", "scope", "state", "prompt", "login_hint", "code_challenge"]
        ),
    ])
    func `costs the same in a query`(path: String, names: [String]) async throws {
        let world = try await Self.world()
        for name in names {
            await Self.check(world, "\(path)?\(name)", 9000) {
                .get(path, "\(name)=\(HostileText.percentEncoded($0))", isBackend: path.hasPrefix("/v3"))
            }
        }
        await Self.check(world, "\(path)?name", 9000) {
            let name = HostileText.percentEncoded($0)
            return .get(path, "\(name)=1&\(name)=2", isBackend: path.hasPrefix("/v3"))
        }
        await Self.check(world, "\(path)?many", 9000) {
            .get(path, $0.utf8.map { "%\(String($0, radix: 16))=" }.joined(separator: "&"), isBackend: true)
        }
    }

    @Test(arguments: ["/l/", "/ma/v1/go/", "/v3/identity/", "/sandbox/sessions/", "/nothing/"])
    func `costs the same in a path`(path: String) async throws {
        let world = try await Self.world()
        await Self.check(world, path, 9000) {
            .get(path + HostileText.percentEncoded($0), isBackend: path.hasPrefix("/v3"))
        }
    }

    @Test(arguments: [
        ("/token", ["grant_type", "client_id", "client_secret"]), ("/l/x", ["decision", "matchCode"]),
        ("/sandbox/operator/token", ["grant_type", "client_id", "client_assertion_type", "code", "redirect_uri"]),
    ])
    func `costs the same in a form`(path: String, names: [String]) async throws {
        let world = try await Self.world()
        // The whole body has at most 4 KiB, and marks need no percent triplets.
        for name in names { await Self.check(world, "\(path) \(name)", 4000) { .form(path, "\(name)=\($0)") } }
        for count in [2, 8, 14] {
            await Self.check(world, "\(path) \(count) names", 3800 / count) { text in
                .form(path, (0..<count).map { "\(text)\($0)=1" }.joined(separator: "&"))
            }
        }
    }

    private static let memberNames = [
        "phoneNumber", "flowType", "finalTargetUrl", "ipAddress", "emailAddress", "clientRequestId", "clientCustomerId",
        "clientHumanId", "deviceId", "smsMessage", "locale", "correlationId", "authId", "dob", "ssn", "firstName",
        "lastName",
        "verificationType", "userAgent", "proveId", "platform", "sdk", "fallback", "appHash", "mobileAuthReturnUrl",
        "requestId", "code", "outcome",
    ]

    @Test(arguments: [
        "/v3/unify", "/v3/unify-status", "/v3/unify-bind", "/v3/start", "/v3/challenge", "/v3/complete", "/v3/verify",
        "/v3/identity", "/initialize", "/verify", "/finish", "/client/v1/session", "/sandbox/clock",
    ])
    func `costs the same in a JSON body`(path: String) async throws {
        let world = try await Self.world()
        for name in Self.memberNames {
            await Self.check(world, "\(path) \(name)", 3900) { .post(path, "{\"\(name)\":\"\($0)\"}", isBackend: true) }
        }
        let others = (0..<16).map { "\"m\($0)\":1," }.joined()
        await Self.check(world, "\(path) name", 3700) { .post(path, "{\(others)\"\($0)\":1}", isBackend: true) }
        await Self.check(world, "\(path) names", 100) { text in
            let names = (0..<30).map { ",\"\(text)\(10 + $0)\":1" }.joined()
            return .post(path, "{\"m\":1\(names)}", isBackend: true)
        }
    }

    @Test(arguments: ["/v3/verify/batch", "/v3/identity/batch"])
    func `costs the same in a batch of one MiB`(path: String) async throws {
        let world = try await Self.world()
        let others = (0..<16).map { "\"m\($0)\":1," }.joined()
        for name in ["phoneNumber", "firstName", "clientCustomerId", "proveId"] {
            await Self.check(world, "\(path) \(name)", 200_000) {
                .post(path, "{\"items\":[{\(others)\"\(name)\":\"\($0)\"}]}", isBackend: true)
            }
        }
        await Self.check(world, "\(path) name", 200_000) {
            .post(path, "{\"items\":[{\(others)\"\($0)\":1}]}", isBackend: true)
        }
        await Self.check(world, "\(path) names", 120) { text in
            let names = (0..<200).map { ",\"\(text)\(100 + $0)\":1" }.joined()
            let item = "{\"m\":1\(names)}"
            return .post(path, "{\"items\":[\(item),\(item),\(item)]}", isBackend: true)
        }
    }
}
