package import Possession
internal import Text

/// Manages webhook endpoints for a tenant or the operator.
package struct WebhookManager: Sendable {
    private let store: any WebhookStore
    private let tenants: any TenantStore
    private let rule: WebhookURLRule
    private let signing: WebhookSigning
    private let now: Now
    private let randomBytes: RandomBytes
    private let ask: WebhookConsent.Ask
    private let makeReady: MakeReady
    private let wake: @Sendable ([WebhookEndpointID]) -> Void

    package typealias MakeReady = @Sendable (WebhookEndpoint.Format) async throws(EngineFault) -> Void

    /// - Parameters:
    ///   - ask: asks a receiver whether it accepts events.
    ///   - makeReady: makes the keys that an endpoint's format needs beside the endpoint's own.
    ///   - wake: called with the endpoints that have pending deliveries.
    package init(
        store: any WebhookStore, tenants: any TenantStore, rule: WebhookURLRule, signing: WebhookSigning,
        now: @escaping Now, randomBytes: @escaping RandomBytes,
        ask: @escaping WebhookConsent.Ask = { _, _ in .notAsked }, makeReady: @escaping MakeReady = { _ in },
        wake: @escaping @Sendable ([WebhookEndpointID]) -> Void = { _ in }
    ) {
        self.store = store
        self.tenants = tenants
        self.rule = rule
        self.signing = signing
        self.now = now
        self.randomBytes = randomBytes
        self.ask = ask
        self.makeReady = makeReady
        self.wake = wake
    }

    package enum Refusal: Error, Sendable, Equatable {
        case invalid(WebhookDefect)
        case unknownClient
        case unknownEndpoint
        case unknownEvent
        /// The tenant has the maximum number of endpoints.
        case tooMany
        /// The endpoint is disabled.
        case stopped
        /// The endpoint's tenant was revoked, so nothing is sent to it.
        case revokedClient
        /// The previous keys also sign until this time.
        case oldKeysSign(until: Timestamp)
        /// So many deliveries are pending that a ping would show nothing new.
        case behind
        /// The endpoint's format has no event for a ping.
        case noPing
        /// The endpoint's receiver has not agreed to accept events.
        case noConsent(WebhookConsent)
        case engine(EngineFault)
    }

    /// A request for an endpoint.
    package struct Order: Sendable, Equatable {
        package var url = ""
        package var types: [String] = []
        /// Whether it gets an Ed25519 pair beside its secret.
        package var hasKeyPair = false
        package var includes: Set<WebhookEndpoint.Inclusion> = []
        package var format = WebhookEndpoint.Format.standard
        package var ordering = WebhookEndpoint.Ordering.none
        /// Whether its receiver must agree first.
        package var hasHandshake = false

        package init() {}
    }

    /// An endpoint as its owner sees it. The secret is shown only once, when it is new.
    package struct Shown: Sendable {
        package let endpoint: WebhookEndpoint
        /// `whpk_...`
        package let publicKey: String?
        /// `whsec_...`
        package let secret: String?
        /// Until when the previous keys also sign; `nil`: they do not.
        package let oldSecretUntil: Timestamp?
    }

    // MARK: Endpoints

    /// - Throws: `.invalid`, `.unknownClient`, `.tooMany`, `.noConsent`, `.engine`.
    package func add(_ order: Order, for client: ClientID) async throws(Refusal) -> Shown {
        if let defect = rule.defect(of: order.url) { throw .invalid(WebhookDefect("url", defect)) }
        let filter: WebhookFilter
        do throws(WebhookDefect) { filter = try WebhookFilter(order.types) } catch { throw .invalid(error) }
        if order.hasHandshake && order.format != .cloudevents {
            throw .invalid(WebhookDefect("handshake", "needs the format cloudevents"))
        }
        do {
            guard let tenant = try await tenants.tenant(client), tenant.revokedAt == nil else {
                throw Refusal.unknownClient
            }
            if order.hasHandshake {
                // Checked before the receiver is asked.
                let list = try await store.webhookEndpoints(of: client)
                guard list.endpoints.count + list.damaged.count < WebhookRules.mostEndpoints else {
                    throw Refusal.tooMany
                }
                try await requireConsent(of: order.url, for: client)
            }
            try await makeReady(order.format)
            let now = now()
            let endpoint = WebhookEndpoint(
                id: try fresh(at: now), clientID: client, url: order.url, filter: filter,
                includes: order.includes, format: order.format, ordering: order.ordering,
                hasHandshake: order.hasHandshake,
                keys: try freshKeys(withPair: order.hasKeyPair), createdAt: now)
            guard try await store.add(endpoint, most: WebhookRules.mostEndpoints) else { throw Refusal.tooMany }
            return try shown(endpoint, isNew: true)
        } catch { throw Refusal(error) }
    }

    /// Endpoints as their owner sees them, the oldest first.
    package struct List: Sendable {
        package let endpoints: [Shown]
        /// Endpoints whose stored data cannot be read. They get no events and can be removed.
        package let damaged: [WebhookEndpointID]
    }

    /// - Parameter client: only this client's endpoints; `nil`: all.
    /// - Throws: `.engine`.
    package func endpoints(of client: ClientID?) async throws(Refusal) -> List {
        do {
            let stored = try await store.webhookEndpoints(of: client)
            return List(
                endpoints: try stored.endpoints.map { try shown($0, isNew: false) }, damaged: stored.damaged)
        } catch { throw Refusal(error) }
    }

    /// - Throws: `.unknownEndpoint`, `.engine`.
    package func endpoint(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) -> Shown {
        do { return try shown(try await own(id, client), isNew: false) } catch { throw Refusal(error) }
    }

    /// Gives the endpoint new keys. The previous ones also sign for a day.
    /// - Parameter isForced: also while older keys sign. Those end now.
    /// - Throws: `.unknownEndpoint`, `.oldKeysSign`, `.engine`.
    package func rotate(
        _ id: WebhookEndpointID, of client: ClientID?, isForced: Bool = false
    ) async throws(Refusal) -> Shown {
        do {
            let now = now()
            let hasPair = try await own(id, client).keys.seed != nil
            let keys = try freshKeys(withPair: hasPair)
            let changed = try await store.updateWebhookEndpoint(id, of: client) { endpoint in
                endpoint.replaceKeys(with: keys, at: now, isForced: isForced)
                return []
            }
            guard let changed else { throw Refusal.unknownEndpoint }
            guard changed.keys == keys else { throw Refusal.oldKeysSign(until: changed.otherKeysUntil ?? now) }
            return try shown(changed, isNew: true)
        } catch { throw Refusal(error) }
    }

    /// Disables an endpoint. Pending deliveries are kept until it is enabled. It never gets the events that happen
    /// meanwhile. If it is already disabled, nothing is stored.
    /// - Throws: `.unknownEndpoint`, `.engine`.
    package func disable(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) -> Shown {
        let now = now()
        do {
            let endpoint = try await own(id, client)
            if endpoint.isUnchanged(by: { $0.disable(.byHand, at: now) }) { return try shown(endpoint, isNew: false) }
        } catch { throw Refusal(error) }
        return try await change(id, client) { $0.disable(.byHand, at: now) }
    }

    /// Enables an endpoint and sends a ping first if its format has one. Deliveries that were pending when it was
    /// disabled are sent too. A receiver that had to agree is asked again: without its consent the endpoint does not
    /// change. If the endpoint is enabled and has no failures, the receiver is not asked and nothing is stored.
    /// - Throws: `.unknownEndpoint`, `.revokedClient`, `.noConsent`, `.engine`.
    package func enable(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) -> Shown {
        do {
            let endpoint = try await ownOfCaller(id, client)
            let now = now()
            if endpoint.isUnchanged(by: { $0.enable(at: now) }) { return try shown(endpoint, isNew: false) }
            if endpoint.hasHandshake { try await requireConsent(of: endpoint.url, for: endpoint.clientID) }
        } catch { throw Refusal(error) }
        let now = now()
        let shown = try await change(id, client) { $0.enable(at: now) }
        // Without a ping, the pending deliveries show whether the endpoint answers.
        if try await ping(shown.endpoint) == nil { wake([id]) }
        return shown
    }

    /// - Throws: `.noConsent`.
    private func requireConsent(of url: String, for client: ClientID) async throws(Refusal) {
        let consent = await ask(url, client)
        guard consent == .given else { throw .noConsent(consent) }
    }

    /// - Throws: `.unknownEndpoint`, `.engine`.
    package func remove(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) {
        do {
            guard try await store.removeWebhookEndpoint(id, of: client, at: now()) else {
                throw Refusal.unknownEndpoint
            }
        } catch { throw Refusal(error) }
    }

    private func change(
        _ id: WebhookEndpointID, _ client: ClientID?, _ body: @escaping @Sendable (inout WebhookEndpoint) -> Void
    ) async throws(Refusal) -> Shown {
        do {
            let changed = try await store.updateWebhookEndpoint(id, of: client) { endpoint in
                body(&endpoint)
                return []
            }
            guard let changed else { throw Refusal.unknownEndpoint }
            return try shown(changed, isNew: false)
        } catch { throw Refusal(error) }
    }

    private func own(_ id: WebhookEndpointID, _ client: ClientID?) async throws -> WebhookEndpoint {
        guard let endpoint = try await store.webhookEndpoint(id), client == nil || endpoint.clientID == client else {
            throw Refusal.unknownEndpoint
        }
        return endpoint
    }

    /// As `own`, and the tenant must not be revoked, because nothing is sent to a revoked one.
    private func ownOfCaller(_ id: WebhookEndpointID, _ client: ClientID?) async throws -> WebhookEndpoint {
        let endpoint = try await own(id, client)
        guard let tenant = try await tenants.tenant(endpoint.clientID), tenant.revokedAt == nil else {
            throw Refusal.revokedClient
        }
        return endpoint
    }

    private func shown(_ endpoint: WebhookEndpoint, isNew: Bool) throws(TokenFault) -> Shown {
        var publicKey: String?
        if let seed = endpoint.keys.seed { publicKey = try signing.text(ofPublicKeyOf: seed) }
        return Shown(
            endpoint: endpoint, publicKey: publicKey,
            secret: isNew ? WebhookSigning.text(ofSecret: endpoint.keys.secret) : nil,
            oldSecretUntil: endpoint.oldKeysSign(at: now()))
    }

    private func freshKeys(withPair: Bool) throws(EntropyFault) -> WebhookEndpoint.Keys {
        WebhookEndpoint.Keys(
            secret: LettersAndDigits.bytesOfPlainBase64(try randomBytes(WebhookRules.secretBytes)),
            seed: withPair ? try randomBytes(32) : nil)
    }

    private func fresh<ID: Identifier>(at now: Timestamp) throws(EntropyFault) -> ID {
        ID(at: now, random: try randomBytes(16))
    }

    // MARK: Events

    /// Makes the events for changes by an operator; `nil` if the tenant has no endpoint.
    package func teller(for client: ClientID, at now: Timestamp) throws(EntropyFault) -> WebhookEventFactory? {
        let subscriptions = store.subscriptions(of: client)
        guard !subscriptions.isEmpty else { return nil }
        return WebhookEventFactory(client: client, subscriptions: subscriptions, first: try fresh(at: now), at: now)
    }

    /// Starts the delivery of the teller's events, once the change is stored.
    package func wake(_ teller: WebhookEventFactory?) {
        if let teller { wake(teller.endpoints) }
    }

    // MARK: Deliveries

    /// Sends a ping to the endpoint, whatever it asked for.
    /// - Throws: `.unknownEndpoint`, `.revokedClient`, `.stopped`, `.noPing`, `.behind`, `.engine`.
    package func test(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) -> WebhookEventID {
        let endpoint: WebhookEndpoint
        do { endpoint = try await ownOfCaller(id, client) } catch { throw Refusal(error) }
        guard endpoint.isActive else { throw .stopped }
        guard endpoint.format.tells(of: .ping(id, at: now())) else { throw .noPing }
        guard let event = try await ping(endpoint) else { throw .behind }
        return event
    }

    /// `nil`: too many deliveries are pending, or the format has no event for a ping.
    private func ping(_ endpoint: WebhookEndpoint) async throws(Refusal) -> WebhookEventID? {
        do {
            let now = now()
            let news = WebhookNews.ping(endpoint.id, at: now)
            guard endpoint.format.tells(of: news) else { return nil }
            let event = WebhookEvent(id: try fresh(at: now), clientID: endpoint.clientID, news: news)
            let ping = NewWebhookEvent(event, to: [endpoint.id])
            guard try await store.ping(ping, ifFewerThan: WebhookRules.mostPendingForPing) else { return nil }
            wake([endpoint.id])
            return event.id
        } catch { throw Refusal(error) }
    }

    package static let mostListed = 200
    /// Maximum deliveries that one call can send again.
    package static let mostReplayed = 100_000

    /// The newest first.
    /// - Parameters:
    ///   - id: only this endpoint's deliveries; `nil`: all.
    ///   - limit: 1 to `mostListed`.
    /// - Throws: `.unknownEndpoint`, `.engine`.
    package func deliveries(
        at id: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(Refusal) -> [WebhookDelivery] {
        do {
            if let id { _ = try await own(id, client) }
            return try await store.webhookDeliveries(
                at: id, of: client, in: state, limit: min(max(1, limit), Self.mostListed))
        } catch { throw Refusal(error) }
    }

    /// Sends events again under the same ids, and returns the number of deliveries.
    /// - Parameter id: only to this endpoint; `nil`: to all.
    /// - Throws: `.unknownEndpoint`, `.unknownEvent`, `.stopped`, `.engine`.
    package func replay(
        _ what: WebhookReplay, to id: WebhookEndpointID?, of client: ClientID?
    ) async throws(Refusal) -> Int {
        do {
            if let id, try await !own(id, client).isActive { throw Refusal.stopped }
            let now = now()
            let count = try await store.replayWebhooks(
                what, to: id, of: client, limit: Self.mostReplayed, at: now)
            if count == 0, case .event = what { throw Refusal.unknownEvent }
            if let id { wake([id]) } else { wake(try await store.webhookEndpoints(of: client).endpoints.map(\.id)) }
            return count
        } catch { throw Refusal(error) }
    }
}

extension WebhookManager.Refusal {
    fileprivate init(_ fault: any Error) {
        self = (fault as? Self) ?? .engine(EngineFault(fault))
    }
}

extension PlatformRefusal {
    package init(_ refusal: WebhookManager.Refusal) {
        switch refusal {
        case .invalid(let defect): self = .invalidField(.named(defect.field), reason: defect.reason)
        case .unknownClient, .revokedClient: self = .unauthorized
        case .unknownEndpoint: self = .notFound(what: "webhook")
        case .unknownEvent: self = .notFound(what: "event")
        case .tooMany:
            self = .invalidField(
                .named("url"), reason: "would be more than the \(WebhookRules.mostEndpoints) endpoints of one client")
        case .stopped, .behind, .noPing: self = .stepNotAllowed
        case .noConsent(let consent): self = .invalidField(.named("url"), reason: consent.reason ?? "did not agree")
        case .oldKeysSign(let end): self = .oldKeysSign(until: end)
        case .engine(let fault): self = PlatformRefusal(fault)
        }
    }
}
