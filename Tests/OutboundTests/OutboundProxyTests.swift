@testable import Outbound
import Testing

/// Calls that go through a proxy of the operator's. The tests' server plays proxy and receiver: what comes after CONNECT is
/// for the receiver.
@Suite(.timeLimit(.minutes(60))) struct OutboundProxyTests {
    private static let connected = CountingServer.Answer.bytes("HTTP/1.1 200 Connection established\r\nX-A: b\r\n\r\n")

    /// A name that nobody can look up: the proxy does.
    private func call(
        _ proxy: CountingServer, _ url: String = "http://receiver.invalid/hook?a=1", client: OutboundHTTP,
        progress: OutboundProgress? = nil
    ) async -> Result<OutboundResponse, OutboundFault> {
        var request = OutboundRequest(
            method: "GET", url: url, timeout: .seconds(600), addresses: .behind(proxy: "http://127.0.0.1:\(proxy.port)")
        )
        request.progress = progress
        do throws(OutboundFault) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }

    @Test func `make a tunnel, and get the answer of the receiver`() async throws {
        let proxy = try CountingServer { $0 == 0 ? Self.connected : CountingServer.ok }
        let client = Fixture.client()
        let response = try await call(proxy, client: client).get()
        #expect(
            response.status == 200 && response.body == Array("ok".utf8)
                && !response.headers.contains { $0.name.lowercased() == "x-a" })
        #expect(proxy.heads.count == 2)
        #expect(proxy.heads.first?.hasPrefix("CONNECT receiver.invalid:80 HTTP/1.1\r\n") == true)
        #expect(proxy.heads.last?.hasPrefix("GET /hook?a=1 HTTP/1.1\r\nHost: receiver.invalid\r\n") == true)
        await client.shutdown()
    }

    @Test func `use a tunnel again for the same receiver only`() async throws {
        let proxy = try CountingServer { $0 == 0 ? Self.connected : CountingServer.ok }
        let client = Fixture.client()
        for url in ["http://a.invalid/1", "http://a.invalid/2", "http://b.invalid/3"] {
            #expect(try await call(proxy, url, client: client).get().status == 200)
        }
        #expect(proxy.connections == 2)
        #expect(proxy.heads.filter { $0.hasPrefix("CONNECT") }.count == 2)
        await client.shutdown()
    }

    @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required", "502 Bad Gateway", "302 Found"])
    func `are refused with the tunnel, and nothing goes out`(status: String) async throws {
        let proxy = try CountingServer { _ in .last("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n") }
        let client = Fixture.client()
        for url in ["http://receiver.invalid/", "https://receiver.invalid/"] {
            let progress = OutboundProgress()
            let answer = await call(proxy, url, client: client, progress: progress)
            #expect(throws: OutboundFault.connect) { try answer.get() }
            #expect(!progress.mayHaveArrived)
        }
        #expect(proxy.heads.allSatisfy { $0.hasPrefix("CONNECT receiver.invalid:") })
        await client.shutdown()
    }

    @Test func `fail without a proxy, and go nowhere else`() async throws {
        let receiver = try CountingServer { _ in CountingServer.ok }
        let client = Fixture.client()
        var request = OutboundRequest(
            method: "GET", url: receiver.base, timeout: .seconds(600), addresses: .behind(proxy: "http://127.0.0.1:1"))
        await #expect(throws: OutboundFault.connect) { try await client.send(request) }
        request.addresses = .behind(proxy: "http://proxy.invalid:4750")
        await #expect(throws: OutboundFault.connect) { try await client.send(request) }
        #expect(receiver.connections == 0)
        await client.shutdown()
    }

    @Test func `a receiver that is called directly shares no connection with one behind a proxy`() async throws {
        let server = try CountingServer { $0 == 0 ? Self.connected : CountingServer.ok }
        let client = Fixture.client()
        #expect(try await call(server, server.base, client: client).get().status == 200)
        let direct = OutboundRequest(
            method: "GET", url: server.base, timeout: .milliseconds(500), addresses: .publicOnly)
        await #expect(throws: OutboundFault.connect) { try await client.send(direct) }
        await client.shutdown()
    }
}
