internal import Possession

/// Parts of every start of a session.
extension Engine {
    /// A new session, not stored yet.
    func newSession(
        _ request: SessionRequest, for tenant: Tenant, flow: FlowDigest? = nil, languages: Languages? = nil,
        lifetimeSeconds: Int? = nil, at now: Timestamp
    ) throws(EntropyFault) -> Session {
        Session(
            correlationID: try crypto.fresh(CorrelationID.self, at: now),
            authID: try crypto.fresh(AuthID.self, at: now),
            clientID: tenant.id, request: request, flowDigest: flow, languages: languages,
            lifetime: lifetimeSeconds.map { .seconds($0) }, at: now, limits: limits)
    }

    /// Stores a new session; where it counts under `keys`, only if none of them is at its limit.
    /// - Returns: the limit that has refused it; `nil`: it is stored.
    @discardableResult func insert(
        _ session: Session, counting keys: [LimitKey] = [], at now: Timestamp
    ) async throws -> LimitHit? {
        let freshID = try crypto.fresh(HolderID.self, at: now)
        let webhooks = try webhooks(ofNew: session, at: now)
        guard let limits = limits.overSessions, !keys.isEmpty else {
            try await stores.sessions.insert(session, freshHolderID: freshID, webhooks: webhooks)
            wake(for: webhooks)
            return nil
        }
        let hit = try await stores.sessions.insert(
            session, freshHolderID: freshID, webhooks: webhooks, counting: keys
        ) { tallies in
            tallies.take(keys, by: limits, at: now)
        }
        if let hit { reports.recordLimit(hit.limit, session.currentNumber) } else { wake(for: webhooks) }
        return hit
    }

    /// Why a tenant may not use codes of so many digits; `nil`: it may. Every code that a call asks for, or brings with it,
    /// passes here.
    func refusal(ofDigits digits: Int, by rules: TenantRules) -> String? {
        guard let least = rules.leastCodeDigits(by: limits), digits < least else { return nil }
        return "must give codes of at least \(least) digits to this client"
    }

    /// Reports a text that makes more than one part: the operator pays for each.
    func noteParts(of template: MessageTemplate, of client: ClientID) {
        let text = template.filled(with: String(repeating: "0", count: template.placeholderLength))
        let sent = texts.hasLookalikes ? GSMAlphabet.lookalikes(of: text) : text
        if let note = multiPartTexts.note(sent, of: client, at: now()) { reports.log(note) }
    }

    /// The endpoint below whose URL a backend wants to be called: the one with the longest.
    /// - Returns: `nil`: the tenant has none, or there is no URL.
    func callback(
        _ url: String?, of product: ProductName, for client: ClientID
    ) async throws(EngineFault) -> SessionRequest.Callback? {
        guard let url else { return nil }
        let endpoints: [WebhookEndpoint]
        do { endpoints = try await stores.webhooks.webhookEndpoints(of: client).endpoints } catch {
            throw EngineFault(error)
        }
        let fitting = endpoints.filter {
            $0.isActive && $0.format.fitsCallback(of: product) && WebhookURLRule.isPrefix($0.url, of: url)
        }
        return fitting.max { $0.url.utf8.count < $1.url.utf8.count }.map {
            SessionRequest.Callback(endpoint: $0.id, url: url)
        }
    }

    /// Why a callback URL has no endpoint: the end of a sentence about it.
    func refusal(ofCallbackOf product: ProductName) -> String {
        let format = WebhookEndpoint.Format.ofVendor(product).map { " with the format \($0.rawValue)" }
        return "is not below the URL of an active webhook endpoint of this client\(format ?? "")"
    }
}
