@testable import Outbound
import Testing

/// How calls share connections, and what ends them.
@Suite(.timeLimit(.minutes(60))) struct OutboundConnectionTests {
    private func outcome(
        _ client: OutboundHTTP, _ url: String, method: String = "GET", timeout: Duration = .seconds(600),
        addresses: OutboundRequest.Addresses = .any
    ) async -> OutboundFault? {
        do throws(OutboundFault) {
            let request = OutboundRequest(
                method: method, url: url, timeout: timeout, maxResponseBytes: 1000, addresses: addresses)
            #expect(try await client.send(request).status == 200)
            return nil
        } catch { return error }
    }

    private func client(_ change: (inout OutboundLimits) -> Void = { _ in }) -> OutboundHTTP {
        var limits = OutboundLimits()
        // No slowness ends a connection.
        limits.idleTimeout = .seconds(3600)
        change(&limits)
        return OutboundHTTP(connectTimeout: .seconds(600), limits: limits)
    }

    @Test func `uses a connection again`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = client()
        for _ in 0..<5 { #expect(await outcome(client, server.base) == nil) }
        #expect(server.connections == 1)
        #expect(server.requests == 5)
        await client.shutdown()
    }

    @Test func `makes a hundred calls at once over no more connections than it may`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = client { $0.connectionsPerHost = 4 }
        let faults = await withTaskGroup(of: OutboundFault?.self) { group in
            for _ in 0..<100 { group.addTask { await outcome(client, server.base) } }
            return await group.reduce(into: [OutboundFault]()) { if let fault = $1 { $0.append(fault) } }
        }
        #expect(faults == [])
        #expect(server.requests == 100)
        #expect((1...4).contains(server.connections))
        await client.shutdown()
    }

    @Test func `refuses calls over its limit at once`() async throws {
        let server = try CountingServer { _ in .nothing }
        let client = client { $0.calls = 1 }
        async let first = outcome(client, server.base)
        await server.wait(for: 1, .request)
        #expect(await outcome(client, server.base) == .failed(reason: "too many calls are under way"))
        await client.shutdown()
        #expect(await first == .cancelled)
    }

    @Test func `counts the wait for a connection as time of the call`() async throws {
        let server = try CountingServer { _ in .nothing }
        let client = client { $0.connectionsPerHost = 1 }
        async let first = outcome(client, server.base)
        await server.wait(for: 1, .request)
        #expect(await outcome(client, server.base, timeout: .milliseconds(50)) == .timeout)
        #expect(server.connections == 1)
        await client.shutdown()
        #expect(await first == .cancelled)
    }

    @Test func `closes a connection that is idle for long`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = client { $0.idleTimeout = .milliseconds(20) }
        #expect(await outcome(client, server.base) == nil)
        await server.wait(for: 1, .end)
        #expect(await outcome(client, server.base) == nil)
        #expect(server.connections == 2)
        await client.shutdown()
    }

    @Test func `ends in time when an answer drips`() async throws {
        let head = try CountingServer { _ in .drip("HTTP/1.1 200 OK\r\n", then: "X-Test: 1\r\n") }
        let body = try CountingServer { _ in .drip("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", then: "x") }
        let client = client()
        for url in [head.base, body.base] {
            #expect(await outcome(client, url, timeout: .milliseconds(50)) == .timeout)
        }
        await client.shutdown()
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `says that a connection broke in the middle of an answer`(bytes: String) async throws {
        let server = try CountingServer { _ in .last(bytes) }
        let client = client()
        let fault = await outcome(client, server.base)
        await client.shutdown()
        #expect(fault == .failed(reason: "the connection broke"))
    }

    @Test(arguments: ["GET", "POST"])
    func `asks once, also when a used connection breaks`(method: String) async throws {
        let server = try CountingServer { $0 == 0 ? CountingServer.ok : .last("") }
        let client = client()
        #expect(await outcome(client, server.base) == nil)
        #expect(await outcome(client, server.base, method: method) == .failed(reason: "the connection broke"))
        #expect(server.requests == 2)
        await client.shutdown()
    }

    @Test func `sends nothing for a task that is cancelled before`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = client()
        let call = Task {
            while !Task.isCancelled { await Task.yield() }
            return await outcome(client, server.base)
        }
        call.cancel()
        #expect(await call.value == .cancelled)
        #expect(await outcome(client, server.base) == nil)
        #expect(server.requests == 1)
        await client.shutdown()
    }

    @Test func `closes the connection of a call that is cancelled`() async throws {
        let server = try CountingServer { _ in .nothing }
        let client = client()
        let call = Task { await outcome(client, server.base) }
        await server.wait(for: 1, .request)
        call.cancel()
        #expect(await call.value == .cancelled)
        await server.wait(for: 1, .end)
        await client.shutdown()
    }

    @Test func `ends every call and connection at shutdown`() async throws {
        let server = try CountingServer { _ in .nothing }
        let client = client()
        let faults = await withTaskGroup(of: OutboundFault?.self) { group in
            for _ in 0..<20 { group.addTask { await outcome(client, server.base) } }
            await server.wait(for: 20, .request)
            await client.shutdown()
            return await group.reduce(into: [OutboundFault?]()) { $0.append($1) }
        }
        #expect(faults == Array(repeating: .cancelled, count: 20))
        await server.wait(for: 20, .end)
    }

    // MARK: Addresses

    @Test(arguments: ["localhost", "127.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]"])
    func `makes no connection to an address that is not public, whatever its name`(host: String) async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = client()
        let url = "http://\(host):\(server.port)/"
        #expect(await outcome(client, url, addresses: .publicOnly) == .connect)
        #expect(await outcome(client, server.base) == nil)
        #expect(server.connections == 1)
        await client.shutdown()
    }

    @Test func `uses no connection that another call may have and this one may not`() async throws {
        let server = try CountingServer { _ in CountingServer.ok }
        let client = client()
        #expect(await outcome(client, server.base) == nil)
        #expect(await outcome(client, server.base, addresses: .publicOnly) == .connect)
        #expect(server.requests == 1)
        await client.shutdown()
    }
}
