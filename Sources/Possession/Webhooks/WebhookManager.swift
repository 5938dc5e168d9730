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
    ///   - ask: asks a receiver whether it agrees.
    ///   - makeReady: makes what an endpoint of the format needs beside its own keys.
    ///   - wake: told at which endpoints something waits.
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
        /// The tenant has as many endpoints as it may.
        case tooMany
        /// Somebody or something has stopped the endpoint.
        case stopped
        /// The endpoint's tenant may no longer call, and nothing is sent for it.
        case revokedClient
        /// The keys before sign as well until then.
        case oldKeysSign(until: Timestamp)
        /// So much waits for the endpoint that a ping would tell nothing new.
        case behind
        /// The endpoint's format has no word for a ping.
        case noPing
        /// The endpoint's receiver has not agreed to get events.
        case noConsent(WebhookConsent)
        case engine(EngineFault)
    }

    /// A wish for an endpoint.
    package struct Order: Sendable, Equatable {
        package var url = ""
        package var types: [String] = []
        /// Whether it gets an Ed25519 pair beside its secret.
        package var hasKeyPair = false
        package var includes: Set<WebhookEndpoint.Inclusion> = []
        package var format = WebhookEndpoint.Format.standard
        package var ordering = WebhookEndpoint.Ordering.none
        /// Whether its receiver is asked first.
        package var hasHandshake = false

        package init() {}
    }

    /// An endpoint as its owner sees it. The secret is there when it is new, this once.
    package struct Shown: Sendable {
        package let endpoint: WebhookEndpoint
        /// `whpk_...`
        package let publicKey: String?
        /// `whsec_...`
        package let secret: String?
        /// Until when the keys before sign as well; `nil`: they do not.
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
                // One that could not be added is not asked.
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

    /// Endpoints as their owner sees them, each oldest first.
    package struct List: Sendable {
        package let endpoints: [Shown]
        /// Endpoints whose stored data cannot be read: they are told nothing, and can be removed.
        package let damaged: [WebhookEndpointID]
    }

    /// - Parameter client: its own only.
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

    /// Gives the endpoint new keys. Those before sign as well for a day.
    /// - Parameter isForced: also while the keys before sign, which end now.
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

    /// Disables an endpoint. Deliveries that wait are kept until it is enabled. It is never told of events that happen meanwhile.
    /// Where it is disabled already, nothing is stored.
    /// - Throws: `.unknownEndpoint`, `.engine`.
    package func disable(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) -> Shown {
        let now = now()
        do {
            let endpoint = try await own(id, client)
            if endpoint.isUnchanged(by: { $0.disable(.byHand, at: now) }) { return try shown(endpoint, isNew: false) }
        } catch { throw Refusal(error) }
        return try await change(id, client) { $0.disable(.byHand, at: now) }
    }

    /// Lets an endpoint be told again, beginning with a ping where its format has one. What waited when it was stopped goes out as well. A receiver
    /// that had to agree is asked again: without its consent the endpoint stays as it is. Where it is enabled and has not
    /// failed, nobody is asked and nothing is stored.
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
        // Where much waits, that shows as well whether the endpoint is there.
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

    /// The same where its tenant may call: for any other, nothing is sent.
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

    // MARK: Telling

    /// Tells of what an operator changes in a store; `nil` where the tenant has no endpoint.
    package func teller(for client: ClientID, at now: Timestamp) throws(EntropyFault) -> WebhookTeller? {
        let subscriptions = store.subscriptions(of: client)
        guard !subscriptions.isEmpty else { return nil }
        return WebhookTeller(client: client, subscriptions: subscriptions, first: try fresh(at: now), at: now)
    }

    /// Has delivered what the teller made, once the change is stored.
    package func wake(_ teller: WebhookTeller?) {
        if let teller { wake(teller.endpoints) }
    }

    // MARK: Deliveries

    /// Sends a ping, which an endpoint gets whatever it asks for.
    /// - Throws: `.unknownEndpoint`, `.revokedClient`, `.stopped`, `.noPing`, `.behind`, `.engine`.
    package func test(_ id: WebhookEndpointID, of client: ClientID?) async throws(Refusal) -> WebhookEventID {
        let endpoint: WebhookEndpoint
        do { endpoint = try await ownOfCaller(id, client) } catch { throw Refusal(error) }
        guard endpoint.isActive else { throw .stopped }
        guard endpoint.format.tells(of: .ping(id, at: now())) else { throw .noPing }
        guard let event = try await ping(endpoint) else { throw .behind }
        return event
    }

    /// `nil`: too much waits for it already, or its format has no word for it.
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
    /// Deliveries that one call can make go out again.
    package static let mostReplayed = 100_000

    /// The newest first.
    /// - Parameters:
    ///   - id: of this endpoint; `nil`: of all.
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

    /// Makes events go out again under the same ids; how many deliveries.
    /// - Parameter id: to this endpoint only.
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
