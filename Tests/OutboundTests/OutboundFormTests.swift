@testable import Outbound
import Testing

/// Requests that are sent and answers that are taken, byte for byte.
@Suite(.timeLimit(.minutes(60))) struct OutboundFormTests {
    private func call(
        _ answer: String, method: String = "GET", headers: [(name: String, value: String)] = [], body: String = ""
    ) async throws -> (sent: String, outcome: Result<OutboundResponse, OutboundFault>) {
        let server = try PlainServer(answering: answer)
        let client = Fixture.client()
        let outcome: Result<OutboundResponse, OutboundFault>
        do throws(OutboundFault) {
            outcome = .success(
                try await client.send(
                    OutboundRequest(
                        method: method, url: "http://127.0.0.1:\(server.port)/a/../b?c", headers: headers,
                        body: Array(body.utf8), timeout: .seconds(600), maxResponseBytes: 1000)))
        } catch { outcome = .failure(error) }
        await client.shutdown()
        let sent = String(decoding: server.firstBytes, as: UTF8.self)
        return (sent.replacing(":\(server.port)", with: ""), outcome)
    }

    private func fault(_ answer: String) async throws -> OutboundFault? {
        guard case .failure(let fault) = try await call(answer).outcome else { return nil }
        return fault
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func `sends only what it is told, and host and length`() async throws {
        #expect(try await call(Self.ok).sent == "GET /a/../b?c HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        let posted = try await call(Self.ok, method: "POST", headers: [("X-Empty", ""), ("Accept", "*/*")], body: "{}")
        #expect(
            posted.sent
                == "POST /a/../b?c HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Empty:\r\nAccept: */*\r\nContent-Length: 2\r\n\r\n{}"
        )
        let empty = try await call(Self.ok, method: "POST").sent
        #expect(empty == "POST /a/../b?c HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
    }

    @Test(arguments: [
        ("X-Test", "a\r\nX-Other: b"), ("X-Test", "a\nb"), ("X Test", "a"), ("", "a"), ("X-Test:", "a"),
    ])
    func `sends no header that is more than one`(name: String, value: String) async throws {
        let call = try await call(Self.ok, headers: [(name, value)])
        #expect(call.sent.isEmpty)
        #expect(throws: OutboundFault.failed(reason: "a header has a wrong form")) { try call.outcome.get() }
    }

    @Test(arguments: ["Host", "content-length", "Transfer-Encoding"])
    func `writes the headers of the connection itself`(name: String) async throws {
        let call = try await call(Self.ok, headers: [(name, "1")])
        #expect(call.sent.isEmpty)
        #expect(throws: OutboundFault.failed(reason: "a header is the client's own")) { try call.outcome.get() }
    }

    @Test func `takes the last head after those that announce it`() async throws {
        let response = try await call(
            "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 202 Yes\r\nX-Late:  2 \r\nContent-Length: 0\r\n\r\n"
        ).outcome.get()
        #expect(response.status == 202)
        #expect(response.headers.map { "\($0.name)=\($0.value)" } == ["X-Late=2", "Content-Length=0"])
    }

    @Test func `takes chunks, and leaves trailers out`() async throws {
        let response = try await call(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\nX-Trailer: 1\r\n\r\n"
        ).outcome.get()
        #expect(String(decoding: response.body, as: UTF8.self) == "ok!")
        #expect(response.headers.map(\.name) == ["Transfer-Encoding"])
    }

    @Test(arguments: [(1000, nil), (1001, .tooLarge)] as [(Int, OutboundFault?)])
    func `takes a chunked body up to its limit`(bytes: Int, expected: OutboundFault?) async throws {
        let chunks = String(repeating: "1\r\nx\r\n", count: bytes)
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n"
        #expect(try await fault(answer) == expected)
    }

    @Test(arguments: [(64 * 1024, nil), (64 * 1024 + 1, .tooLarge)] as [(Int, OutboundFault?)])
    func `takes heads up to their limit`(bytes: Int, expected: OutboundFault?) async throws {
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
        let fields = bytes - start.utf8.count - 2
        let line = "X-Test: \(String(repeating: "x", count: 90))\r\n"
        let whole = fields / line.utf8.count - 1
        let last = fields - whole * line.utf8.count - "X-Last: \r\n".utf8.count
        let head =
            start + String(repeating: line, count: whole) + "X-Last: \(String(repeating: "y", count: last))\r\n\r\n"
        try #require(head.utf8.count == bytes)
        #expect(try await fault(head) == expected)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", "HTTP/1.1 200 OK\r\nX-Test: 1\r\n and more\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX Test: 1\r\n\r\n", "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Test: a\u{1}b\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n",
    ])
    func `refuses what another reader could understand in another way`(answer: String) async throws {
        #expect(try await fault(answer) == .failed(reason: "the answer is not HTTP"))
    }
}
