internal import CoreMetrics
internal import Locks
internal import Logging
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Storage
internal import Tokens

/// Delivers events to tenants' systems in the background.
struct WebhookWorker: Sendable {
    static let families = [
        MetricsRegistry.Family(
            deliveries, help: "Attempts to deliver a webhook, by event type and outcome."),
        MetricsRegistry.Family(
            attemptSeconds, help: "How long attempts to deliver a webhook took.",
            bounds: [0.01, 0.05, 0.1, 0.5, 1, 5, 15]),
        MetricsRegistry.Family(disabled, help: "Webhook endpoints that were disabled because they took nothing."),
        MetricsRegistry.Family(
            removed, help: "Deliveries that were not made, as too much was stored for their API client."),
    ]

    private static let deliveries = "holdfast_webhook_deliveries_total"
    private static let attemptSeconds = "holdfast_webhook_attempt_seconds"
    private static let disabled = "holdfast_webhook_endpoints_disabled_total"
    private static let removed = "holdfast_webhook_deliveries_removed_total"
    /// The time between two rings by the worker itself, because a moved clock rings nothing.
    private static let interval = Duration.seconds(1)
    private static let careInterval = Duration.seconds(15)

    private let courier: WebhookCourier
    private let bell: WebhookBell
    private let engine: Engine
    private let table: WebhookEndpointsTable
    private let store: Store
    private let logger: Logger
    /// The time of the oldest waiting event.
    private let oldest: Locked<Timestamp?>

    init(_ ground: StartContext, _ engine: Engine, _ sender: WebhookSender, _ bell: WebhookBell) {
        let (registry, logger, now) = (ground.registry, ground.logger, ground.environment.now)
        let seconds = registry.makeTimer(label: WebhookWorker.attemptSeconds, dimensions: [])
        let notes = WebhookNotes(
            registry, logger, label: WebhookWorker.deliveries, disabled: WebhookWorker.disabled,
            removed: WebhookWorker.removed)
        courier = WebhookCourier(
            store: ground.store.webhooks, tenants: ground.store.tenants, now: now,
            randomBytes: ground.store.random.randomBytes,
            send: { job in
                let start = ContinuousClock.now
                let attempt = await sender.attempt(job.delivery.event, at: job.endpoint, keysAt: now())
                let took = ContinuousClock.now - start
                seconds.recordNanoseconds(took.wholeMilliseconds * 1_000_000)
                return (attempt, took)
            }, note: notes.take)
        self.bell = bell
        self.engine = engine
        self.logger = logger
        table = ground.store.webhooks
        store = ground.store
        let oldest = Locked<Timestamp?>(nil)
        self.oldest = oldest
        registry.collect { text in
            let age = oldest.withLock { $0 }.map { max(0, now().milliseconds - $0.milliseconds) } ?? 0
            text.gauge(
                "holdfast_webhook_oldest_pending_seconds",
                "Age of the oldest event that an active webhook endpoint has not got yet; 0 without one.",
                Double(age) / 1000)
        }
    }

    /// Works until its task is cancelled.
    func run() async {
        await courier.checkAllEndpoints()
        await withTaskGroup { group in
            group.addTask { await self.carry() }
            group.addTask { await self.ringInTime() }
            group.addTask { await self.care() }
        }
    }

    /// Begins all due deliveries at each ring. An attempt that waits for its receiver does not delay others.
    private func carry() async {
        await withDiscardingTaskGroup { group in
            for await _ in bell.sounds {
                let endpoints = bell.take()
                guard await hasDuty() else { continue }
                await courier.expect(endpoints)
                // The bells of other servers ring there.
                if store.watched.servers > 1 { await courier.checkAllEndpoints() }
                for job in await courier.take() {
                    group.addTask {
                        await self.courier.carry(job)
                        self.bell.ring()
                    }
                }
            }
        }
    }

    private func hasDuty() async -> Bool {
        do throws(StorageFault) { return try await store.duties.take(.webhooks) } catch {
            logger.warning("the duty of webhooks was not read", metadata: ["fault": "\(error)"])
            return false
        }
    }

