import HTTPServer
import Locks
import StrictJSON
import TestSupport
import Testing

@testable import Engine
@testable import Possession
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Deliveries by a scripted sender and a clock that the test moves.
@Suite struct WebhookCourierTests {
    /// A world whose sandbox client has endpoints, and what went where.
    private final class Post: Sendable {
        let world: World
        let courier: WebhookCourier
        let sent = Locked<[(endpoint: WebhookEndpointID, event: WebhookEvent, at: Timestamp)]>([])
        let notes = Locked<[String]>([])
        private let answers = Locked<[WebhookEndpointID: WebhookAttempt]>([:])
        /// How long an attempt at an endpoint takes; none where nothing is said.
        let times = Locked<[WebhookEndpointID: Duration]>([:])

        init() async throws {
            let world = try await World()
            let (sent, answers, times, notes) = (sent, answers, times, notes)
            self.world = world
            courier = WebhookCourier(
                store: world.store, tenants: world.store, now: { world.clock.now() },
                randomBytes: world.engine.crypto.randomBytes,
                send: { job in
                    job.delivery.event.news.expectDescribed()
                    sent.withLock { $0.append((job.endpoint.id, job.delivery.event, world.clock.now())) }
                    let took = times.withLock { $0[job.endpoint.id] } ?? .zero
                    return (answers.withLock { $0[job.endpoint.id] } ?? .taken(200), took)
                },
                note: { note in
                    switch note {
                    case .attempted(let type, let state, _): notes.withLock { $0.append("\(type.rawValue) \(state)") }
                    case .disabled(let endpoint): notes.withLock { $0.append("disabled \(endpoint.id.name)") }
                    case .dropped(_, let counts):
                        let types = counts.map { "\($0.rawValue) \($1)" }.sorted().joined(separator: ", ")
                        notes.withLock { $0.append("dropped " + types) }
                    case .removed(let client, let count):
                        notes.withLock { $0.append("removed \(client.text) \(count)") }
                    case .unreadable, .fault: notes.withLock { $0.append("fault") }
                    }
                })
        }

        func add(_ more: String = "", types: String = #"["*"]"#) async throws -> WebhookEndpointID {
            let answer = await world.post("/v1/webhooks", #"{"url":"https://a.example/h","types":\#(types)\#(more)}"#)
            return try #require(WebhookEndpointID(name: answer.json["id"]?.string ?? ""), "\(answer.text)")
        }

        func answer(_ attempt: WebhookAttempt?, at endpoint: WebhookEndpointID) {
            answers.withLock { $0[endpoint] = attempt }
        }

        /// Makes every attempt that is due now.
        func carry() async {
            await courier.checkAllEndpoints()
            while true {
                let jobs = await courier.take()
                if jobs.isEmpty { return }
                await withTaskGroup { group in
                    for job in jobs { group.addTask { await self.courier.carry(job) } }
                }
            }
        }

        func types(at endpoint: WebhookEndpointID) -> [String] {
            sent.withLock { $0.filter { $0.endpoint == endpoint }.map(\.event.news.type.rawValue) }
        }
    }

    private static let mobile = #"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-1"}"#

    @Test func `tells a session's story in order, once`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(#","ordering":"session""#)
        await post.world.prove(await post.world.start(Self.mobile))
        await post.carry()
        #expect(
            post.types(at: endpoint) == [
                "session.created", "session.redeemed", "message.sent", "session.succeeded",
            ])
        #expect(post.sent.withLock { $0.compactMap(\.event.sequence) } == [1, 2, 3, 4])
        await post.carry()
        #expect(post.sent.withLock { $0.count } == 4)
    }

