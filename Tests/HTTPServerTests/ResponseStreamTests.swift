import Locks
import TestSupport
import Testing

@testable import HTTPServer

/// Streamed responses over real sockets.
@Suite(.serialized) struct ResponseStreamTests {
    /// `/words` streams `one` and `two`.
    private static let words = Fixture.stream("/words") { (writer) throws(StreamEnd) in
        try await writer.write(Array("one".utf8))
        try await writer.write([])
        try await writer.write(Array("twotwotwotwotwot".utf8))
    }
    private static let chunkedWords = "3\r\none\r\n10\r\ntwotwotwotwotwot\r\n0\r\n\r\n"

    // MARK: On the wire

    @Test func `sends each write as a chunk, and the last chunk at the end`() async throws {
        try await Fixture.withServer(routes: [Self.words]) { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/words", "Connection: close\r\n"))
            let head = try client.receive(through: "\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            for field in ["Content-Type: text/plain", "Transfer-Encoding: chunked", "Connection: close"] {
                #expect(head.contains("\r\n\(field)\r\n"))
            }
            #expect(!head.contains("Content-Length"))
            #expect(try client.receiveAll() == Self.chunkedWords)
        }
    }

    @Test func `goes on with the connection after a stream`() async throws {
        try await Fixture.withServer(routes: Fixture.routes + [Self.words]) { _, address in
            let client = try TestClient(address)
            for _ in 0..<3 {
                try client.send(Fixture.get("/words"))
                #expect(try !client.receive(through: "\r\n\r\n").contains("Connection:"))
                #expect(try client.receive(through: "\r\n0\r\n\r\n") == Self.chunkedWords)
                #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
            }
        }
    }

    @Test func `sends a stream of nothing as the last chunk alone`() async throws {
        try await Fixture.withServer(routes: [Fixture.stream("/nothing") { _ in }]) { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/nothing", "Connection: close\r\n"))
            _ = try client.receive(through: "\r\n\r\n")
            #expect(try client.receiveAll() == "0\r\n\r\n")
        }
    }