    /// Rings regularly, because a delivery may have become due.
    private func ringInTime() async {
        while !Task.isCancelled {
            bell.ring()
            do { try await Task.sleep(for: WebhookWorker.interval) } catch { break }
        }
        bell.silence()
    }

    /// Stores and announces expired sessions, and limits the size of the outbox.
    private func care() async {
        var watch = ExpiryWatch(engine)
        while true {
            do { try await Task.sleep(for: WebhookWorker.careInterval) } catch { return }
            guard await hasDuty() else { continue }
            do {
                while try await watch.expireSome(), !Task.isCancelled {}
            } catch { logger.warning("sessions that time has ended were not told of", metadata: ["fault": "\(error)"]) }
            guard table.hasSubscriptions else {
                oldest.withLock { $0 = nil }
                continue
            }
            await courier.care()
            do {
                let found = try await table.oldestWaitingWebhook()
                oldest.withLock { $0 = found }
            } catch { logger.warning("waiting webhooks were not looked at", metadata: ["fault": "\(error)"]) }
        }
    }
}

/// Turns the courier's notes into log lines and metrics.
struct WebhookNotes: Sendable {
    private struct Series: Hashable {
        let type: WebhookEventType
        let outcome: String
    }

    private let registry: MetricsRegistry
    private let logger: Logger
    private let label: String
    private let disabled: any CounterHandler
    private let removed: any CounterHandler
    private let counters = Locked<[Series: any CounterHandler]>([:])

    init(_ registry: MetricsRegistry, _ logger: Logger, label: String, disabled: String, removed: String) {
        self.registry = registry
        self.logger = logger
        self.label = label
        self.disabled = registry.makeCounter(label: disabled, dimensions: [])
        self.removed = registry.makeCounter(label: removed, dimensions: [])
    }

    func take(_ note: WebhookCourier.Note) {
        switch note {
        case .attempted(let type, let state, let attempt): count(type, outcome(state, attempt))
        case .disabled(let endpoint):
            disabled.increment(by: 1)
            logger.error(
                "a webhook endpoint was disabled: holdfast webhooks enable lets it be told again",
                metadata: [
                    "endpoint": "\(endpoint.id.name)", "client": "\(endpoint.clientID.text)",
                    "reason": "\(endpoint.stop?.rawValue ?? "")", "failures": "\(endpoint.failures)",
                ])
        case .dropped(let endpoint, let counts):
            logger.warning(
                "webhooks were dropped: too many wait for their endpoint",
                metadata: ["endpoint": "\(endpoint.id.name)", "events": "\(counts.values.reduce(0, +))"])
            for (type, count) in counts { self.count(type, "dropped", by: count) }
        case .removed(let client, let deliveries):
            removed.increment(by: Int64(deliveries))
            logger.warning(
                "webhooks were removed before they were delivered: more was stored for the API client than webhooks.maxBytesPerClient",
                metadata: ["client": "\(client.text)", "deliveries": "\(deliveries)"])
        case .unreadable(let count):
            logger.error("stored events of webhooks are damaged", metadata: ["events": "\(count)"])
        case .fault(let fault): logger.warning("webhooks were not stored or read", metadata: ["fault": "\(fault)"])
        }
    }

    private func outcome(_ state: WebhookDelivery.State, _ attempt: WebhookAttempt) -> String {
        switch state {
        case .delivered: "delivered"
        case .failed: "given_up"
        case .pending, .dropped: attempt.failure?.rawValue ?? "delivered"
        }
    }

    private func count(_ type: WebhookEventType, _ outcome: String, by count: Int = 1) {
        counter(Series(type: type, outcome: outcome)).increment(by: Int64(count))
    }

    private func counter(_ series: Series) -> any CounterHandler {
        counters.withLock { counters in
            if let counter = counters[series] { return counter }
            let counter = registry.makeCounter(
                label: label, dimensions: [("type", series.type.rawValue), ("outcome", series.outcome)])
            counters[series] = counter
            return counter
        }
    }
}
