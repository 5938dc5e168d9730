import Locks
import Testing

@testable import HTTPServer

/// Answers to a request with a body before the body is there (HTTP-18, HTTP-21, HTTP-23).
@Suite struct BodyRuleTests {
    private static let head = "POST /guarded HTTP/1.1\r\n\(Fixture.host)"

    /// `/guarded` takes 8 bytes with `Authorization: yes`, `/ignoring` none, and both echo what they got.
    private static func routes(_ asked: Locked<Int> = Locked(0)) -> [Route] {
        let rule = BodyRule(
            maxBytes: 8,
            refusal: { request in
                asked.withLock { $0 += 1 }
                return request.headers["authorization"] == "yes" ? nil : Fixture.text("who?", status: 401)
            },
            tooLarge: { _ in Fixture.text("at most 8", status: 400) })
        let echo: @Sendable (Request) async -> Response = { Fixture.text(String(decoding: $0.body, as: UTF8.self)) }
        return Fixture.routes + [
            Route(.post, "/guarded", body: rule, respond: echo), Route(.get, "/ignoring", respond: echo),
        ]
    }

    @Test(arguments: ["Content-Length: 6\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n6\r\nabc"])
    func `refuses a body from the head, reads past it and goes on`(start: String) async throws {
        try await Fixture.withServer(routes: Self.routes()) { _, address in
            let client = try TestClient(address)
            let refused = try client.exchange(Self.head + start)
            #expect(refused?.status == 401)
            #expect(refused?.headers["connection"] == nil)
            try client.send("def" + (start.hasPrefix("C") ? "" : "\r\n0\r\n\r\n") + Fixture.get("/hello"))
            #expect(try client.receive()?.body == "hello")
            // The rest of the refused body was no request, and there is no second answer.
            try client.send(Fixture.get("/items/1", "Connection: close\r\n"))
            #expect(try client.receive()?.body == "1")
            #expect(try client.isAtEnd())
        }
    }

    @Test func `ends the connection when the rest of a refused body is too long to read past`() async throws {
        try await Fixture.withServer(routes: Self.routes()) { _, address in
            let chunked = try TestClient(address)
            #expect(try chunked.exchange(Self.head + "Transfer-Encoding: chunked\r\n\r\n4\r\nab")?.status == 401)
            try chunked.send("cd\r\n10000000\r\n")
            #expect(try chunked.isAtEnd())
            let long = try TestClient(address)
            let refused = try long.exchange(Self.head + "Content-Length: 1048576\r\n\r\n")
            #expect(refused?.status == 401)
            #expect(refused?.headers["connection"] == "close")
            #expect(try long.isAtEnd())
        }
    }

    @Test func `asks nothing about a body that came with its head, and once about one that did not`() async throws {
        let asked = Locked(0)
        try await Fixture.withServer(routes: Self.routes(asked)) { _, address in
            let client = try TestClient(address)
            // Only the handler would refuse it.
            #expect(try client.exchange(Fixture.post("/guarded", "12345678"))?.body == "12345678")
            #expect(asked.withLock { $0 } == 0)
            try client.send(Self.head + "Authorization: yes\r\nContent-Length: 8\r\n\r\n")
            try await Fixture.until { asked.withLock { $0 } == 1 }
            for byte in ["1", "2", "3", "4567"] { try client.send(byte) }
            #expect(try client.exchange("8")?.body == "12345678")
            #expect(asked.withLock { $0 } == 1)
        }
    }

    @Test(arguments: ["Content-Length: 9\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n9\r\n"])
    func `answers a body over the route's limit in the route's own words`(start: String) async throws {
        try await Fixture.withServer(routes: Self.routes()) { _, address in
            let known = try TestClient(address)
            #expect(try known.exchange(Self.head + "Authorization: yes\r\n" + start)?.body == "at most 8")
            let unknown = try TestClient(address)
            #expect(try unknown.exchange(Self.head + start)?.status == 401)
        }
    }

    @Test func `hands no body to a route without one, and reads past at most 64 KiB`() async throws {
        try await Fixture.withServer(routes: Self.routes()) { _, address in
            let client = try TestClient(address)
            let line = "GET /ignoring HTTP/1.1\r\n\(Fixture.host)"
            let body = Fixture.get("/smuggled")
            let answer = try client.exchange(line + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            #expect(answer?.status == 200)
            #expect(answer?.body == "")
            #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
            #expect(try client.exchange(line + "Content-Length: 65537\r\n\r\n")?.status == 413)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `refuses a request in arrival when connections hold all they may`() async throws {
        var limits = Fixture.limits
        limits.maxBufferedBytes = 256 * 1024
        try await Fixture.withServer(limits, loops: 1) { server, address in
            let greedy = try TestClient(address)
            try greedy.send("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 1000000\r\n\r\n")
            try greedy.send([UInt8](repeating: 0x62, count: 700_000))
            let refused = try greedy.receive()
            #expect(refused?.status == 503)
            #expect(refused?.headers["connection"] == "close")
            #expect(server.statistics().requestsRefusedForMemory == 1)
            // The memory of the refused request is free again.
            let next = try TestClient(address)
            let body = String(repeating: "b", count: 100_000)
            #expect(try next.exchange(Fixture.post("/echo", body))?.body == body)
        }
    }

    @Test func `serves small requests while connections hold all they may`() async throws {
        var limits = Fixture.limits
        limits.maxBufferedBytes = 0
        try await Fixture.withServer(limits, loops: 1) { server, address in
            let holder = try TestClient(address)
            try holder.send("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 4000\r\n\r\nhalf")
            let small = try TestClient(address)
            try small.send("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 4\r\n\r\n")
            #expect(try small.exchange("done")?.body == "done")
            #expect(server.statistics().requestsRefusedForMemory == 0)
        }
    }

    @Test func `sends a shared body from where it lies`() async throws {
        let body = (0..<100_000).map { UInt8($0 % 251) }
        let shared = Response(status: 200, headers: [("Content-Type", "text/plain")], body: body).shared
        let routes = [Route.immediate(.get, "/shared") { _ in shared }]
        try await Fixture.withServer(loops: 1, routes: Fixture.routes + routes) { server, address in
            let slow = try (0..<20).map { _ in try TestClient(address, receiveBufferBytes: 4096) }
            for client in slow { try client.send(String(repeating: Fixture.get("/shared"), count: 12)) }
            let other = try TestClient(address)
            for _ in 0..<50 { #expect(try other.exchange(Fixture.get("/hello"))?.status == 200) }
            #expect(server.statistics().bufferedBytes < 2 * MemoryBudget.step)
            for client in slow.prefix(2) {
                for _ in 0..<12 {
                    #expect(try client.receive()?.body.utf8.count == String(decoding: body, as: UTF8.self).utf8.count)
                }
                #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
            }
        }
    }
}