    @Test func `cuts a long write into chunks and loses nothing`() async throws {
        let long = Fixture.stream("/long") { (writer) throws(StreamEnd) in
            try await writer.write(Array(repeating: UInt8(ascii: "x"), count: 65_537))
        }
        try await Fixture.withServer(routes: [long]) { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/long"))
            _ = try client.receive(through: "\r\n\r\n")
            let x = String(repeating: "x", count: 65_536)
            #expect(try client.receive(through: "\r\n0\r\n\r\n") == "10000\r\n\(x)\r\n1\r\nx\r\n0\r\n\r\n")
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n"])
    func `sends no chunks to HTTP/1.0 and ends by closing`(fields: String) async throws {
        try await Fixture.withServer(routes: [Self.words]) { _, address in
            let client = try TestClient(address)
            try client.send("GET /words HTTP/1.0\r\n\(fields)\r\n")
            let head = try client.receive(through: "\r\n\r\n")
            #expect(head.contains("\r\nConnection: close\r\n"))
            #expect(!head.contains("Transfer-Encoding") && !head.contains("Content-Length"))
            #expect(try client.receiveAll() == "onetwotwotwotwotwot")
            #expect(try !client.isReset())
        }
    }

    @Test func `sends the head alone to HEAD and runs nothing`() async throws {
        let hasRun = Locked(false)
        let route = Fixture.stream("/words") { _ in hasRun.withLock { $0 = true } }
        try await Fixture.withServer(routes: Fixture.routes + [route]) { _, address in
            let client = try TestClient(address)
            try client.send("HEAD /words HTTP/1.1\r\n\(Fixture.host)\r\n")
            let head = try #require(try client.receive(toHead: true))
            #expect(head.status == 200)
            #expect(head.headers["transfer-encoding"] == "chunked")
            #expect(head.headers["content-type"] == "text/plain")
            #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
            try client.send("HEAD /words HTTP/1.0\r\n\r\n")
            #expect(try client.receive(through: "\r\n\r\n").contains("\r\nConnection: close\r\n"))
            #expect(try client.isAtEnd())
            #expect(!hasRun.withLock { $0 })
        }
    }

    @Test func `sends what is written before the next wait, and answers a pipelined request after the end`()
        async throws
    {
        let waits = WaitList()
        let isDone = Locked(false)
        let route = Fixture.stream("/slow") { (writer) throws(StreamEnd) in
            let ticket = waits.register("a")
            try await writer.write(Array("first".utf8))
            await ticket.wait(for: Fixture.forever)
            try await writer.write(Array("second".utf8))
            isDone.withLock { $0 = true }
        }
        let next = Route(.get, "/next") { _ in Fixture.text(isDone.withLock { $0 } ? "after" : "before") }
        try await Fixture.withServer(routes: [route, next]) { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/slow") + Fixture.get("/next"))
            _ = try client.receive(through: "\r\n\r\n")
            #expect(try client.receive(through: "first\r\n") == "5\r\nfirst\r\n")
            try client.send(Fixture.get("/next"))
            waits.publish("a")
            #expect(try client.receive(through: "\r\n0\r\n\r\n") == "6\r\nsecond\r\n0\r\n\r\n")
            #expect(try client.receive()?.body == "after")
            #expect(try client.receive()?.body == "after")
        }
    }

    // MARK: Errors

    @Test func `cuts off a stream that fails, so that it does not look complete`() async throws {
        let seen = Locked<[Exchange]>([])
        let route = Fixture.stream("/failing") { (writer) throws(StreamEnd) in
            try await writer.write(Array("hello".utf8))
            throw .failed
        }
        try await Fixture.withServer(routes: [route], observe: { exchange in seen.withLock { $0.append(exchange) } }) {
            _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/failing") + Fixture.get("/failing"))
            _ = try client.receive(through: "\r\n\r\n")
            #expect(try client.receiveAll() == "5\r\nhello\r\n")
            let old = try TestClient(address)
            try old.send("GET /failing HTTP/1.0\r\n\r\n")
            #expect(try old.isReset())
        }
        #expect(seen.withLock { $0.map(\.isDelivered) } == [false, false])
        #expect(seen.withLock { $0.map(\.status) } == [200, 200])
    }

    @Test func `answers 500 when the head of a stream cannot be written, or nothing could write its content`()
        async throws
    {
        let broken = Route(.get, "/broken") { _ in .stream(status: 200, headers: [("X-Bad", "a\r\nb")]) { _ in } }
        let empty = Route(.get, "/empty") { _ in
            var response = Response.stream(status: 200) { _ in }
            response.status = 204
            return response
        }
        let early = Route(.post, "/early", body: BodyRule(refusal: { _ in .stream(status: 401) { _ in } })) { _ in
            Fixture.text("")
        }
        try await Fixture.withServer(routes: [broken, empty, early]) { _, address in
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.get("/broken"))?.status == 500)
            #expect(try client.exchange(Fixture.get("/empty"))?.status == 500)
            let fields = "\(Fixture.host)Expect: 100-continue\r\nContent-Length: 3\r\n"
            #expect(try client.exchange("POST /early HTTP/1.1\r\n\(fields)\r\n")?.status == 500)
        }
    }

    @Test func `tells about a stream once, with all its bytes`() async throws {
        let seen = Locked<[Exchange]>([])
        try await Fixture.withServer(
            routes: [Self.words], observe: { exchange in seen.withLock { $0.append(exchange) } }
        ) { server, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/words", "Connection: close\r\nX-Request-Id: r-1\r\n"))
            let received = try client.receiveAll()
            let exchanges = seen.withLock { $0 }
            #expect(exchanges.count == 1)
            #expect(exchanges.first?.bytesOut == received.utf8.count)
            #expect(exchanges.first?.routePattern == "/words")
            #expect(exchanges.first?.requestID == "r-1")
            #expect(exchanges.first?.isDelivered == true)
            #expect(server.statistics().requestsInFlight == 0)
            #expect(server.statistics().loops.reduce(0) { $0 + $1.responses } == 1)
        }
    }

    // MARK: Slow and lost peers