    @Test func `makes eleven attempts under one id, and gives up`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["session.created"]"#)
        post.answer(WebhookAttempt(status: 500, failure: .status), at: endpoint)
        _ = await post.world.start(Self.mobile)
        for _ in 0..<40 {
            await post.carry()
            _ = post.world.clock.advance(seconds: 4 * 3600)
        }
        let sent = post.sent.withLock { $0 }
        #expect(sent.count == 11 && Set(sent.map(\.event.id)).count == 1)
        #expect(post.notes.withLock { $0.last } == "session.created failed")
        let failed = try await post.world.store.webhookDeliveries(at: endpoint, of: nil, in: .failed, limit: 9)
        #expect(failed.count == 1 && failed[0].attempts == 11 && failed[0].lastStatus == 500)
    }

    @Test func `waits between two attempts as long as is planned`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["session.created"]"#)
        post.answer(WebhookAttempt(status: 503, failure: .status, wish: .seconds(3600)), at: endpoint)
        _ = await post.world.start(Self.mobile)
        await post.carry()
        _ = post.world.clock.advance(seconds: 9)
        await post.carry()
        // The receiver's hour is clamped to twice the five seconds.
        #expect(post.sent.withLock { $0.count } == 1)
        _ = post.world.clock.advance(seconds: 1)
        await post.carry()
        #expect(post.sent.withLock { $0.count } == 2)
    }

    @Test func `a dead endpoint with ten thousand events keeps no other waiting`() async throws {
        let post = try await Post()
        let (dead, other) = (try await post.add(), try await post.add(types: #"["session.created"]"#))
        post.answer(WebhookAttempt(status: nil, failure: .timeout), at: dead)
        let now = post.world.clock.now()
        let client = try #require(ClientID("sandbox"))
        try await post.world.store.addEvents(
            (0..<10_000).map { number in
                let news = WebhookNews(.sessionFailed, at: now)
                let id = WebhookEventID(at: now, random: UInt128(number))
                return NewWebhookEvent(WebhookEvent(id: id, clientID: client, news: news), to: [dead])
            })
        _ = await post.world.start(Self.mobile)
        await post.courier.checkAllEndpoints()
        let jobs = await post.courier.take()
        #expect(jobs.contains { $0.endpoint.id == other }, "its first attempt begins in the first round")
        #expect(jobs.count { $0.endpoint.id == dead } <= 8)
        // Even while none of the dead one's attempts ends.
        for job in jobs where job.endpoint.id == other { await post.courier.carry(job) }
        _ = await post.world.start(Self.mobile)
        await post.courier.expect([dead, other])
        let more = await post.courier.take()
        #expect(more.allSatisfy { $0.endpoint.id == other } && more.count == 1)
        // One that fails gets fewer at a time.
        for job in jobs where job.endpoint.id == dead { await post.courier.carry(job) }
        #expect(await post.courier.take().count { $0.endpoint.id == dead } == 2)
    }

    /// Endpoints of an API client, and for each ten events that wait.
    private func flooded(
        _ client: String, _ post: Post, endpoints count: Int = WebhookRules.mostEndpoints
    ) async throws -> [WebhookEndpointID] {
        let (id, now) = (try #require(ClientID(client)), post.world.clock.now())
        var endpoints: [WebhookEndpointID] = []
        for number in 0..<count {
            let endpoint = WebhookEndpoint(
                id: WebhookEndpointID(
                    at: now, random: UInt128(client.utf8.reduce(0) { $0 &* 31 &+ Int($1) } * 100 + number)),
                clientID: id, url: "https://\(client).example/\(number)", filter: try WebhookFilter(["*"]),
                keys: .init(secret: [1], seed: nil), createdAt: now)
            #expect(try await post.world.store.add(endpoint, most: WebhookRules.mostEndpoints))
            endpoints.append(endpoint.id)
            try await post.world.store.addEvents(
                (0..<10).map { event in
                    let news = WebhookNews(.sessionFailed, at: now)
                    let id = WebhookEventID(at: now, random: UInt128(endpoint.id.low) << 8 | UInt128(event))
                    return NewWebhookEvent(
                        WebhookEvent(id: id, clientID: endpoint.clientID, news: news), to: [endpoint.id])
                })
        }
        return endpoints
    }

    /// API clients beside those of the world.
    private func clients(_ count: Int, _ post: Post) async throws -> [String] {
        var names: [String] = []
        for number in 0..<count {
            let name = "crowd-\(number)"
            try await post.world.store.add(
                Tenant(
                    id: try #require(ClientID(name)), rules: TenantRules(), secretDigests: [],
                    createdAt: post.world.clock.now()))
            names.append(name)
        }
        return names
    }

    @Test func `four clients with ten slow endpoints each do not delay the ping of a fifth`() async throws {
        let post = try await Post()
        for client in try await clients(4, post) { _ = try await flooded(client, post) }
        await post.courier.checkAllEndpoints()
        // None of these ends, as if every receiver took its time.
        let jobs = await post.courier.take()
        let byClient = Dictionary(grouping: jobs, by: \.endpoint.clientID).mapValues(\.count)
        #expect(byClient.count == 4 && byClient.values.allSatisfy { $0 == WebhookRules.inFlightOfClient })
        let endpoint = try await post.add(types: #"["session.created"]"#)
        _ = await post.world.call(.post, "/v1/webhooks/\(endpoint.name)/test")
        await post.courier.expect([endpoint])
        #expect(await post.courier.take().map(\.delivery.event.news.type) == [.ping], "in the next round")
    }

    @Test func `an endpoint that waits for its client's share gets the place that comes free`() async throws {
        let post = try await Post()
        let client = try await clients(1, post)[0]
        let endpoints = try await flooded(client, post)
        await post.courier.checkAllEndpoints()
        var jobs = await post.courier.take()
        #expect(jobs.count == WebhookRules.inFlightOfClient)
        #expect(await post.courier.take().isEmpty, "and nobody asks the store about the others meanwhile")
        var done = 0
        while let job = jobs.popLast() {
            await post.courier.carry(job)
            done += 1
            let more = await post.courier.take()
            #expect(more.count <= 1)
            jobs.insert(contentsOf: more, at: 0)
        }
        #expect(done == 100)
        #expect(endpoints.allSatisfy { post.types(at: $0).count == 10 })
    }

    @Test func `slow answers count as failures do, until one is quick`() async throws {
        let post = try await Post()
        let slow = try await flooded(try await clients(1, post)[0], post, endpoints: 1)[0]
        post.times.withLock { $0[slow] = WebhookRules.slowAttempt }
        await post.courier.checkAllEndpoints()
        let jobs = await post.courier.take().filter { $0.endpoint.id == slow }
        #expect(jobs.count == WebhookRules.inFlight)
        for job in jobs.prefix(2) { await post.courier.carry(job) }
        #expect(await post.courier.take().count { $0.endpoint.id == slow } == 2, "twice is not yet slow")
        for job in jobs.dropFirst(2) { await post.courier.carry(job) }
        // The two that were taken last are under way: one that is slow has no more.
        await post.courier.expect([slow])
        #expect(await post.courier.take().allSatisfy { $0.endpoint.id != slow })
        #expect(try await post.world.store.webhookEndpoint(slow)?.failures == 0, "it has failed in nothing")
    }

    @Test func `a quick answer ends the slowness of an endpoint`() async throws {
        let post = try await Post()
        let endpoint = try await flooded(try await clients(1, post)[0], post, endpoints: 1)[0]
        await post.courier.checkAllEndpoints()
        let jobs = await post.courier.take().filter { $0.endpoint.id == endpoint }
        post.times.withLock { $0[endpoint] = .seconds(9) }
        for job in jobs.dropLast() { await post.courier.carry(job) }
        post.times.withLock { $0[endpoint] = WebhookRules.slowAttempt - .milliseconds(1) }
        for job in jobs.suffix(1) { await post.courier.carry(job) }
        #expect(await post.courier.take().count { $0.endpoint.id == endpoint } == 2, "all that are left of ten")
    }

    @Test func `disables an endpoint that takes nothing for five days, and tells the others`() async throws {
        let post = try await Post()
        let (dead, other) = (try await post.add(), try await post.add(types: #"["session.failed"]"#))
        post.answer(WebhookAttempt(status: 500, failure: .status), at: dead)
        for _ in 0..<30 {
            _ = await post.world.start(Self.mobile)
            await post.carry()
            _ = post.world.clock.advance(seconds: 5 * 3600)
        }
        let stored = try #require(try await post.world.store.webhookEndpoint(dead))
        #expect(stored.stop == .failing && stored.failures >= 10)
        #expect(post.notes.withLock { $0.count { $0.hasPrefix("disabled") } } == 1)
        #expect(post.types(at: other) == ["endpoint.disabled"])
        let told = post.sent.withLock { $0.last { $0.endpoint == other }?.event.news.facts }
        #expect(told?.first?.value == .text(dead.name))
        // Enabled, it begins with a ping, and gets what waited.
        post.answer(nil, at: dead)
        let before = post.types(at: dead).count
        let answer = await post.world.call(.post, "/v1/webhooks/\(dead.name)/enable")
        #expect(answer.status == 200 && answer.json["active"] == .bool(true))
        await post.carry()
        #expect(post.types(at: dead).dropFirst(before).contains("ping"))
    }

    @Test func `a 410 ends an endpoint, and an abort ends an event only`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["session.created"]"#)
        post.answer(WebhookAttempt(status: 500, failure: .aborted), at: endpoint)
        _ = await post.world.start(Self.mobile)
        await post.carry()
        #expect(try await post.world.store.webhookEndpoint(endpoint)?.isActive == true)
        post.answer(WebhookAttempt(status: 410, failure: .status), at: endpoint)
        _ = await post.world.start(Self.mobile)
        await post.carry()
        #expect(try await post.world.store.webhookEndpoint(endpoint)?.stop == .gone)
        let states = try await post.world.store.webhookDeliveries(at: endpoint, of: nil, in: nil, limit: 9)
        #expect(states.map(\.state) == [.failed, .failed])
    }

    @Test func `sends nothing for a tenant that is revoked`() async throws {
        let post = try await Post()
        let endpoint = try await post.add()
        _ = await post.world.start(Self.mobile)
        _ = try await post.world.store.revokeTenant(try #require(ClientID("sandbox")), at: post.world.clock.now())
        await post.carry()
        #expect(post.types(at: endpoint).isEmpty)
    }

    @Test func `a fault of the store repeats the attempt under the same id`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["session.created"]"#)
        _ = await post.world.start(Self.mobile)
        await post.courier.checkAllEndpoints()
        let jobs = await post.courier.take()
        post.world.store.fail(with: .overloaded)
        for job in jobs { await post.courier.carry(job) }
        post.world.store.fail(with: nil)
        #expect(await post.courier.take().isEmpty, "it is left alone for a while")
        _ = post.world.clock.advance(seconds: 5)
        await post.carry()
        let sent = post.sent.withLock { $0 }
        #expect(sent.count == 2 && sent[0].event.id == sent[1].event.id && sent[0].endpoint == endpoint)
    }

    @Test func `while outcomes cannot be stored, each try comes later`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["session.created"]"#)
        for _ in 0..<3 { _ = await post.world.start(Self.mobile) }
        func tries(in seconds: Int) async -> Int {
            var tries = 0
            for _ in 0..<seconds {
                // Reading goes on, and finds what waits.
                await post.courier.care()
                let jobs = await post.courier.take()
                tries += jobs.isEmpty ? 0 : 1
                post.world.store.fail(with: .overloaded)
                for job in jobs { await post.courier.carry(job) }
                post.world.store.fail(with: nil)
                _ = post.world.clock.advance(seconds: 1)
            }
            return tries
        }
        #expect(await tries(in: 75) == 4, "at 0, 5, 15 and 35 seconds")
        #expect(await tries(in: 600) == 4, "at 75, 155, 315 and 635 seconds: no later than 320 after the last")
        _ = post.world.clock.advance(seconds: 320)
        await post.courier.checkAllEndpoints()
        await post.carry()
        #expect(
            try await post.world.store.webhookDeliveries(at: endpoint, of: nil, in: .delivered, limit: 9).count == 3)
        _ = await post.world.start(Self.mobile)
        await post.carry()
        #expect(
            try await post.world.store.webhookDeliveries(at: endpoint, of: nil, in: .delivered, limit: 9).count == 4)
    }

    @Test func `finds in time what a ring came too early for, or a fault has hidden`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["session.created"]"#)
        // Two looks after the ring, while nothing is stored yet.
        await post.courier.expect([endpoint])
        for _ in 0..<3 {
            #expect(await post.courier.take().isEmpty)
            _ = post.world.clock.advance(seconds: 1)
        }
        _ = await post.world.start(Self.mobile)
        #expect(await post.courier.take().isEmpty, "nobody has said that it is there")
        post.world.store.fail(with: .overloaded)
        await post.courier.care()
        post.world.store.fail(with: nil)
        #expect(await post.courier.take().isEmpty)
        await post.courier.care()
        #expect(await post.courier.take().map(\.endpoint.id) == [endpoint])
    }

    @Test func `says nothing can be sent for a tenant that is revoked`() async throws {
        let post = try await Post()
        let endpoint = try await post.add()
        let world = post.world
        let manager = WebhookManager(
            store: world.store, tenants: world.store, rule: WebhookURLRule(allowsLoopback: true), signing: .fake,
            now: { world.clock.now() }, randomBytes: world.engine.crypto.randomBytes)
        _ = try await manager.test(endpoint, of: nil)
        _ = try await manager.disable(endpoint, of: nil)
        _ = try await world.store.revokeTenant(try #require(ClientID("sandbox")), at: world.clock.now())
        await #expect(throws: WebhookManager.Refusal.revokedClient) { _ = try await manager.test(endpoint, of: nil) }
        await #expect(throws: WebhookManager.Refusal.revokedClient) { _ = try await manager.enable(endpoint, of: nil) }
        #expect(try await world.store.webhookEndpoint(endpoint)?.stop == .byHand, "it stays as it was")
        #expect(try await world.store.webhookDeliveries(at: endpoint, of: nil, in: nil, limit: 9).count == 1)
    }

    // MARK: The catalogue

    @Test func `tells what nobody asks about: a session whose time is over`() async throws {
        let post = try await Post()
        let endpoint = try await post.add()
        let started = await post.world.start(Self.mobile)
        _ = await App(post.world, started).redeem()
        var watch = ExpiryWatch(post.world.engine)
        _ = post.world.clock.advance(seconds: 899)
        while try await watch.expireSome() {}
        await post.carry()
        #expect(!post.types(at: endpoint).contains("session.expired"))
        _ = post.world.clock.advance(seconds: 2)
        while try await watch.expireSome() {}
        await post.carry()
        #expect(post.types(at: endpoint).last == "session.expired")
        let event = post.sent.withLock { $0.last?.event }
        #expect(event?.news.facts.contains(WebhookFact("lastStep", .text("otpStart"))) == true)
        #expect(event?.news.at == FixedClock.start.adding(.seconds(900)))
    }

    @Test func `tells so however long the session was made to live`() async throws {
        let post = try await Post()
        let endpoint = try await post.add()
        let otpless = try await OtplessWorld(on: post.world)
        let order = #"{"phoneNumber":"2001004014","countryCode":"1","expiry":3600}"#
        #expect(await otpless.post("/auth/v1/create", order).status == 200)
        var watch = ExpiryWatch(post.world.engine)
        for (seconds, isOver) in [(Int64(1000), false), (2599, false), (1, true)] {
            _ = post.world.clock.advance(seconds: seconds)
            while try await watch.expireSome() {}
            await post.carry()
            #expect(post.types(at: endpoint).contains("session.expired") == isOver)
        }
    }

    @Test func `an endpoint gets nothing from before it was there`() async throws {
        let post = try await Post()
        _ = await post.world.start(Self.mobile)
        _ = post.world.clock.advance(seconds: 1000)
        let endpoint = try await post.add()
        var watch = ExpiryWatch(post.world.engine)
        while try await watch.expireSome() {}
        await post.carry()
        #expect(post.types(at: endpoint).isEmpty)
    }

    @Test func `tells of checks only those who name them`() async throws {
        let post = try await Post()
        let (all, checks) = (try await post.add(), try await post.add(types: #"["check.*"]"#))
        let app = App(post.world, await post.world.start(Self.mobile))
        _ = await app.redeem()
        _ = await app.post("/otp")
        _ = await app.post("/otp/verify", #"{"code":"9999"}"#)
        await post.carry()
        #expect(post.types(at: checks).sorted() == ["check.failed", "check.started"])
        #expect(!post.types(at: all).contains { $0.hasPrefix("check.") })
        #expect(post.types(at: all).contains("session.failed"), "without a retry, the first wrong code ends it")
        let failed = post.sent.withLock { $0.first { $0.event.news.type == .sessionFailed }?.event.news.facts }
        #expect(failed?.contains(WebhookFact("reason", .text("tries_used_up"))) == true)
    }

    @Test func `tells of messages that nobody took, of cancelling, and of identities`() async throws {
        let post = try await Post()
        let endpoint = try await post.add()
        post.world.gateway.refuse(true)
        let app = App(post.world, await post.world.start(Self.mobile))
        _ = await app.redeem()
        _ = await app.post("/otp")
        _ = await app.post("/cancel")
        let id = await post.world.enrol("2001004014")
        _ = await post.world.call(.delete, "/v3/identity/\(id)")
        await post.carry()
        let types = Set(post.types(at: endpoint))
        // Events that an erasure has removed are not told any more, only that the identity was removed.
        #expect(types == ["identity.deleted"], "\(types)")
        let other = App(post.world, await post.world.start(Self.mobile))
        _ = await other.redeem()
        _ = await other.post("/otp")
        _ = await other.post("/cancel")
        _ = await post.world.enrol("2001004014")
        await post.carry()
        let more = Set(post.types(at: endpoint)).subtracting(types)
        #expect(
            more == [
                "session.created", "session.redeemed", "message.failed", "session.cancelled", "identity.enrolled",
            ], "\(more)")
    }

    @Test func `a message that no carrier took names no channel`() async throws {
        let post = try await Post()
        _ = try await post.add(types: #"["message.*"]"#)
        post.world.gateway.refuse(true)
        let app = App(post.world, await post.world.start(Self.mobile))
        _ = await app.redeem()
        _ = await app.post("/otp")
        await post.carry()
        let news = try #require(post.sent.withLock { $0.first?.event.news })
        #expect(news.type == .messageFailed)
        #expect(
            Set(news.facts.map(\.name)) == ["messageId", "class", "clientRequestId", "product"],
            "\(news.facts.map(\.name))")
    }

    @Test func `says of which types it has dropped what is too much`() async throws {
        let post = try await Post()
        let endpoint = try await post.add(types: #"["*", "check.*"]"#)
        let (now, client) = (post.world.clock.now(), try #require(ClientID("sandbox")))
        let types = Array(repeating: WebhookEventType.sessionFailed, count: WebhookRules.mostPending - 1)
        let noisy: [WebhookEventType] = [.messageSent, .checkFailed, .messageSent, .checkFailed]
        let events = (noisy + types).enumerated().map { place, type in
            NewWebhookEvent(
                WebhookEvent(
                    id: WebhookEventID(at: now, random: UInt128(place)), clientID: client,
                    news: WebhookNews(type, at: now, [])), to: [endpoint])
        }
        try await post.world.store.addEvents(events)
        await post.courier.checkAllEndpoints()
        await post.courier.dropExcess()
        #expect(post.notes.withLock { $0 } == ["dropped check.failed 1, message.sent 2"])
    }

    @Test func `costs nothing where nobody listens`() async throws {
        let post = try await Post()
        await post.world.prove(await post.world.start(Self.mobile))
        #expect(try await post.world.store.webhookDeliveries(at: nil, of: nil, in: nil, limit: 9).isEmpty)
        #expect(try post.world.engine.webhookSeed(at: post.world.clock.now()) == nil)
    }
}
