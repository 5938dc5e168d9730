import Locks
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.serialized) struct ServerTests {
    /// `/wait/{key}` answers with the outcome of a wait for the key.
    private static func waitRoute(_ waits: WaitList, registered: @escaping @Sendable () -> Void = {}) -> Route {
        Route(.get, "/wait/{key}/{milliseconds}") { request in
            let ticket = waits.register(request.parameters["key"] ?? "")
            registered()
            let limit = Int(request.parameters["milliseconds"] ?? "") ?? 0
            return Fixture.text("\(await ticket.wait(for: .milliseconds(limit)))")
        }
    }

    @Test func `listens on IPv6, on both addresses of localhost and on a local socket`() async throws {
        for address in [
            ListenAddress.tcp(host: "::1", port: 0), .tcp(host: "localhost", port: 0),
            .unix(path: Self.socketPath("a")),
        ] {
            try await Fixture.withServer(on: address) { _, bound in
                let client = try TestClient(bound)
                #expect(try client.exchange(Fixture.get("/hello"))?.body == "hello")
            }
        }
    }

    private static func socketPath(_ name: String) -> String {
        "/tmp/http-server-tests-\(UInt32.random(in: 0 ... .max))-\(name)"
    }

    @Test func `replaces a stale socket file, but no live one`() async throws {
        let path = Self.socketPath("b")
        try await Fixture.withServer(on: .unix(path: path)) { _, _ in
            await #expect(throws: SocketError.self) { try await Fixture.withServer(on: .unix(path: path)) { _, _ in } }
        }
        // A socket file without a process behind it.
        let stale = try Socket.listen(on: .unix(path: path), limits: Limits())
        for listening in stale { Socket.close(listening.descriptor) }
        try await Fixture.withServer(on: .unix(path: path)) { _, bound in
            let client = try TestClient(bound)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
        }
    }

    @Test(arguments: [
        ListenAddress.tcp(host: "example.com", port: 0), .tcp(host: "127.0.0.1", port: 65_536),
        .tcp(host: "127.0.0.1", port: -1),
        .tcp(host: "192.0.2.1", port: 0), .unix(path: ""), .unix(path: String(repeating: "a", count: 200)),
        .unix(path: "/dev/null"),
    ])
    func `says what is wrong with an address`(address: ListenAddress) async throws {
        await #expect(throws: SocketError.self) { try await Fixture.withServer(on: address) { _, _ in } }
    }

    @Test func `refuses connections over the limit of an address with 503 and takes new ones once others ended`()
        async throws
    {
        var limits = Fixture.limits
        limits.maxConnectionsPerAddress = 3
        try await Fixture.withServer(limits) { server, address in
            var open = try (0..<3).map { _ in try TestClient(address) }
            for client in open { #expect(try client.exchange(Fixture.get("/hello"))?.status == 200) }
            let refused = try TestClient(address)
            let answer = try refused.receive()
            #expect(answer?.status == 503)
            #expect(["1", "2", "3"].contains(answer?.headers["retry-after"]))
            #expect(try refused.isAtEnd())
            #expect(server.statistics().refused == Statistics.Refused(overAddress: 1))
            #expect(server.statistics().openConnections == 3)
            open.removeAll()
            try await Fixture.until { server.statistics().openConnections == 0 }
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
        }
    }

    @Test func `refuses connections over the global limit, but not on the local socket`() async throws {
        var limits = Fixture.limits
        limits.maxConnections = 1
        limits.reservedConnections = 0
        try await Fixture.withServer(limits) { _, address in
            let first = try TestClient(address)
            #expect(try first.exchange(Fixture.get("/hello"))?.status == 200)
            #expect(try TestClient(address).receive()?.status == 503)
        }
        limits.maxConnections = 0
        limits.maxConnectionsPerAddress = 0
        try await Fixture.withServer(limits, on: .unix(path: Self.socketPath("c"))) { _, address in
            let client = try TestClient(address)
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
        }
    }

    @Test func `answers what is always answered over the global limit, and nothing else`() async throws {
        var limits = Fixture.limits
        limits.maxConnections = 1
        limits.reservedConnections = 2
        let routes = Fixture.routes + [Route(.get, "/health") { _ in Fixture.text("well") }.always]
        try await Fixture.withServer(limits, routes: routes) { server, address in
            let first = try TestClient(address)
            #expect(try first.exchange(Fixture.get("/hello"))?.status == 200)
            for _ in 0..<3 {
                let probe = try TestClient(address)
                let answer = try probe.exchange(Fixture.get("/health"))
                #expect(answer?.status == 200)
                #expect(answer?.headers["connection"] == "close")
                #expect(try probe.isAtEnd())
                probe.finishSending()
                try await Fixture.until { server.statistics().openConnections == 1 }
            }
            let other = try TestClient(address)
            let answer = try other.exchange(Fixture.get("/hello"))
            #expect(answer?.status == 503)
            #expect(["1", "2", "3"].contains(answer?.headers["retry-after"]))
            #expect(try other.isAtEnd())
            #expect(server.statistics().refused == Statistics.Refused(overAll: 1))
        }
    }

    @Test func `nobody keeps the reserve of connections`() async throws {
        var limits = Fixture.limits
        limits.maxConnections = 0
        limits.reservedConnections = 2
        let routes = [Route(.get, "/health") { _ in Fixture.text("well") }.always]
        let clock = ManualClock()
        try await Fixture.withServer(limits, loops: 1, routes: routes, manualClock: clock) { server, address in
            // Half a head, and a body that never comes.
            let held = try (0..<2).map { _ in try TestClient(address) }
            try held[0].send("GET /hea")
            try held[1].send(Fixture.get("/health", "Content-Length: 10\r\n"))
            try await Fixture.until { server.statistics().openConnections == 2 }
            #expect(try TestClient(address).receive()?.status == 503)
            await Fixture.pass(.seconds(1), clock, server)
            for client in held { #expect(try client.receive()?.status == 503) }
            #expect(server.statistics().refused == Statistics.Refused(overAll: 3))
            // They go on to hold their connections.
            await Fixture.pass(.seconds(1), clock, server)
            try await Fixture.until { server.statistics().openConnections == 0 }
            #expect(try TestClient(address).exchange(Fixture.get("/health"))?.status == 200)
            withExtendedLifetime(held) {}
        }
    }

    @Test func `deals connections out evenly`() async throws {
        try await Fixture.withServer(loops: 4) { server, address in
            let clients = try (0..<12).map { _ in try TestClient(address) }
            for client in clients { #expect(try client.exchange(Fixture.get("/hello"))?.status == 200) }
            #expect(server.statistics().loops.map(\.openConnections) == [3, 3, 3, 3])
            #expect(server.statistics().loops.reduce(0) { $0 + $1.responses } == 12)
            #expect(server.statistics().accepted == 12)
        }
    }

    @Test func `wakes a long poll, or lets it time out`() async throws {
        let waits = WaitList()
        let registered = Locked(0)
        let route = Self.waitRoute(waits) { registered.withLock { $0 += 1 } }
        try await Fixture.withServer(routes: [route]) { _, address in
            let woken = try TestClient(address)
            let late = try TestClient(address)
            try woken.send(Fixture.get("/wait/a/3600000"))
            try late.send(Fixture.get("/wait/b/5"))
            #expect(try late.receive()?.body == "timedOut")
            try await Fixture.until { registered.withLock { $0 } == 2 }
            waits.publish("a")
            #expect(try woken.receive()?.body == "published")
        }
    }

    @Test func `cancels the request of a peer that is gone, not of one that half-closed`() async throws {
        let seen = Locked<[Exchange]>([])
        let waits = WaitList()
        let registered = Locked(0)
        let route = Self.waitRoute(waits) { registered.withLock { $0 += 1 } }
        try await Fixture.withServer(routes: [route], observe: { exchange in seen.withLock { $0.append(exchange) } }) {
            _, address in
            let gone = try TestClient(address)
            let half = try TestClient(address)
            try gone.send(Fixture.get("/wait/a/3600000"))
            try half.send(Fixture.get("/wait/b/3600000"))
            half.finishSending()
            try await Fixture.until { registered.withLock { $0 } == 2 }
            gone.reset()
            try await Fixture.until { !seen.withLock { $0.isEmpty } }
            #expect(seen.withLock { $0.map(\.isDelivered) } == [false])
            waits.publish("b")
            #expect(try half.receive()?.body == "published")
        }
    }

    @Test func `drains: answers what is in flight, closes the idle, accepts no more`() async throws {
        let waits = WaitList()
        let registered = Locked(0)
        let isReleased = Locked(false)
        let routes = [
            Self.waitRoute(waits) { registered.withLock { $0 += 1 } },
            Route(.get, "/slow") { _ in
                registered.withLock { $0 += 1 }
                while !isReleased.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
                return Fixture.text("slow")
            },
        ]
        try await Fixture.withServer(routes: Fixture.routes + routes) { server, address in
            let idle = try TestClient(address)
            let polling = try TestClient(address)
            let slow = try TestClient(address)
            #expect(try idle.exchange(Fixture.get("/hello"))?.status == 200)
            try polling.send(Fixture.get("/wait/a/3600000"))
            try slow.send(Fixture.get("/slow") + Fixture.get("/hello"))
            try await Fixture.until { registered.withLock { $0 } == 2 }
            let drained = Task(executorPreference: OwnThread()) { await server.drain(within: Fixture.forever) }
            let answer = try polling.receive()
            #expect(answer?.body == "draining")
            #expect(answer?.headers["connection"] == "close")
            #expect(try idle.isAtEnd())
            isReleased.withLock { $0 = true }
            #expect(try slow.receive()?.body == "slow")
            // It was there already when draining began, so it is answered too.
            #expect(try slow.receive()?.headers["connection"] == "close")
            for client in [polling, slow] {
                #expect(try client.isAtEnd())
                client.finishSending()
            }
            idle.finishSending()
            await drained.value
            #expect(server.statistics().openConnections == 0)
            #expect(throws: TestClient.Failure.self) { try TestClient(address) }
        }
    }

    @Test func `cuts what is not done when the time for draining is over`() async throws {
        let began = Locked(false)
        let cancelled = Locked(false)
        let stubborn = Route(.get, "/stubborn") { _ in
            began.withLock { $0 = true }
            do { try await Task.sleep(for: Fixture.forever) } catch { cancelled.withLock { $0 = true } }
            return Fixture.text("late")
        }
        try await Fixture.withServer(routes: [stubborn]) { server, address in
            let client = try TestClient(address)
            try client.send(Fixture.get("/stubborn"))
            try await Fixture.until { began.withLock { $0 } }
            await server.drain(within: .milliseconds(20))
            #expect(try client.isAtEnd())
            #expect(server.statistics().openConnections == 0)
            try await Fixture.until { cancelled.withLock { $0 } }
        }
    }
}