    @Test func `cancels the handler when the peer is gone, and keeps no connection for it`() async throws {
        let seen = Locked<[Exchange]>([])
        let ends = Locked<[String]>([])
        let waits = WaitList()
        let route = Fixture.stream("/wait") { (writer) throws(StreamEnd) in
            let ticket = waits.register("a")
            try await writer.write(Array("first".utf8))
            let outcome = await ticket.wait(for: Fixture.forever)
            let end = await Fixture.outcome { () throws(StreamEnd) in try await writer.write([]) }
            ends.withLock { $0 += ["\(outcome)", end] }
        }
        try await Fixture.withServer(routes: [route], observe: { exchange in seen.withLock { $0.append(exchange) } }) {
            server, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/wait"))
            let head = try client.receive(through: "\r\n\r\n")
            let chunk = try client.receive(through: "first\r\n")
            client.reset()
            try await Fixture.until { !seen.withLock { $0.isEmpty } }
            #expect(ends.withLock { $0 } == ["cancelled", "closed"])
            #expect(seen.withLock { $0.map(\.isDelivered) } == [false])
            #expect(seen.withLock { $0.map(\.bytesOut) } == [(head + chunk).utf8.count])
            #expect(server.statistics().openConnections == 0)
            #expect(server.statistics().requestsInFlight == 0)
        }
    }

