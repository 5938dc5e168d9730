package import Possession

/// Gives out deliveries that are due, and records the results.
///
///     for job in await courier.take() { group.addTask { await courier.carry(job) } }
///
/// It knows which endpoints have pending deliveries, and asks the store only about those. Attempts in progress are
/// known only here. They are not in the store: if the process ends, the next one makes the attempt again.
package actor WebhookCourier {
    /// One delivery attempt to one endpoint.
    package struct Job: Sendable {
        package let delivery: WebhookDelivery
        package let endpoint: WebhookEndpoint
    }

    /// Makes an attempt; `took` is its duration.
    package typealias Send = @Sendable (Job) async -> (attempt: WebhookAttempt, took: Duration)

    /// Event that the courier reports to log and metrics.
    package enum Note: Sendable {
        case attempted(WebhookEventType, WebhookDelivery.State, WebhookAttempt)
        case disabled(WebhookEndpoint)
        case dropped(WebhookEndpoint, [WebhookEventType: Int])
        /// Deliveries that were removed because the tenant had too many stored.
        case removed(ClientID, deliveries: Int)
        case unreadable(Int)
        case fault(StorageFault)
    }

    /// After a fault of the store, an endpoint is skipped for this long.
    private static let pauseAfterFault = Duration.seconds(5)
    /// While results cannot be stored, the pause doubles with each failed try, at most this many times.
    private static let mostDoublings = 6
    /// A wake-up may come before its delivery is durable, so the next read follows soon.
    private static let secondLook = Duration.seconds(1)

    private let store: any WebhookStore
    private let tenants: any TenantStore
    private let send: Send
    private let now: Now
    private let randomBytes: RandomBytes
    private let note: @Sendable (Note) -> Void

    /// Endpoints with pending deliveries, by the time of their next read.
    private var looks: [WebhookEndpointID: Timestamp] = [:]
    private var lookAgain: Set<WebhookEndpointID> = []
    private var underWay: [WebhookEndpointID: Set<WebhookEventID>] = [:]
    private var countUnderWay = 0
    private var countOfClient: [ClientID: Int] = [:]
    /// Endpoints that wait for another attempt of their tenant to end, by the time of their read.
    private var heldBack: [ClientID: [WebhookEndpointID: Timestamp]] = [:]
    /// Slow attempts in a row, for endpoints whose last attempt was slow.
    private var slow: [WebhookEndpointID: Int] = [:]
    /// Nothing is sent in this time, because results cannot be stored: receivers would get the same events again and
    /// again.
    private var rest: Range<Timestamp>?
    private var restsInARow = 0
    /// Endpoints whose failure is stored or will be.
    private var failing: Set<WebhookEndpointID> = []
    /// Endpoints that were disabled and reported as such.
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

    // MARK: Pending deliveries

    /// Finds the deliveries that an earlier process left, and those that were missed because a wake-up came before they
    /// were durable or a read failed. Called at intervals; it costs one index read for each endpoint.
    package func checkAllEndpoints() async {
        do {
            for (endpoint, at) in try await store.waitingWebhooks() { check(endpoint, from: at) }
        } catch { note(.fault(error)) }
    }

    /// These endpoints may have pending deliveries.
    package func expect(_ endpoints: some Sequence<WebhookEndpointID>) {
        let now = now()
        for endpoint in endpoints {
            check(endpoint, from: now)
            lookAgain.insert(endpoint)
        }
    }

    private func check(_ endpoint: WebhookEndpointID, from time: Timestamp) {
        looks[endpoint] = min(looks[endpoint] ?? time, time)
    }

    // MARK: Taking

    /// The attempts that can begin now. The endpoint that has waited longest comes first. Each endpoint and each tenant
    /// has a maximum, so that slow receivers do not block others.
    package func take() async -> [Job] {
        let now = now()
        // A simulated clock may have gone back.
        guard rest?.contains(now) != true else { return [] }
        let due = looks.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        var jobs: [Job] = []
        for (endpoint, time) in due {
            guard countUnderWay < WebhookRules.inFlightInAll else { break }
            looks[endpoint] = nil
            do throws(StorageFault) { jobs += try await take(at: endpoint, since: time, now) } catch {
                note(.fault(error))
                check(endpoint, from: now.adding(Self.pauseAfterFault))
            }
        }
        return jobs
    }

    /// - Parameter time: the time of the read. The endpoint keeps it while it waits for its tenant's other attempts.
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
            // The endpoint is read again when an attempt of the tenant ends.
            if isExpected { lookAgain.insert(id) }
            heldBack[client, default: [:]][id] = min(heldBack[client]?[id] ?? time, time)
            return []
        }
        // The endpoint is read again when one of its attempts ends.
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
        // The tenant's maximum limited this read, so more deliveries may be due.
        if room < roomOfEndpoint, found.deliveries.count == room { heldBack[client, default: [:]][id] = now }
        if found.deliveries.isEmpty, isExpected { check(id, from: now.adding(Self.secondLook)) }
        if let next = found.nextAt { check(id, from: next) }
        return found.deliveries.map { Job(delivery: $0, endpoint: endpoint) }
    }

    private func share(of endpoint: WebhookEndpoint) -> Int {
        max(endpoint.failures, slow[endpoint.id] ?? 0) < WebhookRules.failuresOfFailing
            ? WebhookRules.inFlight : WebhookRules.inFlightWhileFailing
    }

    // MARK: Making attempts

    /// Makes one attempt and stores the result. If the task was cancelled meanwhile, a failure is not the receiver's
    /// fault and is not stored.
    package func carry(_ job: Job) async {
        let (attempt, took) = await send(job)
        let id = job.endpoint.id
        slow[id] = took < WebhookRules.slowAttempt ? nil : min(slow[id, default: 0] + 1, WebhookRules.failuresOfFailing)
        if !(Task.isCancelled && !attempt.isTaken) { await record(job, attempt) }
        underWay[id]?.remove(job.delivery.event.id)
        if underWay[id]?.isEmpty == true { underWay[id] = nil }
        countUnderWay -= 1
        leave(job.endpoint.clientID)
    }

    /// An attempt of the tenant has ended: its waiting endpoints are read again, in their order.
    private func leave(_ client: ClientID) {
        let left = countOfClient[client, default: 1] - 1
        countOfClient[client] = left > 0 ? left : nil
        for (endpoint, time) in heldBack.removeValue(forKey: client) ?? [:] { check(endpoint, from: time) }
    }

    private func record(_ job: Job, _ attempt: WebhookAttempt) async {
        let (id, now) = (job.endpoint.id, now())
        var delivery = job.delivery
        delivery.note(attempt, at: now, spread: (try? randomBytes(2))?.reduce(0) { $0 << 8 | UInt16($1) } ?? 0x8000)
        if !attempt.isTaken { failing.insert(id) }
        // A success at an endpoint without failures changes nothing about the endpoint.
        let standing = failing.contains(id) ? standing(after: attempt, at: now, of: job.endpoint) : nil
        do throws(StorageFault) {
            let stored = try await store.storeResult(of: delivery, standing: standing)
            (rest, restsInARow) = (nil, 0)
            if let stored, stored.failures == 0 { failing.remove(id) }
            note(.attempted(delivery.event.news.type, delivery.state, attempt))
            if let stored, !stored.isActive, stored.stop != .byHand, told.insert(id).inserted {
                note(.disabled(stored))
                expect(store.subscriptions(of: stored.clientID).map(\.endpoint))
            }
            check(id, from: now)
        } catch {
            // The result was not stored, so the attempt is made again. The receiver recognizes the event by its id.
            note(.fault(error))
            check(id, from: now.adding(Self.pauseAfterFault))
            // Attempts that ran at the same time count as one failed try.
            guard rest?.contains(now) != true else { return }
            rest = now..<now.adding(Self.pauseAfterFault * (1 << min(restsInARow, Self.mostDoublings)))
            restsInARow += 1
        }
    }

    /// The change of an endpoint's state, with the event for the tenant's other endpoints.
    private func standing(
        after attempt: WebhookAttempt, at now: Timestamp, of endpoint: WebhookEndpoint
    ) -> @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent] {
        let others = store.subscriptions(of: endpoint.clientID)
        let seed = (try? randomBytes(16)).map { WebhookEventID(at: now, random: $0) }
        return { stored in
            guard stored.note(attempt, at: now), let seed else { return [] }
            let teller = WebhookEventFactory(client: stored.clientID, subscriptions: others, first: seed, at: now)
            return teller.event(.endpointDisabled(stored, at: now), toAllBut: stored.id).map { [$0] } ?? []
        }
    }

    // MARK: Maintenance

    /// Does the work that is due every few seconds, even without a wake-up.
    package func care() async {
        await checkAllEndpoints()
        await dropExcess()
        await reportRemoved()
    }

    /// Reports how many deliveries the store has removed since the last call, because their tenants had too many
    /// stored.
    package func reportRemoved() async {
        do {
            for (client, count) in try await store.takeRemovedWebhooks() { note(.removed(client, deliveries: count)) }
        } catch { note(.fault(error)) }
    }

    /// Drops noisy deliveries above the maximum, at endpoints with pending deliveries.
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
