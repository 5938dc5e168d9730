import Dispatch
import Locks
import Testing

@testable import HTTPServer

/// The engine over real sockets.
@Suite(.serialized) struct ConnectionTests {
    @Test func `answers requests on one connection, also with every feature between them`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            for _ in 0..<3 {
                let hello = try #require(try client.exchange(Fixture.get("/hello")))
                #expect(hello.status == 200)
                #expect(hello.body == "hello")
                #expect(hello.headers["x-request-id"]?.count == 15)
                #expect(hello.headers["connection"] == nil)
                #expect(try client.exchange(Fixture.post("/echo", "one"))?.body == "one")
                #expect(try client.exchange(Fixture.get("/items/a%20b"))?.body == "a b")
                #expect(try client.exchange(Fixture.get("/none"))?.status == 404)
                #expect(try client.exchange(Fixture.post("/hello", "body"))?.headers["allow"] == "GET, HEAD, OPTIONS")
                #expect(try client.exchange("BREW /hello HTTP/1.1\r\n\(Fixture.host)\r\n")?.status == 501)
                #expect(try client.exchange("OPTIONS * HTTP/1.1\r\n\(Fixture.host)\r\n")?.status == 204)
                let options = try client.exchange("OPTIONS /echo HTTP/1.1\r\n\(Fixture.host)\r\n")
                #expect(options?.headers["allow"] == "POST, OPTIONS")
            }
        }
    }

    @Test func `answers 200 pipelined requests in order`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            let requests = (0..<200).map { index in
                index % 3 == 0
                    ? Fixture.get("/items/\(index)", "X-Request-Id: r\(index)\r\n")
                    : Fixture.post(index % 3 == 1 ? "/echo" : "/none", "\(index)", "X-Request-Id: r\(index)\r\n")
            }
            try client.send(requests.joined())
            for index in 0..<200 {
                let answer = try #require(try client.receive())
                #expect(answer.headers["x-request-id"] == "r\(index)")
                #expect(answer.body == (index % 3 == 2 ? "failed" : "\(index)"))
            }
        }
    }

    @Test func `sends the head of GET to HEAD`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send("HEAD /hello HTTP/1.1\r\n\(Fixture.host)\r\n")
            let head = try #require(try client.receive(toHead: true))
            #expect(head.headers["content-length"] == "5")
            #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
        }
    }

    @Test func `an answer that lies ready is sent as any other is`() async throws {
        let routes = [
            Route.immediate(.post, "/items") { Fixture.text(String(decoding: $0.body, as: UTF8.self)) },
            Route.immediate(.get, "/stream") { _ in .stream(status: 200, headers: []) { _ throws(StreamEnd) in } },
        ]
        try await Fixture.withServer(routes: Fixture.routes + routes) { _, address in
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.post("/items", "all of it"))?.body == "all of it")
            try client.send("HEAD /items/1 HTTP/1.1\r\n\(Fixture.host)\r\n")
            #expect(try client.receive(toHead: true)?.headers["content-length"] == "1")
            // There is no task that could write one.
            #expect(try client.exchange(Fixture.get("/stream"))?.status == 500)
            let last = try client.exchange(Fixture.get("/items/2", "Connection: close\r\n"))
            #expect(last?.headers["connection"] == "close")
            #expect(try client.isAtEnd())
        }
    }

    @Test func `sends no content to a HEAD that is wrong either`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send("HEAD /hello HTTP/1.1\r\nBad Field: 1\r\n\r\n")
            #expect(try client.receive(toHead: true)?.status == 400)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `serves others while one pipelines without end`() async throws {
        let patterns = Locked<[String?]>([])
        let observe: @Sendable (Exchange) -> Void = { exchange in patterns.withLock { $0.append(exchange.routePattern) }
        }
        try await Fixture.withServer(loops: 1, observe: observe) { server, address in
            let greedy = try TestClient(address)
            let other = try TestClient(address)
            for client in [greedy, other] { #expect(try client.exchange(Fixture.get("/items/1"))?.status == 200) }
            // All requests are there before the loop sees one of them.
            let isSent = DispatchSemaphore(value: 0)
            server.loops[0].post { isSent.wait() }
            try greedy.send(String(repeating: Fixture.get("/none"), count: 1000))
            try other.send(Fixture.get("/hello"))
            isSent.signal()
            #expect(try other.receive()?.status == 200)
            for _ in 0..<1000 { #expect(try greedy.receive()?.status == 404) }
        }
        // Behind the two first requests and no more of the others than a turn or two answers.
        let place = try #require(patterns.withLock { $0.firstIndex(of: "/hello") })
        #expect(place < 100)
    }

    @Test func `closes after a request that asks for it, and runs nothing behind it`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/hello", "Connection: close\r\n") + Fixture.get("/items/1"))
            let answer = try client.receive()
            #expect(answer?.headers["connection"] == "close")
            #expect(try client.isAtEnd())
        }
    }

    @Test func `speaks HTTP/1.0: closes, or stays when asked`() async throws {
        try await Fixture.withServer { _, address in
            let closing = try TestClient(address)
            #expect(try closing.exchange("GET /hello HTTP/1.0\r\n\r\n")?.headers["connection"] == "close")
            #expect(try closing.isAtEnd())
            let staying = try TestClient(address)
            for _ in 0..<2 {
                let answer = try staying.exchange("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(answer?.headers["connection"] == "keep-alive")
            }
        }
    }

    @Test func `answers a client that only half-closes`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.post("/echo", "one") + Fixture.post("/echo", "two"))
            client.finishSending()
            #expect(try client.receive()?.body == "one")
            #expect(try client.receive()?.body == "two")
            #expect(try client.isAtEnd())
        }
    }

    @Test(arguments: ["POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", "GET /hello HT"])
    func `never runs a request that was cut short`(stream: String) async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send(stream)
            client.finishSending()
            #expect(try client.receive()?.status == 400)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `lets the client read an error answer while it still sends`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send("GET / HTTP/1.1\r\n\(Fixture.host)A: \(String(repeating: "a", count: 100_000))\r\n\r\n")
            let answer = try #require(try client.receive())
            #expect(answer.status == 431)
            #expect(answer.headers["connection"] == "close")
            #expect(answer.headers["x-request-id"] != nil)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `says 100 only to who waits, and a known final status instead`() async throws {
        try await Fixture.withServer { _, address in
            let fields = "\(Fixture.host)Expect: 100-Continue\r\nContent-Length: 3\r\n"
            let client = try TestClient(address)
            #expect(try client.exchange("POST /echo HTTP/1.1\r\n\(fields)\r\n")?.status == 100)
            #expect(try client.exchange("abc")?.body == "abc")
            try client.send("POST /echo HTTP/1.1\r\n\(fields)\r\nabc")
            #expect(try client.receive()?.status == 200)

            for (line, status) in [("POST /none", 404), ("PUT /echo", 405), ("BREW /echo", 501)] {
                let client = try TestClient(address)
                #expect(try client.exchange("\(line) HTTP/1.1\r\n\(fields)\r\n")?.status == status)
                #expect(try client.isAtEnd())
            }
            #expect(
                try TestClient(address).exchange("POST /echo HTTP/1.1\r\n\(fields)Authorization: no\r\n\r\n")?.status
                    == 401)
            #expect(
                try TestClient(address).exchange("POST /echo HTTP/1.1\r\n\(Fixture.host)Expect: x\r\n\r\n")?.status
                    == 417)
            let old = try TestClient(address)
            #expect(try old.exchange("POST /echo HTTP/1.0\r\n\(fields)\r\nabc")?.body == "abc")
        }
    }

    @Test(arguments: [(65_536, nil), (65_537, "close")])
    func `reads past an unwanted body of 64 KiB and closes on a longer one`(size: Int, connection: String?) async throws
    {
        try await Fixture.withServer { _, address in
            let body = String(repeating: "b", count: size)
            let client = try TestClient(address)
            try client.send(Fixture.post("/none", body))
            let answer = try #require(try client.receive())
            #expect(answer.status == 404)
            #expect(answer.headers["connection"] == connection)

            let chunked = try TestClient(address)
            try chunked.send(
                "POST /none HTTP/1.1\r\n\(Fixture.host)Transfer-Encoding: chunked\r\n\r\n"
                    + "\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
            let second = try #require(try chunked.receive())
            #expect(second.status == 404)
            #expect(second.headers["connection"] == connection)
        }
    }

    @Test func `takes a body of the limit and refuses a longer one before it is sent`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            let body = String(repeating: "b", count: 1024 * 1024)
            try client.send(Fixture.post("/echo", body))
            #expect(try client.receive()?.body.utf8.count == body.utf8.count)
            let refused = try client.exchange("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 1048577\r\n\r\n")
            #expect(refused?.status == 413)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `answers 500 when a handler writes a line end into a field`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            let answer = try #require(try client.exchange(Fixture.get("/broken")))
            #expect(answer.status == 500)
            #expect(answer.headers["x-injected"] == nil)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
        }
    }

    @Test(arguments: [
        "GET /hello HTTP/1.1\r\nHos", "POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 9\r\n\r\nhalf",
    ])
    func `answers 408 to half a header and half a body`(half: String) async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.headerTimeout = .seconds(10)
        limits.requestTimeout = .seconds(10)
        try await Fixture.withServer(limits, loops: 1, manualClock: clock) { server, address in
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            try client.send(half)
            await Fixture.pass(.milliseconds(9999), clock, server)
            #expect(server.statistics().loops.reduce(0) { $0 + $1.responses } == 1)
            await Fixture.pass(.milliseconds(1), clock, server)
            #expect(try client.receive()?.status == 408)
            #expect(try client.isAtEnd())
        }
    }

    // Only the time under test is short, so that a slow machine meets no other one before it.
    @Test func `closes who is silent from the start, and who falls silent after an answer`() async throws {
        var limits = Fixture.limits
        limits.headerTimeout = .milliseconds(50)
        try await Fixture.withServer(limits) { _, address in
            let client = try TestClient(address)
            #expect(try client.isAtEnd())
        }
        limits = Fixture.limits
        limits.keepAliveTimeout = .milliseconds(50)
        try await Fixture.withServer(limits) { _, address in
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `begins a request with its own first byte, not with an empty line left by the one before`() async throws
    {
        let bytesIn = Locked<[Int]>([])
        try await Fixture.withServer(observe: { exchange in bytesIn.withLock { $0.append(exchange.bytesIn) } }) {
            _, address in
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.get("/hello") + "\r\n")?.status == 200)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
        }
        let size = Fixture.get("/hello").utf8.count
        #expect(bytesIn.withLock { $0 } == [size, size])
    }

    @Test func `holds a bounded output for a peer that does not read, and serves others meanwhile`() async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        // The kernel counts it as well, and its clock does not stand still.
        limits.responseTimeout = .seconds(1800)
        let answered = Locked(0)
        let observe: @Sendable (Exchange) -> Void = { exchange in
            if exchange.routePattern != "/hello" { answered.withLock { $0 += 1 } }
        }
        try await Fixture.withServer(limits, loops: 1, manualClock: clock, observe: observe) { server, address in
            let slow = try TestClient(address, receiveBufferBytes: 4096)
            let requests = Array(String(repeating: Fixture.get("/large/64"), count: 400).utf8)
            _ = slow.sendWithoutWaiting(requests)
            let other = try TestClient(address)
            try await Fixture.untilStill(answered, other)
            // 400 answers would be 25 MiB; the kernel and the bounded output hold some of them.
            #expect(answered.withLock { $0 } < 150)
            // Not reading for too long ends the connection.
            await Fixture.pass(.milliseconds(1_799_999), clock, server)
            #expect(server.statistics().openConnections == 2)
            await Fixture.pass(.milliseconds(1), clock, server)
            try await Fixture.until { slow.sendWithoutWaiting([0x0D]) == 0 }
            #expect(try TestClient(address).exchange(Fixture.get("/hello"))?.status == 200)
        }
    }

    @Test func `goes on where a slow reader let it stop`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address, receiveBufferBytes: 4096)
            try client.send(String(repeating: Fixture.get("/large/100"), count: 60))
            for _ in 0..<60 { #expect(try client.receive()?.body.utf8.count == 102_400) }
            #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
        }
    }

    @Test func `tells about each exchange once`() async throws {
        let seen = Locked<[Exchange]>([])
        try await Fixture.withServer(observe: { exchange in seen.withLock { $0.append(exchange) } }) { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.post("/echo", "abc", "X-Request-Id: r-1\r\n") + Fixture.get("/none") + "BAD\u{1}")
            _ = try client.receiveAll()
        }
        let exchanges = seen.withLock { $0 }
        #expect(exchanges.map(\.status) == [200, 404, 400])
        #expect(exchanges.map(\.routePattern) == ["/echo", nil, nil])
        #expect(exchanges.map(\.method) == [.post, .get, nil])
        #expect(exchanges.first?.requestID == "r-1")
        #expect(exchanges.first?.bytesIn == Fixture.post("/echo", "abc", "X-Request-Id: r-1\r\n").utf8.count)
        #expect(
            exchanges.allSatisfy { $0.isDelivered && $0.peer == .loopback && $0.bytesOut > 0 && $0.duration >= .zero })
    }
}
