import Glibc
import HTTPServer
import Testing

@testable import Wiring

/// The listener for operators (OPS-03, contract sections 5 and 9).
@Suite struct OperationsListenerTests {
    let directory = ServerFixture.freshDirectory()

    private func live(_ server: String = "") throws -> Configuration {
        try ConfigurationTests.read(
            """
            {"mode":"live","server":{"host":"127.0.0.1","port":0,"loops":1,"publicUrl":"https://a.example",
             "operationsPort":0\(server)},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"}}
            """)
    }

    private func operationsPort(_ server: Assembly) throws -> UInt16 {
        UInt16(try #require(server.boundOperationsAddress?.port))
    }

    /// A connection that says nothing. Connections are taken in the order in which they came.
    private static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        withUnsafeBytes(of: &address) { bytes in
            _ = Glibc.connect(
                descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        return descriptor
    }

    /// 204 where there is such a path, else 404. The docs take seconds to make in a debug build, so nobody reads them.
    private func statuses(_ port: UInt16, _ paths: [String]) throws -> [Int] {
        try paths.map { try ServerFixture.call(port, "OPTIONS", $0).status }
    }

    @Test func `has metrics and docs in live, and leaves probes and keys on the public one`() async throws {
        try await ServerFixture.withServer(try live()) { server, port in
            let hidden = ["/metrics", "/docs", "/openapi.json"]
            let probes = ["/healthz", "/readyz", "/.well-known/jwks.json"]
            #expect(try statuses(port, hidden) == [404, 404, 404])
            #expect(try statuses(port, probes) == [204, 204, 204])
            let operators = try operationsPort(server)
            #expect(try statuses(operators, hidden + probes) == [204, 204, 204, 204, 204, 204])
            #expect(try statuses(operators, ["/l/x", "/control/clients"]) == [404, 404])
            #expect(try ServerFixture.call(operators, "POST", "/token").status == 404)
        }
    }

    @Test func `puts them on the public one as well when asked`() async throws {
        try await ServerFixture.withServer(try live(#","publicMetrics":true,"publicDocs":true"#)) { _, port in
            let found = try statuses(port, ["/metrics", "/docs", "/openapi.json"])
            #expect(found == [204, 204, 204])
        }
    }

    @Test func `answers when the public one has as many connections as it may`() async throws {
        try await ServerFixture.withServer(try live(#","maxConnections":1"#)) { server, port in
            let held = Self.connect(port)
            defer { close(held) }
            #expect(try ServerFixture.call(port, "POST", "/token").status == 503)
            for path in ["/healthz", "/readyz"] {
                #expect(try ServerFixture.call(port, "GET", path).status == 200)
            }
            let operators = try operationsPort(server)
            for path in ["/healthz", "/readyz", "/metrics"] {
                #expect(try ServerFixture.call(operators, "GET", path).status == 200)
            }
        }
    }
}
