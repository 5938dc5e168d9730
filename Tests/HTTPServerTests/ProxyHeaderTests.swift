import TestSupport
import Testing
import Text

@testable import HTTPServer

/// Headers of the PROXY protocol, versions 1 and 2.
@Suite struct ProxyHeaderTests {
    static let start2: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    static func version2(command: UInt8 = 1, family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return start2 + [0x20 | command, family, UInt8(length >> 8), UInt8(length & 255)] + rest
    }

    static let ipv4: [UInt8] = [198, 51, 100, 1, 203, 0, 113, 9, 0x15, 0xB3, 0x01, 0xBB]
    static let ipv6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1] + [UInt8](repeating: 2, count: 16)
        + [0, 1, 0, 2]

    struct Case: Sendable {
        let bytes: [UInt8]
        let client: String?

        init(_ text: String, _ client: String?) { self.init(Array(text.utf8), client) }
        init(_ bytes: [UInt8], _ client: String?) { (self.bytes, self.client) = (bytes, client) }
    }

    static let good: [Case] = [
        Case("PROXY TCP4 198.51.100.1 203.0.113.9 5555 443\r\n", "198.51.100.1"),
        Case("PROXY TCP6 2001:db8::1 2001:db8::2 5555 443\r\n", "2001:db8::1"), Case("PROXY UNKNOWN\r\n", nil),
        Case("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", nil), Case(version2(family: 0x11, ipv4), "198.51.100.1"),
        Case(version2(family: 0x21, ipv6), "2001:db8::1"), Case(version2(command: 0, family: 0, []), nil),
        Case(version2(command: 0, family: 0x11, ipv4), nil), Case(version2(family: 0x00, [1, 2, 3]), nil),
        // With more behind the addresses (TLV).
        Case(version2(family: 0x11, ipv4 + [0x04, 0, 2, 9, 9]), "198.51.100.1"),
    ]

    @Test(arguments: good)
    func `reads a header whole, and every part of it as one that goes on`(header: Case) {
        let whole = ProxyHeader.whole(bytes: header.bytes.count, client: header.client.map { IPAddress($0)! })
        #expect(ProxyHeader.read(header.bytes) == whole)
        #expect(ProxyHeader.read(header.bytes + Array("GET / HTTP/1.1\r\n".utf8)) == whole)
        for count in 0..<header.bytes.count {
            #expect(ProxyHeader.read(Array(header.bytes.prefix(count))) == .partial)
        }
    }

    @Test(arguments: [
        Case("GET / HTTP/1.1\r\n", nil), Case("PROXY\r\n", nil), Case("PROXY TCP4\r\n", nil),
        Case("PROXY TCP4 198.51.100.1 203.0.113.9 5555 443\n", nil),
        Case("PROXY TCP4 198.51.100.1 203.0.113.9 5555\r\n", nil),
        Case("PROXY TCP4 198.51.100.1 203.0.113.9 5555 443 1\r\n", nil),
        Case("PROXY TCP4 198.51.100.1  203.0.113.9 5555 443\r\n", nil),
        Case("PROXY TCP4 2001:db8::1 2001:db8::2 5555 443\r\n", nil),
        Case("PROXY TCP6 198.51.100.1 203.0.113.9 5555 443\r\n", nil),
        Case("PROXY TCP4 198.51.100.1 2001:db8::2 5555 443\r\n", nil),
        Case("PROXY TCP4 a.example 203.0.113.9 5555 443\r\n", nil),
        Case("PROXY TCP4 198.51.100.1 203.0.113.9 65536 443\r\n", nil),
        Case("PROXY TCP4 198.51.100.1 203.0.113.9 -1 443\r\n", nil), Case("proxy unknown\r\n", nil),
        Case("PROXY UNKNOWN" + String(repeating: "x", count: 200) + "\r\n", nil),
        Case(version2(family: 0x11, [1, 2, 3]), nil), Case(version2(family: 0x21, ipv4), nil),
        Case(version2(family: 0x12, ipv4), nil), Case(version2(command: 2, family: 0x11, ipv4), nil),
        Case(start2 + [0x11, 0x11, 0, 12] + ipv4, nil), Case(version2(family: 0x11, ipv4, length: 65_535), nil),
    ])
    func `refuses anything else`(header: Case) {
        #expect(ProxyHeader.read(header.bytes) == .malformed)
    }
}