    @Test func `holds a write while the peer does not read, and serves others meanwhile`() async throws {
        let written = Locked(0)
        let end = Locked<String?>(nil)
        let routes = Fixture.routes + [Fixture.endless(written, end)]
        try await Fixture.withServer(loops: 1, routes: routes) { server, address in
            let slow = try TestClient(address, receiveBufferBytes: 128 * 1024)
            let other = try TestClient(address)
            try slow.send(Fixture.get("/endless"))
            try await Fixture.untilStill(written, other)
            // The bounded output, and what the kernel takes.
            let held = written.withLock { $0 }
            #expect(held < 16 * 1024 * 1024)
            // It goes on once the peer reads, and all comes in order.
            _ = try slow.receive(through: "\r\n\r\n")
            let chunk = "4000\r\n\(String(repeating: "x", count: 16 * 1024))\r\n"
            for _ in 0...(held / (16 * 1024)) { #expect(try slow.receive(through: "x\r\n") == chunk) }
            try await Fixture.until { written.withLock { $0 } > held }
            #expect(end.withLock { $0 } == nil)
            slow.reset()
            try await Fixture.until { end.withLock { $0 } != nil }
            #expect(end.withLock { $0 } == "closed")
            #expect(server.statistics().openConnections == 1)
        }
    }

    @Test func `drops a peer that does not read for too long, in the middle of a write`() async throws {
        var limits = Fixture.limits
        limits.responseTimeout = .milliseconds(100)
        let end = Locked<String?>(nil)
        try await Fixture.withServer(limits, routes: [Fixture.endless(Locked(0), end)]) { server, address in
            let slow = try TestClient(address, receiveBufferBytes: 4096)
            try slow.send(Fixture.get("/endless"))
            try await Fixture.until { end.withLock { $0 } != nil }
            #expect(end.withLock { $0 } == "closed")
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `drops it as well when the kernel holds all that was written`() async throws {
        var limits = Fixture.limits
        limits.responseTimeout = .milliseconds(100)
        let outcome = Locked<WaitList.Outcome?>(nil)
        let waits = WaitList()
        let route = Fixture.stream("/wait") { (writer) throws(StreamEnd) in
            let ticket = waits.register("a")
            try await writer.write(Array(repeating: UInt8(ascii: "x"), count: 20_000))
            let ended = await ticket.wait(for: Fixture.forever)
            outcome.withLock { $0 = ended }
        }
        try await Fixture.withServer(limits, routes: [route]) { server, address in
            let slow = try TestClient(address, receiveBufferBytes: 2048)
            try slow.send(Fixture.get("/wait"))
            try await Fixture.until { outcome.withLock { $0 } != nil }
            #expect(outcome.withLock { $0 } == .cancelled)
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `lets a stream be silent for longer than any time limit`() async throws {
        var limits = Fixture.limits
        limits.responseTimeout = .milliseconds(100)
        limits.keepAliveTimeout = .milliseconds(20)
        limits.requestTimeout = .milliseconds(20)
        let waits = WaitList()
        let route = Fixture.stream("/silent") { (writer) throws(StreamEnd) in
            for _ in 0..<3 {
                try await writer.write(Array("a".utf8))
                await waits.register("a").wait(for: .milliseconds(150))
            }
        }
        try await Fixture.withServer(limits, routes: [route]) { _, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/silent"))
            _ = try client.receive(through: "\r\n\r\n")
            #expect(try client.receive(through: "0\r\n\r\n") == "1\r\na\r\n1\r\na\r\n1\r\na\r\n0\r\n\r\n")
        }
    }

    // MARK: Draining

    @Test func `tells streams when the server is about to end, one that waits and one whose peer does not read`()
        async throws
    {
        let written = Locked(0)
        let end = Locked<String?>(nil)
        let seen = Locked<[String]>([])
        let waits = WaitList()
        let waiting = Fixture.stream("/wait") { (writer) throws(StreamEnd) in
            let ticket = waits.register("a")
            try await writer.write(Array("first".utf8))
            let wasDraining = writer.isDraining
            let outcome = await ticket.wait(for: Fixture.forever)
            let late = await Fixture.outcome { () throws(StreamEnd) in try await writer.write([0]) }
            seen.withLock { $0 = ["\(wasDraining)", "\(outcome)", "\(writer.isDraining)", late] }
        }
        let routes = Fixture.routes + [waiting, Fixture.endless(written, end)]
        try await Fixture.withServer(loops: 1, routes: routes) { server, address in
            let client = try TestClient(address)
            let slow = try TestClient(address, receiveBufferBytes: 128 * 1024)
            let other = try TestClient(address)
            try client.send(Fixture.get("/wait"))
            #expect(try !client.receive(through: "\r\n\r\n").contains("Connection:"))
            #expect(try client.receive(through: "first\r\n") == "5\r\nfirst\r\n")
            try slow.send(Fixture.get("/endless"))
            try await Fixture.untilStill(written, other)
            let drained = Task(executorPreference: OwnThread()) { await server.drain(within: Fixture.forever) }
            // The handler returned, so its stream is complete; the other was cut off.
            #expect(try client.receiveAll() == "0\r\n\r\n")
            client.finishSending()
            #expect(try !slow.receiveAll().hasSuffix("0\r\n\r\n"))
            slow.finishSending()
            other.finishSending()
            await drained.value
            #expect(seen.withLock { $0 } == ["false", "draining", "true", "draining"])
            #expect(end.withLock { $0 } == "draining")
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `ends a stream that pays no heed when the time for draining is over`() async throws {
        let end = Locked<String?>(nil)
        let route = Fixture.stream("/stubborn") { (writer) throws(StreamEnd) in
            try await writer.write(Array("first".utf8))
            while !Task.isCancelled { try? await Task.sleep(for: Fixture.forever) }
            let outcome = await Fixture.outcome { () throws(StreamEnd) in try await writer.write([0]) }
            end.withLock { $0 = outcome }
        }
        try await Fixture.withServer(routes: [route]) { server, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/stubborn"))
            _ = try client.receive(through: "first\r\n")
            await server.drain(within: .milliseconds(20))
            #expect(try client.receiveAll() == "")
            try await Fixture.until { end.withLock { $0 } != nil }
            #expect(end.withLock { $0 } == "closed")
        }
    }

    // MARK: Without a connection

    @Test func `writes to a sink in tests of surfaces, and lets a body take its place`() async throws {
        let text = Locked("")
        let writer = ResponseWriter { bytes in text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
        let request = Request(method: .get, path: "/words", id: "r")
        var response = await Router([Self.words]).response(to: request) { Fixture.failure($0) }
        let write = try #require(response.stream)
        try await write(writer)
        #expect(text.withLock { $0 } == "onetwotwotwotwotwot")
        #expect(!writer.isDraining)
        response.body = [1]
        #expect(response.stream == nil)
    }
}
