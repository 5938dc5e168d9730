import Dispatch
import Locks
import TestSupport
import Testing

@testable import HTTPServer

/// How connections end: at the end of the server (OPS-01), and when the peer has more to send (HTTP-26).
@Suite struct ServerEndTests {
    @Test func `says close in every answer once the end is announced, and still takes connections`() async throws {
        try await Fixture.withServer { server, address in
            let old = try TestClient(address)
            #expect(try old.exchange(Fixture.get("/hello"))?.headers["connection"] == nil)
            server.announceEnd()
            for loop in server.loops { await loop.catchUp() }
            for client in [old, try TestClient(address)] {
                #expect(try client.exchange(Fixture.get("/hello"))?.headers["connection"] == "close")
                #expect(try client.isAtEnd())
            }
        }
    }

    @Test func `lets a client that was busy just now send its next request, and closes an idle one`() async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.drainGrace = .seconds(1)
        try await Fixture.withServer(limits, loops: 1, manualClock: clock) { server, address in
            let idle = try TestClient(address)
            #expect(try idle.exchange(Fixture.get("/hello"))?.status == 200)
            await Fixture.pass(.seconds(1), clock, server)
            let busy = try TestClient(address)
            let waiting = try TestClient(address)
            for client in [busy, waiting] { #expect(try client.exchange(Fixture.get("/hello"))?.status == 200) }
            let drained = Task(executorPreference: OwnThread()) { await server.drain(within: Fixture.forever) }
            #expect(try idle.isAtEnd())
            let last = try busy.exchange(Fixture.get("/hello"))
            #expect(last?.status == 200)
            #expect(last?.headers["connection"] == "close")
            busy.finishSending()
            await Fixture.pass(.milliseconds(999), clock, server)
            #expect(server.statistics().openConnections == 1)
            await Fixture.pass(.milliseconds(1), clock, server)
            #expect(try waiting.isAtEnd())
            await drained.value
        }
    }

    @Test func `reads past what a refused client goes on sending, so that it can read the answer`() async throws {
        try await Fixture.withServer { _, address in
            let client = try TestClient(address)
            try client.send("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 5000000\r\n\r\n")
            // Fails with a reset when the server closes before it has read all of it.
            try client.send([UInt8](repeating: 0x62, count: 5_000_000))
            #expect(try client.receive()?.status == 413)
            client.finishSending()
            #expect(try client.isReset() == false)
        }
    }

    @Test func `stops reading past it when nothing has come for a while, and in the end whatever comes`() async throws {
        let clock = ManualClock()
        var limits = Fixture.limits
        limits.lingerTimeout = .seconds(2)
        limits.lingerLimit = .seconds(5)
        try await Fixture.withServer(limits, loops: 1, manualClock: clock) { server, address in
            let client = try TestClient(address)
            #expect(
                try client.exchange("POST /echo HTTP/1.1\r\n\(Fixture.host)Content-Length: 5000000\r\n\r\n")?.status
                    == 413)
            for _ in 0..<2 {
                await Fixture.pass(.milliseconds(1_900), clock, server)
                try client.send("more")
            }
            await Fixture.pass(.milliseconds(1_199), clock, server)
            #expect(server.statistics().openConnections == 1)
            await Fixture.pass(.milliseconds(1), clock, server)
            #expect(server.statistics().openConnections == 0)
        }
    }

    @Test func `sends all of an answer to a client that closes its side with input unread`() async throws {
        try await Fixture.withServer(loops: 1) { server, address in
            let client = try TestClient(address, receiveBufferBytes: 4096)
            try client.send(Fixture.get("/large/200", "Connection: close\r\n"))
            // The answer is in the kernel's hands, and the server's side is shut.
            while server.statistics().loops[0].responses == 0 { await server.loops[0].catchUp() }
            for _ in 0..<3 { await server.loops[0].catchUp() }
            let isSent = DispatchSemaphore(value: 0)
            server.loops[0].post { isSent.wait() }
            // Both arrive before the server looks again: unread input, and the end.
            try client.send("unread")
            client.finishSending()
            isSent.signal()
            #expect(try client.receive()?.body.utf8.count == 200 * 1024)
            #expect(try client.isReset() == false)
        }
    }

    @Test func `answers every request that arrived before a client closed its side, however large the answers`()
        async throws
    {
        try await Fixture.withServer(loops: 1) { _, address in
            let client = try TestClient(address, receiveBufferBytes: 4096)
            try client.send(String(repeating: Fixture.get("/large/100"), count: 20))
            client.finishSending()
            for _ in 0..<20 { #expect(try client.receive()?.body.utf8.count == 100 * 1024) }
            #expect(try client.isReset() == false)
        }
    }

    @Test func `counts no connections by address for peers that are exempt`() async throws {
        var limits = Fixture.limits
        limits.maxConnectionsPerAddress = 1
        for isExempt in [false, true] {
            try await Fixture.withServer(limits, isExempt: { _ in isExempt }) { server, address in
                let clients = try (0..<3).map { _ in try TestClient(address) }
                let statuses = try clients.map { try $0.exchange(Fixture.get("/hello"))?.status }
                #expect(statuses == (isExempt ? [200, 200, 200] : [200, 503, 503]))
                #expect(server.statistics().refused.overAddress == (isExempt ? 0 : 2))
            }
        }
    }
}
