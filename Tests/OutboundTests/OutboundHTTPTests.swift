import Glibc
import HTTPServer
@testable import Outbound
import Testing

@Suite(.timeLimit(.minutes(60))) struct OutboundHTTPTests {
    private static let routes: [Route] = [
        Route(.post, "/echo") { request in
            let told =
                "\(request.headers["x-test"] ?? "-")|\(request.headers["content-type"] ?? "-")|\(request.rawQuery)|"
            return Response(status: 201, headers: [("X-Answer", "yes")], body: Array(told.utf8) + request.body)
        },
        Route(.get, "/moved") { _ in Response(status: 302, headers: [("Location", "/large/1")]) },
        Route(.get, "/large/{bytes}") { request in
            Response(
                status: 200, body: [UInt8](repeating: 120, count: Int(request.parameters["bytes"] ?? "") ?? 0))
        },
        Route(.get, "/slow") { _ in
            try? await Task.sleep(for: .seconds(3600))
            return Response(status: 200)
        },
    ]

    /// A client, and a server it can call; both are gone afterwards.
    private func withServer(_ body: (OutboundHTTP, String) async throws -> Void) async throws {
        let server = try Server(
            limits: Fixture.limits, loops: 1, router: Router(Self.routes),
            failureResponse: { Response(status: $0.status) }, observe: { _ in })
        let bound = try #require(try server.start(on: [.tcp(host: "127.0.0.1", port: 0)]).first)
        let client = Fixture.client()
        let result: Result<Void, any Error>
        do { result = .success(try await body(client, "http://\(bound)")) } catch { result = .failure(error) }
        await client.shutdown()
        await server.stop()
        try result.get()
    }

    private func fault(
        _ client: OutboundHTTP, _ url: String, timeout: Duration = .seconds(600), maxResponseBytes: Int = 1000
    ) async -> OutboundFault? {
        do throws(OutboundFault) {
            _ = try await client.send(
                OutboundRequest(method: "GET", url: url, timeout: timeout, maxResponseBytes: maxResponseBytes))
            return nil
        } catch { return error }
    }

    @Test func `sends method, headers and body and gives back the answer`() async throws {
        try await withServer { client, base in
            let response = try await client.send(
                OutboundRequest(
                    method: "POST", url: base + "/echo?a=%20b",
                    headers: [("X-Test", "1"), ("Content-Type", "text/plain")], body: Array("hello".utf8),
                    timeout: .seconds(600)))
            #expect(response.status == 201)
            #expect(String(decoding: response.body, as: UTF8.self) == "1|text/plain|a=%20b|hello")
            #expect(response.headers.contains { $0.name.lowercased() == "x-answer" && $0.value == "yes" })
        }
    }

    @Test func `does not follow redirects`() async throws {
        try await withServer { client, base in
            let response = try await client.send(
                OutboundRequest(method: "GET", url: base + "/moved", timeout: .seconds(600)))
            #expect(response.status == 302)
            #expect(response.headers.contains { $0.name.lowercased() == "location" && $0.value == "/large/1" })
        }
    }

    @Test(arguments: [(999, false), (1000, false), (1001, true), (1_000_000, true)])
    func `takes an answer up to its limit`(size: Int, isTooLarge: Bool) async throws {
        try await withServer { client, base in
            #expect(await fault(client, base + "/large/\(size)") == (isTooLarge ? .tooLarge : nil))
            // The client is as good as before.
            #expect(await fault(client, base + "/large/1") == nil)
        }
    }

    @Test func `gives up in time when nothing comes`() async throws {
        try await withServer { client, base in
            #expect(await fault(client, base + "/slow", timeout: .milliseconds(50)) == .timeout)
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ]) func `gives up in time when the answer stops anywhere`(bytes: String) async throws {
        let server = try PlainServer(answering: bytes)
        let client = Fixture.client()
        #expect(await fault(client, "http://127.0.0.1:\(server.port)/", timeout: .milliseconds(50)) == .timeout)
        await client.shutdown()
    }

    @Test(arguments: [
        "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/9.9 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    ]) func `names an answer that is no HTTP`(bytes: String) async throws {
        let server = try PlainServer(answering: bytes)
        let client = Fixture.client()
        let fault = await fault(client, "http://127.0.0.1:\(server.port)/")
        await client.shutdown()
        guard case .failed(let reason) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(!reason.contains("nonsense"))
    }

    @Test func `wants TLS where the URL says so`() async throws {
        let server = try PlainServer(answering: "nonsense")
        let client = Fixture.client()
        let fault = await fault(client, "https://127.0.0.1:\(server.port)/")
        await client.shutdown()
        guard case .failed = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
    }

    @Test func `gives up in time when no TLS comes about`() async throws {
        let server = try PlainServer(answering: "")
        let client = OutboundHTTP(connectTimeout: .milliseconds(100))
        #expect(await fault(client, "https://127.0.0.1:\(server.port)/", timeout: .milliseconds(50)) == .timeout)
        await client.shutdown()
    }

    @Test func `says that there is no connection`() async throws {
        let client = Fixture.client()
        // Bound, so that nobody else has it, and not listening.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + getsockname(descriptor, $0, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        #expect(await fault(client, "http://127.0.0.1:\(port)/") == .connect)
        await client.shutdown()
    }

    @Test(arguments: ["", "x", "ftp://127.0.0.1/", "http://", "//127.0.0.1/"])
    func `refuses what is no HTTP URL`(url: String) async throws {
        let client = Fixture.client()
        let fault = await fault(client, url)
        await client.shutdown()
        guard case .failed = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
    }

    @Test func `ends calls that are cancelled, and those under way at shutdown`() async throws {
        try await withServer { client, base in
            let call = Task { await fault(client, base + "/slow") }
            call.cancel()
            #expect(await call.value == .cancelled)
            let other = Task { await fault(client, base + "/slow") }
            // The other call has a connection of its own by then, or is still on its way to one.
            #expect(await fault(client, base + "/large/1") == nil)
            await client.shutdown()
            #expect(await other.value == .cancelled)
            #expect(await fault(client, base + "/large/1") == .cancelled)
        }
    }

    @Test func `begins no thread before the first call, and needs no shutdown then`() async {
        let client = Fixture.client()
        await client.shutdown()
        #expect(await fault(client, "http://127.0.0.1:1/") == .cancelled)
        _ = Fixture.client()
    }
}
