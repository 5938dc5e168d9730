import Dispatch
import Locks
import Testing

@testable import HTTPServer

/// Routes about many items.
@Suite struct LongWorkLaneTests {
    @Test func `long work runs beside the loop, which goes on meanwhile`() async throws {
        let goOn = DispatchSemaphore(value: 0)
        let seen = Locked<[Bool]>([])
        let routes = [
            Route(.post, "/many", isLong: true) { request in
                seen.withLock { $0.append(EventLoop.current == nil) }
                await Task.yield()
                goOn.wait()
                seen.withLock { $0.append(EventLoop.current == nil) }
                return Fixture.text(String(decoding: request.body, as: UTF8.self))
            },
            Route(.get, "/one") { _ in
                seen.withLock { $0.append(EventLoop.current != nil) }
                return Fixture.text("one")
            },
        ]
        try await Fixture.withServer(loops: 1, routes: routes) { server, port in
            let (many, one) = (try TestClient(port), try TestClient(port))
            try many.send(Fixture.post("/many", "items"))
            try one.send(Fixture.get("/one"))
            #expect(try one.receive()?.body == "one")
            goOn.signal()
            #expect(try many.receive()?.body == "items")
            #expect(seen.withLock { $0 } == [true, true, true])
            #expect(server.statistics().requestsInFlight == 0)
        }
    }

    @Test func `one whose peer is gone is cancelled there`() async throws {
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let routes = [
            Route(.post, "/many", isLong: true) { _ in
                begun.signal()
                while !Task.isCancelled { await Task.yield() }
                ended.signal()
                return Fixture.text("too late")
            }
        ]
        try await Fixture.withServer(loops: 1, routes: routes) { _, port in
            let client = try TestClient(port)
            try client.send(Fixture.post("/many", "items"))
            begun.wait()
            client.reset()
            ended.wait()
        }
    }
}
