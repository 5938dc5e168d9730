/// Hands out deliveries that are due, and settles them by what came of each.
///
///     for job in await courier.take() { group.addTask { await courier.carry(job) } }
///
/// It knows which endpoints have something waiting, and asks the store about those only. What is under way is known here
/// and nowhere else: a process that ends has told the store nothing of it, and the next one makes the attempt again.
package actor WebhookCourier {
    /// One attempt at one endpoint.
    package struct Job: Sendable {
        package let delivery: WebhookDelivery
        package let endpoint: WebhookEndpoint
    }

    /// Makes an attempt; `took` is how long it was under way.
    package typealias Send = @Sendable (Job) async -> (attempt: WebhookAttempt, took: Duration)

    /// Event that the courier reports, for log and metrics.
    package enum Note: Sendable {
        case attempted(WebhookEventType, WebhookDelivery.State, WebhookAttempt)
        case disabled(WebhookEndpoint)
        case dropped(WebhookEndpoint, [WebhookEventType: Int])
        /// Deliveries that will not be made, because more was stored for the tenant than may be.
        case removed(ClientID, deliveries: Int)
        case unreadable(Int)
        case fault(StorageFault)
    }

    /// After a fault of the store, an endpoint is left alone so long.
    private static let pauseAfterFault = Duration.seconds(5)
    /// While outcomes cannot be stored, each try to send again waits twice as long as the one before, so often at most.
    private static let mostDoublings = 6
    /// A wake may come a moment before what it tells of is durable: so the next look is soon.
    private static let secondLook = Duration.seconds(1)

    private let store: any WebhookStore
    private let tenants: any TenantStore
    private let send: Send
    private let now: Now
    private let randomBytes: RandomBytes
    private let note: @Sendable (Note) -> Void

    /// Endpoints at which something waits, by the time of the next look.
    private var looks: [WebhookEndpointID: Timestamp] = [:]
    private var lookAgain: Set<WebhookEndpointID> = []
    private var underWay: [WebhookEndpointID: Set<WebhookEventID>] = [:]
    private var countUnderWay = 0
    private var countOfClient: [ClientID: Int] = [:]
    /// Endpoints that have to wait until an attempt of their tenant ends, by the time of their look.
    private var heldBack: [ClientID: [WebhookEndpointID: Timestamp]] = [:]
    /// How many attempts in a row were slow, at endpoints whose last one was.
    private var slow: [WebhookEndpointID: Int] = [:]
    /// Nothing is sent meanwhile, because outcomes cannot be stored: receivers would get everything again and again.
    private var rest: Range<Timestamp>?
    private var restsInARow = 0
    /// Endpoints with a failure that is stored, or about to be.
    private var failing: Set<WebhookEndpointID> = []
    /// Endpoints that were disabled, and said to be.
    private var told: Set<WebhookEndpointID> = []

    package init(
        store: any WebhookStore, tenants: any TenantStore, now: @escaping Now, randomBytes: @escaping RandomBytes,
        send: @escaping Send, note: @escaping @Sendable (Note) -> Void = { _ in }
    ) {
        self.store = store
        self.tenants = tenants
        self.now = now
        self.randomBytes = randomBytes
        self.send = send
        self.note = note
    }

    // MARK: What waits

    /// Learns what an earlier process has left, and what was missed: a wake that came before what it tells of was durable,
    /// or a look that a fault has ended. To be asked from time to time; it costs one look at the index for each endpoint.
    package func lookEverywhere() async {
        do {
            for (endpoint, at) in try await store.waitingWebhooks() { look(at: endpoint, from: at) }
        } catch { note(.fault(error)) }
    }

    /// Something may wait at these endpoints.
    package func expect(_ endpoints: some Sequence<WebhookEndpointID>) {
        let now = now()
        for endpoint in endpoints {
            look(at: endpoint, from: now)
            lookAgain.insert(endpoint)
        }
    }

    private func look(at endpoint: WebhookEndpointID, from time: Timestamp) {
        looks[endpoint] = min(looks[endpoint] ?? time, time)
    }

    // MARK: Taking

    /// The attempts that can begin now. Endpoints whose look is longest due come first. None gets more than its share, and no
    /// tenant more than its own, so that receivers which answer nobody keep no other waiting.
    package func take() async -> [Job] {
        let now = now()
        // A clock that is played may have gone back since.
        guard rest?.contains(now) != true else { return [] }
        let due = looks.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        var jobs: [Job] = []
        for (endpoint, time) in due {
            guard countUnderWay < WebhookRules.inFlightInAll else { break }
            looks[endpoint] = nil
            do throws(StorageFault) { jobs += try await take(at: endpoint, since: time, now) } catch {
                note(.fault(error))
                look(at: endpoint, from: now.adding(Self.pauseAfterFault))
            }
        }
        return jobs
    }

    /// - Parameter time: of the look, which the endpoint keeps while it has to wait for its tenant's other attempts.
    private func take(
        at id: WebhookEndpointID, since time: Timestamp, _ now: Timestamp
    ) async throws(StorageFault) -> [Job] {
        let isExpected = lookAgain.remove(id) != nil
        guard let endpoint = try await store.webhookEndpoint(id), endpoint.isActive,
            try await tenants.tenant(endpoint.clientID)?.revokedAt == nil
        else {
            failing.remove(id)
            slow[id] = nil
            return []
        }
        told.remove(id)
        if endpoint.failures > 0 { failing.insert(id) }
        let besides = underWay[id] ?? []
        let client = endpoint.clientID
        let roomOfClient = WebhookRules.inFlightOfClient - countOfClient[client, default: 0]
        guard roomOfClient > 0 else {
            // An attempt of the tenant that ends brings the next look.
            if isExpected { lookAgain.insert(id) }
            heldBack[client, default: [:]][id] = min(heldBack[client]?[id] ?? time, time)
            return []
        }
        // The end of any of its attempts brings the next look.
        let roomOfEndpoint = share(of: endpoint) - besides.count
        let room = min(roomOfEndpoint, roomOfClient, WebhookRules.inFlightInAll - countUnderWay)
        guard room > 0 else { return [] }
        let found = try await store.dueWebhooks(at: endpoint, now: now, limit: room, besides: besides)
        if found.unreadable > 0 { note(.unreadable(found.unreadable)) }
        for delivery in found.deliveries {
            underWay[id, default: []].insert(delivery.event.id)
            countUnderWay += 1
            countOfClient[client, default: 0] += 1
        }
        // Its tenant's share has cut it short: more of it may be due.
        if room < roomOfEndpoint, found.deliveries.count == room { heldBack[client, default: [:]][id] = now }
        if found.deliveries.isEmpty, isExpected { look(at: id, from: now.adding(Self.secondLook)) }
        if let next = found.nextAt { look(at: id, from: next) }
        return found.deliveries.map { Job(delivery: $0, endpoint: endpoint) }
    }

    private func share(of endpoint: WebhookEndpoint) -> Int {
        max(endpoint.failures, slow[endpoint.id] ?? 0) < WebhookRules.failuresOfFailing
            ? WebhookRules.inFlight : WebhookRules.inFlightWhileFailing
    }

    // MARK: Carrying

    /// Makes one attempt and stores what came of it. If the task is cancelled meanwhile, a failure is nobody's fault and is
    /// not stored.
    package func carry(_ job: Job) async {
        let (attempt, took) = await send(job)
        let id = job.endpoint.id
        slow[id] = took < WebhookRules.slowAttempt ? nil : min(slow[id, default: 0] + 1, WebhookRules.failuresOfFailing)
        if !(Task.isCancelled && !attempt.isTaken) { await settle(job, attempt) }
        underWay[id]?.remove(job.delivery.event.id)
        if underWay[id]?.isEmpty == true { underWay[id] = nil }
        countUnderWay -= 1
        leave(job.endpoint.clientID)
    }

    /// One attempt less of a tenant: those of its endpoints that had to wait are looked at again, in their order.
    private func leave(_ client: ClientID) {
        let left = countOfClient[client, default: 1] - 1
        countOfClient[client] = left > 0 ? left : nil
        for (endpoint, time) in heldBack.removeValue(forKey: client) ?? [:] { look(at: endpoint, from: time) }
    }

    private func settle(_ job: Job, _ attempt: WebhookAttempt) async {
        let (id, now) = (job.endpoint.id, now())
        var delivery = job.delivery
        delivery.note(attempt, at: now, spread: (try? randomBytes(2))?.reduce(0) { $0 << 8 | UInt16($1) } ?? 0x8000)
        if !attempt.isTaken { failing.insert(id) }
        // A success of one that has not failed changes nothing about it.
        let standing = failing.contains(id) ? standing(after: attempt, at: now, of: job.endpoint) : nil
        do throws(StorageFault) {
            let stored = try await store.settle(delivery, standing: standing)
            (rest, restsInARow) = (nil, 0)
            if let stored, stored.failures == 0 { failing.remove(id) }
            note(.attempted(delivery.event.news.type, delivery.state, attempt))
            if let stored, !stored.isActive, stored.stop != .byHand, told.insert(id).inserted {
                note(.disabled(stored))
                expect(store.subscriptions(of: stored.clientID).map(\.endpoint))
            }
            look(at: id, from: now)
        } catch {
            // Not stored, so it is made again: the receiver knows the event by its id.
            note(.fault(error))
            look(at: id, from: now.adding(Self.pauseAfterFault))
            // Attempts that were under way together are one try.
            guard rest?.contains(now) != true else { return }
            rest = now..<now.adding(Self.pauseAfterFault * (1 << min(restsInARow, Self.mostDoublings)))
            restsInARow += 1
        }
    }

    /// The change of an endpoint's standing, with what its tenant's other endpoints are told of it.
    private func standing(
        after attempt: WebhookAttempt, at now: Timestamp, of endpoint: WebhookEndpoint
    ) -> @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent] {
        let others = store.subscriptions(of: endpoint.clientID)
        let seed = (try? randomBytes(16)).map { WebhookEventID(at: now, random: $0) }
        return { stored in
            guard stored.note(attempt, at: now), let seed else { return [] }
            let teller = WebhookTeller(client: stored.clientID, subscriptions: others, first: seed, at: now)
            return teller.event(.endpointDisabled(stored, at: now), toAllBut: stored.id).map { [$0] } ?? []
        }
    }

    // MARK: Care

    /// Does the work that is due every few seconds, whatever rings.
    package func care() async {
        await lookEverywhere()
        await dropExcess()
        await tellRemoved()
    }

    /// Says how many deliveries the store has removed since the last time, because too much was stored for their tenants.
    package func tellRemoved() async {
        do {
            for (client, count) in try await store.takeRemovedWebhooks() { note(.removed(client, deliveries: count)) }
        } catch { note(.fault(error)) }
    }

    /// Drops what is noisy and too much, at the endpoints where something waits.
    package func dropExcess() async {
        for id in Set(looks.keys).union(failing) {
            do throws(StorageFault) {
                let counts = try await store.dropWebhooks(at: id, over: WebhookRules.mostPending)
                if !counts.isEmpty, let endpoint = try await store.webhookEndpoint(id) {
                    note(.dropped(endpoint, counts))
                }
            } catch { note(.fault(error)) }
        }
    }
}
