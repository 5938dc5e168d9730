import Locks
import TestSupport
import Testing

@testable import HTTPServer

/// The engine over a plain socket, and over a transport with a protocol of its own, as TLS is one.
@Suite(.serialized) struct TransportTests {
    // MARK: The same over both

    @Test(arguments: TestTransport.allCases)
    func `answers one request after another on a connection`(transport: TestTransport) async throws {
        try await Fixture.withServer(over: transport) { _, address in
            let client = try TestClient(address, over: transport)
            for round in 0..<3 {
                #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
                #expect(try client.exchange(Fixture.post("/echo", "round \(round)"))?.body == "round \(round)")
                #expect(try client.exchange(Fixture.get("/none"))?.status == 404)
            }
            for byte in Fixture.get("/hello").utf8 { try client.send([byte]) }
            #expect(try client.receive()?.body == "hello")
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `answers pipelined requests in order, and all that came before a half-close`(
        transport: TestTransport
    ) async throws {
        try await Fixture.withServer(over: transport) { _, address in
            let client = try TestClient(address, over: transport)
            try client.send((0..<200).map { Fixture.post("/echo", "\($0)") }.joined())
            client.finishSending()
            for index in 0..<200 { #expect(try client.receive()?.body == "\(index)") }
            #expect(try client.isAtEnd())
            #expect(try client.isReset() == false)
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `takes and sends large bodies, also one that is shared`(transport: TestTransport) async throws {
        let large = Fixture.text(String(repeating: "s", count: 300 * 1024)).shared
        let routes = Fixture.routes + [Route(.get, "/shared") { _ in large }]
        try await Fixture.withServer(routes: routes, over: transport) { _, address in
            let client = try TestClient(address, over: transport)
            let body = String(repeating: "0123456789", count: 50_000)
            #expect(try client.exchange(Fixture.post("/echo", body))?.body == body)
            try client.send(Fixture.get("/large/300") + Fixture.get("/shared") + Fixture.get("/hello"))
            #expect(try client.receive()?.body == String(repeating: "x", count: 300 * 1024))
            #expect(try client.receive()?.body == String(repeating: "s", count: 300 * 1024))
            #expect(try client.receive()?.body == "hello")
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `holds a stream while its peer does not read, and goes on when it does`(
        transport: TestTransport
    ) async throws {
        let written = Locked(0)
        let end = Locked<String?>(nil)
        let routes = Fixture.routes + [Fixture.endless(written, end)]
        try await Fixture.withServer(loops: 1, routes: routes, over: transport) { server, address in
            let slow = try TestClient(address, receiveBufferBytes: 64 * 1024, over: transport)
            let other = try TestClient(address, over: transport)
            try slow.send(Fixture.get("/endless"))
            try await Fixture.untilStill(written, other)
            let held = written.withLock { $0 }
            #expect(held < 16 * 1024 * 1024)
            _ = try slow.receive(through: "\r\n\r\n")
            let chunk = "4000\r\n\(String(repeating: "x", count: 16 * 1024))\r\n"
            for _ in 0..<20 { #expect(try slow.receive(through: "x\r\n") == chunk) }
            slow.reset()
            try await Fixture.until { end.withLock { $0 } != nil }
            #expect(end.withLock { $0 } == "closed")
            #expect(server.statistics().openConnections == 1)
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `ends a stream properly, and cuts one off that fails`(transport: TestTransport) async throws {
        let words = Fixture.stream("/words") { (writer) throws(StreamEnd) in
            for word in ["one", "two"] { try await writer.write(Array(word.utf8)) }
        }
        let failing = Fixture.stream("/failing") { (writer) throws(StreamEnd) in
            try await writer.write(Array("hello".utf8))
            throw .failed
        }
        try await Fixture.withServer(routes: [words, failing], over: transport) { _, address in
            let client = try TestClient(address, over: transport)
            try client.send(Fixture.get("/words") + Fixture.get("/words") + Fixture.get("/failing"))
            for _ in 0..<2 {
                _ = try client.receive(through: "\r\n\r\n")
                #expect(try client.receive(through: "0\r\n\r\n") == "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
            }
            _ = try client.receive(through: "\r\n\r\n")
            #expect(try client.receiveAll() == "5\r\nhello\r\n")
            // Without chunks a proper end would say that all is there.
            let old = try TestClient(address, over: transport)
            try old.send("GET /failing HTTP/1.0\r\n\r\n")
            #expect(try old.isReset())
            #expect(old.peer?.sawEnd != true)
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `reads past what a refused client goes on sending`(transport: TestTransport) async throws {
        try await Fixture.withServer(over: transport) { _, address in
            let client = try TestClient(address, over: transport)
            try client.send("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 2000000\r\n\r\n")
            try client.send([UInt8](repeating: 0x62, count: 2_000_000))
            #expect(try client.receive()?.status == 413)
            client.finishSending()
            #expect(try client.isReset() == false)
            #expect(client.peer?.sawEnd != false)
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `drains: answers what is in flight and closes the idle`(transport: TestTransport) async throws {
        let began = Locked(false)
        let isReleased = Locked(false)
        let slowRoute = Route(.get, "/slow") { _ in
            began.withLock { $0 = true }
            while !isReleased.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
            return Fixture.text("slow")
        }
        try await Fixture.withServer(
            loops: 1, routes: Fixture.routes + [slowRoute], over: transport
        ) { server, address in
            let idle = try TestClient(address, over: transport)
            let slow = try TestClient(address, over: transport)
            #expect(try idle.exchange(Fixture.get("/hello"))?.status == 200)
            try slow.send(Fixture.get("/slow"))
            try await Fixture.until { began.withLock { $0 } }
            let drained = Task(executorPreference: OwnThread()) { await server.drain(within: Fixture.forever) }
            #expect(try idle.isAtEnd())
            idle.finishSending()
            isReleased.withLock { $0 = true }
            let answer = try slow.receive()
            #expect(answer?.body == "slow")
            #expect(answer?.headers["connection"] == "close")
            #expect(try slow.isAtEnd())
            slow.finishSending()
            await drained.value
            #expect(server.statistics().openConnections == 0)
            for client in [idle, slow] { #expect(client.peer?.sawEnd != false) }
        }
    }

    @Test(arguments: TestTransport.allCases)
    func `drops a peer that does not take an answer`(transport: TestTransport) async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.responseTimeout = .seconds(20)
        try await Fixture.withServer(limits, loops: 1, over: transport, manualClock: clock) { server, address in
            let client = try TestClient(address, receiveBufferBytes: 4096, over: transport)
            try client.send(String(repeating: Fixture.get("/large/1000"), count: 8))
            while server.statistics().loops[0].responses == 0 { await server.loops[0].catchUp() }
            for _ in 0..<100 { await server.loops[0].catchUp() }
            clock.advance(.seconds(20))
            while server.statistics().openConnections > 0 {
                clock.advance(.seconds(1))
                await server.loops[0].catchUp()
            }
            #expect(client.peer?.sawEnd != true)
        }
    }

    // MARK: What a protocol of its own brings

    @Test func `reads on after it had to write, without another byte from the socket`() async throws {
        try await Fixture.withServer(over: .odd) { _, address in
            let client = try TestClient(address, over: .odd)
            let body = String(repeating: "b", count: 20_000)
            for _ in 0..<3 { #expect(try client.exchange(Fixture.post("/echo", body))?.body == body) }
            #expect((client.peer as? OddPeer).map { $0.renewals > 50 } == true)
        }
    }

    @Test(arguments: [[], [OddFrame.hello]])
    func `cuts a handshake that takes too long, without a word`(begun: [UInt8]) async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.headerTimeout = .seconds(10)
        try await Fixture.withServer(limits, loops: 1, over: .odd, manualClock: clock) { server, address in
            let client = try TestClient(address)
            try client.sendRaw(begun)
            try await Fixture.until { server.statistics().openConnections == 1 }
            await Fixture.pass(.milliseconds(9_999), clock, server)
            #expect(server.statistics().openConnections == 1)
            await Fixture.pass(.milliseconds(1), clock, server)
            #expect(server.statistics().openConnections == 0)
            #expect(try client.receiveAll() == "")
        }
    }

    @Test func `a handshake that goes wrong ends the connection`() async throws {
        try await Fixture.withServer(over: .odd) { server, address in
            let client = try TestClient(address)
            try client.sendRaw(OddFrame.frame(OddFrame.data))
            #expect(try client.isAtEnd())
            try await Fixture.until { server.statistics().openConnections == 0 }
        }
    }

    @Test func `a drain does not wait for a handshake`() async throws {
        try await Fixture.withServer(over: .odd) { server, address in
            let client = try TestClient(address)
            try await Fixture.until { server.statistics().openConnections == 1 }
            await server.drain(within: Fixture.forever)
            #expect(try client.receiveAll() == "")
        }
    }

    @Test func `an end of the socket before that of the protocol cancels the request`() async throws {
        let seen = Locked<[Exchange]>([])
        let waits = WaitList()
        let isRegistered = Locked(false)
        let route = Route(.get, "/wait") { _ in
            let ticket = waits.register("a")
            isRegistered.withLock { $0 = true }
            return Fixture.text("\(await ticket.wait(for: Fixture.forever))")
        }
        try await Fixture.withServer(
            routes: [route], over: .odd, observe: { exchange in seen.withLock { $0.append(exchange) } }
        ) { server, address in
            let client = try TestClient(address, over: .odd)
            try client.send(Fixture.get("/wait"))
            try await Fixture.until { isRegistered.withLock { $0 } }
            client.shutDown()
            try await Fixture.until { !seen.withLock { $0.isEmpty } }
            #expect(seen.withLock { $0.map(\.isDelivered) } == [false])
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `a connection that is refused before its handshake gets no byte of HTTP`() async throws {
        var limits = Fixture.limits
        limits.maxConnectionsPerAddress = 1
        try await Fixture.withServer(limits, over: .odd) { server, address in
            let first = try TestClient(address, over: .odd)
            #expect(try first.exchange(Fixture.get("/hello"))?.status == 200)
            let second = try TestClient(address)
            #expect(try second.receiveAll() == "")
            #expect(server.statistics().refused.overAddress == 1)
        }
    }
}
