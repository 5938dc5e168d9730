import Locks
import Text
import Testing

@testable import HTTPServer

/// Requests that are refused under overload, and requests that are not.
@Suite struct SheddingTests {
    private let storeWait = Locked<UInt64>(0)
    private let workload = Workload()

    private func shedding() -> Shedding {
        Shedding(storeWait: { [storeWait] _ in storeWait.withLock { $0 } }, workload: workload)
    }

    /// The stage that refused; `nil`: it was admitted.
    private func stage(
        _ shedding: inout Shedding, _ demand: Demand, loop: UInt64 = 0, store: UInt64 = 0, isStanding: Bool = false,
        from place: Int? = 1
    ) -> SheddingStage? {
        storeWait.withLock { $0 = store * 1_000_000 }
        let decision = shedding.decide(demand, loopWait: loop * 1_000_000, isStanding: isStanding) { place }
        switch decision {
        case .admitted: return nil
        case .refused(let stage): return stage
        }
    }

    @Test func `what begins something is refused before what goes on`() {
        var shedding = shedding()
        for wait in [0, 500] as [UInt64] {
            #expect(stage(&shedding, .begins, loop: wait) == nil)
            #expect(stage(&shedding, .begins, store: wait) == nil)
        }
        #expect(stage(&shedding, .begins, loop: 501) == .loopWait)
        #expect(stage(&shedding, .begins, store: 501) == .storeWait)
        for demand in [Demand.changes, .reads] {
            #expect(stage(&shedding, demand, loop: 800) == nil)
            #expect(stage(&shedding, demand, loop: 801) == .loopWait)
        }
        #expect(stage(&shedding, .changes, store: 800) == nil)
        #expect(stage(&shedding, .changes, store: 801) == .storeWait)
        #expect(workload.refused(.loopWait) == 3 && workload.refused(.storeWait) == 2)
    }

    @Test func `what only reads does not ask for the store`() {
        var shedding = shedding()
        #expect(stage(&shedding, .reads, store: 60_000) == nil)
    }

    @Test func `a loop that stays behind takes less than in a burst`() {
        var shedding = shedding()
        #expect(stage(&shedding, .begins, loop: 100, isStanding: true) == nil)
        #expect(stage(&shedding, .begins, loop: 101, isStanding: true) == .loopWait)
        #expect(stage(&shedding, .changes, loop: 200, isStanding: true) == nil)
        #expect(stage(&shedding, .changes, loop: 201, isStanding: true) == .loopWait)
    }

    @Test func `under pressure the one who floods is refused, and the others are not`() throws {
        var shedding = shedding()
        for _ in 0..<100 { shedding.begin(Shedding.Admitted(demand: .begins, place: 1)) }
        for place in 2..<12 { shedding.begin(Shedding.Admitted(demand: .begins, place: place)) }
        #expect(stage(&shedding, .begins, loop: 125, from: 1) == nil, "there is no pressure yet")
        #expect(stage(&shedding, .begins, loop: 126, from: 1) == .fairShare)
        #expect(stage(&shedding, .begins, store: 126, from: 1) == .fairShare)
        #expect(stage(&shedding, .begins, loop: 126, from: 2) == nil)
        #expect(stage(&shedding, .begins, loop: 126, from: 500) == nil)
        // 110 at work for 11 callers: twice an equal share is 20.
        for _ in 0..<90 { shedding.end(Shedding.Admitted(demand: .begins, place: 1)) }
        #expect(stage(&shedding, .begins, loop: 126, from: 1) == .fairShare)
        for _ in 0..<3 { shedding.end(Shedding.Admitted(demand: .begins, place: 1)) }
        #expect(stage(&shedding, .begins, loop: 126, from: 1) == nil, "seven at work are never too many")
    }

    @Test func `one caller alone may have everything`() {
        var shedding = shedding()
        for _ in 0..<1000 { shedding.begin(Shedding.Admitted(demand: .begins, place: 7)) }
        #expect(stage(&shedding, .begins, loop: 499, from: 7) == nil)
    }

