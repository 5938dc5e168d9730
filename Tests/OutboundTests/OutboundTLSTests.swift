@testable import Outbound
import Testing

/// Offers in the first message of a TLS handshake (RFC 8446 section 4.1.2), as a listener sees it.
@Suite(.timeLimit(.minutes(60))) struct OutboundTLSTests {
    /// A call to a server that answers no TLS: the ClientHello, and what the caller is told.
    private func call() async throws -> (hello: [UInt8], fault: OutboundFault?) {
        let server = try PlainServer(answering: "this is no TLS\r\n")
        let client = Fixture.client()
        var fault: OutboundFault?
        do throws(OutboundFault) {
            _ = try await client.send(
                OutboundRequest(
                    method: "GET", url: "https://127.0.0.1:\(server.port)/", timeout: .seconds(600),
                    maxResponseBytes: 1000))
        } catch { fault = error }
        await client.shutdown()
        return (server.firstBytes, fault)
    }

    @Test func `tells a server without TLS in words`() async throws {
        #expect(try await call().fault == .failed(reason: "TLS was not agreed on"))
    }

    private struct Offer {
        var versions: [Int] = []
        var suites: [Int] = []

        /// Record header (5 bytes), handshake header (4), legacy version (2), random (32), session id, suites,
        /// compression methods, extensions.
        init(_ bytes: [UInt8]) throws {
            var reader = bytes[...].dropFirst(5 + 4 + 2 + 32)
            func number(_ count: Int) throws -> Int {
                try #require(reader.count >= count)
                defer { reader = reader.dropFirst(count) }
                return reader.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            }
            func skip(_ count: Int) throws {
                try #require(reader.count >= count)
                reader = reader.dropFirst(count)
            }
            func numbers(_ lengthBytes: Int) throws -> [Int] {
                let length = try number(lengthBytes)
                return try (0..<length / 2).map { _ in try number(2) }
            }
            try skip(try number(1))
            suites = try numbers(2)
            try skip(try number(1))
            _ = try number(2)
            while reader.count >= 4 {
                let (type, length) = (try number(2), try number(2))
                guard type == 43 else {
                    try skip(length)
                    continue
                }
                versions = try numbers(1)
            }
        }
    }

    /// RFC 8701: values that mean nothing.
    private func isGrease(_ value: Int) -> Bool { value & 0x0F0F == 0x0A0A }

    @Test func `offers TLS 1.2 and 1.3 only`() async throws {
        let offer = try Offer(try await call().hello)
        #expect(offer.versions.filter { !isGrease($0) }.sorted() == [0x0303, 0x0304])
    }

    @Test func `offers forward secrecy and authenticated encryption only`() async throws {
        let suites = try Offer(try await call().hello).suites.filter { !isGrease($0) }
        // Three of TLS 1.3, then ECDHE with AES-GCM and ChaCha20-Poly1305; 0x00FF only says that renegotiation is safe.
        let good: Set = [0x1301, 0x1302, 0x1303, 0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0x00FF]
        #expect(suites.count >= 9)
        #expect(Set(suites).subtracting(good).isEmpty)
    }
}
