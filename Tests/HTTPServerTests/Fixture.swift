import TestSupport
import Testing

@testable import HTTPServer

enum Fixture {
    static let host = "Host: a.example\r\n"

    static func post(_ path: String, _ body: String, _ fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\n\(host)\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\n\(host)\(fields)\r\n"
    }

    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    static func failure(_ failure: HTTPFailure) -> Response {
        text("failed", status: failure.status)
    }

    /// `/echo` gives the body back, `/hello` greets, `/items/{id}` names its parameter at once.
    static let routes: [Route] = [
        Route(.get, "/hello") { _ in text("hello") },
        Route(
            .post, "/echo",
            body: BodyRule(refusal: { $0.headers["authorization"] == "no" ? text("who?", status: 401) : nil }),
            respond: { Response(status: 200, headers: [("Content-Type", "text/plain")], body: $0.body) }),
        Route.immediate(.get, "/items/{id}") { text($0.parameters["id"] ?? "none") },
        Route(.get, "/large/{kilobytes}") { request in
            text(String(repeating: "x", count: 1024 * (Int(request.parameters["kilobytes"] ?? "") ?? 0)))
        },
        Route(.get, "/broken") { _ in Response(status: 200, headers: [("X-Bad", "a\r\nX-Injected: 1")]) },
    ]

    /// Longer than any test takes.
    static let forever = Duration.seconds(3600)

    /// Limits that no slowness reaches, so that a test meets just those it sets: nothing is refused as too late.
    static var limits: Limits {
        var limits = Limits()
        limits.lingerTimeout = forever
        limits.lingerLimit = forever
        limits.drainGrace = .zero
        limits.headerTimeout = forever
        limits.requestTimeout = forever
        limits.keepAliveTimeout = forever
        limits.responseTimeout = forever
        limits.shedsLoad = false
        return limits
    }

    /// Runs `body`, which may block, against a server on a free port and stops it afterwards.
    static func withServer(
        _ limits: Limits = Fixture.limits, loops: Int = 2, routes: [Route] = Fixture.routes,
        on address: ListenAddress = .tcp(host: "127.0.0.1", port: 0), over transport: TestTransport = .plain,
        manualClock: ManualClock? = nil, storeWait: (@Sendable (Int) -> UInt64)? = nil,
        isExempt: @escaping @Sendable (PeerAddress) -> Bool = { _ in false },
        sendsProxyHeader: @escaping @Sendable (PeerAddress) -> Bool = { _ in false },
        failurePage: Server.FailurePage? = nil,
        fields: Server.Fields = [], observe: @escaping @Sendable (Exchange) -> Void = { _ in },
        _ body: (Server, BoundAddress) async throws -> Void
    ) async throws {
        let server = try Server(
            limits: limits, loops: loops, manualClock: manualClock, router: Router(routes), storeWait: storeWait,
            isExempt: isExempt, sendsProxyHeader: sendsProxyHeader, failureResponse: failure, failurePage: failurePage,
            fields: fields,
            observe: { for exchange in $0 { observe(exchange) } })
        let bound = try #require(try server.start(on: [address], making: transport.make).first)
        do {
            try await OwnThread.run { try await body(server, bound) }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Lets time pass on a server with one loop, once what was sent before has arrived.
    static func pass(_ duration: Duration, _ clock: ManualClock, _ server: Server) async {
        // A loop takes events in the order they came: a new connection, its bytes, this.
        for _ in 0..<3 { await server.loops[0].catchUp() }
        clock.advance(duration)
        await server.loops[0].catchUp()
    }
}

/// A generator that gives the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