    @Test func `changes at work are counted, reads are not`() {
        var shedding = shedding()
        for demand in [Demand.reads, .changes, .begins] { shedding.begin(Shedding.Admitted(demand: demand)) }
        #expect(workload.changesAtWork == 2)
        for demand in [Demand.reads, .changes, .begins] {
            shedding.end(Shedding.Admitted(demand: demand))
        }
        #expect(workload.changesAtWork == 0)
    }

    @Test func `who only reads, or cannot be told from others, has no share`() {
        var shedding = shedding()
        for _ in 0..<100 { shedding.begin(Shedding.Admitted(demand: .begins, place: 1)) }
        shedding.begin(Shedding.Admitted(demand: .begins, place: 2))
        #expect(stage(&shedding, .begins, loop: 126, from: 1) == .fairShare)
        #expect(stage(&shedding, .begins, loop: 126, from: nil) == nil)
        #expect(stage(&shedding, .reads, loop: 300, from: 1) == nil)
    }
}

/// Overload through sockets.
@Suite struct OverloadedServerTests {
    @Test func `what cannot be stored in time is refused from its head, and the connection goes on`() async throws {
        let wait = Locked<UInt64>(0)
        let begun = Locked(0)
        let routes = [
            Route(
                .post, "/new", demand: .begins,
                permit: { response, headers in
                    var response = response
                    if let origin = headers["origin"] {
                        response.headers.append(("Access-Control-Allow-Origin", origin))
                    }
                    return response
                }
            ) { request in
                begun.withLock { $0 += 1 }
                return Fixture.text(String(decoding: request.body, as: UTF8.self))
            },
            Route(.post, "/on", demand: .changes) { _ in Fixture.text("on") },
            Route(.post, "/probe", demand: .begins) { _ in Fixture.text("probe") }.always,
        ]
        var limits = Fixture.limits
        limits.shedsLoad = true
        // Time stands still, so that nothing waits for its loop.
        try await Fixture.withServer(
            limits, routes: routes, manualClock: ManualClock(), storeWait: { _ in wait.withLock { $0 } },
            failurePage: { $1.count("accept") > 0 ? Fixture.text("page", status: $0.status) : nil }
        ) { server, port in
            let client = try TestClient(port)
            try client.send(Fixture.post("/new", "a"))
            #expect(try client.receive()?.status == 200)
            wait.withLock { $0 = 600_000_000 }
            // The body is still to come: the refusal does not wait for it.
            try client.send("POST /new HTTP/1.1\r\n\(Fixture.host)Content-Length: 3\r\n\r\n")
            let refused = try #require(try client.receive())
            #expect(refused.status == 503)
            var retryAfter = [refused.headers["retry-after"] ?? ""]
            try client.send("abc" + Fixture.post("/on", "b"))
            #expect(try client.receive()?.status == 200)
            wait.withLock { $0 = 900_000_000 }
            try client.send(Fixture.post("/on", "b") + Fixture.post("/probe", "c") + Fixture.get("/none"))
            let alsoRefused = try #require(try client.receive())
            #expect(alsoRefused.status == 503)
            retryAfter.append(alsoRefused.headers["retry-after"] ?? "")
            #expect(Set(retryAfter).count == 2 && Set(retryAfter).isSubset(of: ["1", "2", "3"]), "not all at once")
            #expect(try client.receive()?.status == 200)
            #expect(try client.receive()?.status == 404)
            try client.send(Fixture.post("/new", "c", "Accept: text/html\r\n"))
            let page = try #require(try client.receive())
            #expect(page.status == 503 && page.body == "page" && page.headers["retry-after"] != nil)
            try client.send(Fixture.post("/new", "c", "Origin: https://shop.example\r\n"))
            let readable = try #require(try client.receive())
            #expect(readable.status == 503 && readable.headers["retry-after"] != nil)
            #expect(readable.headers["access-control-allow-origin"] == "https://shop.example")
            wait.withLock { $0 = 0 }
            try client.send(Fixture.post("/new", "d"))
            #expect(try client.receive()?.status == 200)
            #expect(begun.withLock { $0 } == 2)
            #expect(server.statistics().shed[.storeWait] == 4)
            #expect(server.statistics().requestsInFlight == 0)
        }
    }
}