@Suite struct ProxiedConnectionTests {
    private static let peerRoute = Route.immediate(.get, "/peer") { Fixture.text($0.peer.text) }

    private static func withServer(
        _ limits: Limits = Fixture.limits, over transport: TestTransport = .plain, clock: ManualClock? = nil,
        _ body: (Server, BoundAddress) async throws -> Void
    ) async throws {
        try await Fixture.withServer(
            limits, loops: 1, routes: [peerRoute], over: transport, manualClock: clock, isExempt: { $0.isLoopback },
            sendsProxyHeader: { $0.isLoopback }, body)
    }

    private static let header = "PROXY TCP4 198.51.100.1 203.0.113.9 5555 443\r\n"

    @Test(arguments: ProxyHeaderTests.good)
    func `the header's client is who calls`(header: ProxyHeaderTests.Case) async throws {
        try await Self.withServer { _, address in
            let client = try TestClient(address)
            try client.sendRaw(header.bytes + Array(Fixture.get("/peer").utf8))
            for _ in 0..<2 {
                #expect(try client.receive()?.body == header.client ?? "127.0.0.1")
                try client.send(Fixture.get("/peer"))
            }
        }
    }

    @Test func `a header may come byte by byte, and before a handshake`() async throws {
        try await Self.withServer(over: .tls) { server, address in
            let client = try TestClient(address, over: .tls)
            for byte in Self.header.utf8 {
                try client.sendRaw([byte])
                await server.loops[0].catchUp()
            }
            #expect(try client.exchange(Fixture.get("/peer"))?.body == "198.51.100.1")
        }
    }

    @Test func `closes what does not begin with one, and counts it`() async throws {
        try await Self.withServer { server, address in
            let client = try TestClient(address)
            try client.sendRaw(Array(Fixture.get("/peer").utf8))
            _ = try? client.isAtEnd()
            await server.loops[0].catchUp()
            #expect(server.statistics().refused == Statistics.Refused(withoutProxyHeader: 1))
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `closes one whose header does not come`() async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.headerTimeout = .seconds(10)
        try await Self.withServer(limits, clock: clock) { server, address in
            let client = try TestClient(address)
            try client.sendRaw(Array("PROXY TCP4 ".utf8))
            await Fixture.pass(.milliseconds(9_999), clock, server)
            #expect(server.statistics().openConnections == 1)
            await Fixture.pass(.milliseconds(1), clock, server)
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `connections count by the client's address`() async throws {
        var limits = Fixture.limits
        limits.maxConnectionsPerAddress = 1
        try await Self.withServer(limits) { server, address in
            let clients = try (0..<3).map { _ in try TestClient(address) }
            for client in clients[..<2] { try client.sendRaw(Array((Self.header + Fixture.get("/peer")).utf8)) }
            let other = Self.header.replacing("100.1 ", with: "100.2 ")
            try clients[2].sendRaw(Array((other + Fixture.get("/peer")).utf8))
            #expect(try clients[2].receive()?.body == "198.51.100.2")
            #expect(server.statistics().openConnections == 2)
            #expect(server.statistics().refused == Statistics.Refused(overAddress: 1))
        }
    }

    @Test func `the end of the server does not wait for a header`() async throws {
        try await Self.withServer { server, address in
            let client = try TestClient(address)
            try client.sendRaw(Array("PROXY ".utf8))
            await server.drain(within: Fixture.forever)
            #expect(server.statistics().openConnections == 0)
        }
    }
}
