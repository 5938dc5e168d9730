/// On whose word a session is changed.
package enum ChangeAuthor: Sendable {
    /// The backend of a tenant. It has its own sessions only, and by the calls of one product those of that product.
    case backend(ClientID, ProductName? = nil)
    /// Whoever holds what was made for this one session: a token, a link, an attempt.
    case holder
    /// The server: what time ends, what it has promised, what is played for a test.
    case server
}

/// What became of a change.
enum Changed<Outcome: Sendable, Refusal: Error>: Sendable {
    /// There is no such session, or it is not the author's.
    case unknown
    /// The session's tenant may no longer call, and so may nobody for it (TOK-10). Nothing has changed.
    case revoked(Session)
    /// The rule threw. Nothing has changed but what time had ended.
    case refused(Refusal, Session)
    /// The change is durable. The session is as it was stored, but for a new `holderID`.
    case made(Outcome, Session)
}

/// A session that starts with a change unless the one at the key goes on.
struct StartingSession: Sendable {
    /// Not stored yet.
    let session: Session
    /// Asked about the session at the key as it is now.
    let goesOn: @Sendable (Session) -> Bool
}

extension Engine {
    /// Changes one session. No service changes one in another way.
    ///
    ///     author -> expire -> rule -> bind -> count -> append -> webhooks -> commit -> tell, note limits, announce, wake
    ///
    /// - Parameters:
    ///   - start: starts where no session at the key goes on. It is stored as the rule leaves it, unless the rule drops it or
    ///     throws: then of the change only what limits counted is stored.
    ///   - lookup: what the rule needs beside the session.
    ///   - append: adds what has to be stored with the change, once the session is as it will be stored.
    /// - Throws: `.overloaded`, `.failed`; nothing has changed then.
    func change<Outcome: Sendable, Refusal: Error>(
        _ key: SessionKey, orStart start: StartingSession? = nil, by author: ChangeAuthor,
        _ lookup: ChangeInputs = ChangeInputs(), at now: Timestamp,
        append: (@Sendable (inout SessionChange, Outcome) -> Void)? = nil,
        _ rule: @escaping @Sendable (inout SessionChange) throws(Refusal) -> Outcome
    ) async throws(EngineFault) -> Changed<Outcome, Refusal> {
        do {
            return try await changeOrFault(key, orStart: start, by: author, lookup, at: now, append: append, rule)
        } catch {
            throw EngineFault(error)
        }
    }

    /// The same for a caller who asks what the fault is.
    /// - Throws: `StorageFault`, `EntropyFault`.
    func changeOrFault<Outcome: Sendable, Refusal: Error>(
        _ key: SessionKey, orStart start: StartingSession? = nil, by author: ChangeAuthor,
        _ lookup: ChangeInputs = ChangeInputs(), at now: Timestamp,
        append: (@Sendable (inout SessionChange, Outcome) -> Void)? = nil,
        _ rule: @escaping @Sendable (inout SessionChange) throws(Refusal) -> Outcome
    ) async throws -> Changed<Outcome, Refusal> {
        let limits = limits
        let deviceID = try fresh(DeviceID.self, at: now)
        let webhookSeed = try webhookSeed(at: now)
        let holderID = try fresh(HolderID.self, at: now)
        let step = { @Sendable [self] (change: inout SessionChange) -> ChangeStep<Outcome, Refusal> in
            let before = change.session
            switch author {
            case .backend(let tenant, let product):
                let isItsOwn =
                    tenant == before.clientID && (product.map { $0 == before.request.policy.product } ?? true)
                guard isItsOwn else { return ChangeStep(.unknown) }
                if change.tenantIsRevoked { return ChangeStep(.revoked(before), dropping: &change) }
            case .holder: if change.tenantIsRevoked { return ChangeStep(.revoked(before), dropping: &change) }
            case .server: break
            }
            let changed: Changed<Outcome, Refusal>
            do throws(Refusal) {
                let outcome = try change.apply(at: now, limits: limits, freshDeviceID: deviceID, rule)
                append?(&change, outcome)
                changed = .made(outcome, change.session)
            } catch {
                change.isDropped = change.isNew
                changed = .refused(error, change.session)
            }
            if let webhookSeed { change.webhooks = webhooks(of: change, since: before, webhookSeed, at: now) }
            return ChangeStep(
                changed, news: change.isDropped ? nil : change.session.news, hits: change.tallies.hits,
                ofLimits: change.tallies.engineNews,
                announces: change.session.revision != before.revision ? before.authID : nil,
                wakes: change.webhooks.isEmpty ? [] : change.webhooks.flatMap(\.endpoints))
        }
        guard let start else {
            guard let done = try await sessions.update(key, lookup, freshHolderID: holderID, step) else {
                return .unknown
            }
            return tell(done)
        }
        return tell(
            try await sessions.findOrInsert(
                key, new: start.session,
                goesOn: { found in
                    var found = found
                    found.settle(at: now)
                    return start.goesOn(found)
                }, lookup, freshHolderID: holderID, step))
    }

    /// Tells what is durable now.
    private func tell<Outcome: Sendable, Refusal: Error>(
        _ step: ChangeStep<Outcome, Refusal>
    ) -> Changed<Outcome, Refusal> {
        tell(step.news)
        for hit in step.hits { noteLimit(hit.limit, hit.number) }
        for news in step.ofLimits { noteNews(news) }
        if let authID = step.announces { announce(authID) }
        if !step.wakes.isEmpty { wakeWebhooks(step.wakes) }
        return step.changed
    }
}

/// What a transaction hands out to be told once it is durable. One object, because it goes through many hands.
private final class ChangeStep<Outcome: Sendable, Refusal: Error>: Sendable {
    let changed: Changed<Outcome, Refusal>
    let news: Session.News?
    let hits: [LimitTallies.Hit]
    let ofLimits: [EngineNews]
    let announces: AuthID?
    let wakes: [WebhookEndpointID]

    init(
        _ changed: Changed<Outcome, Refusal>, news: Session.News? = nil, hits: [LimitTallies.Hit] = [],
        ofLimits: [EngineNews] = [], announces: AuthID? = nil, wakes: [WebhookEndpointID] = []
    ) {
        self.changed = changed
        self.news = news
        self.hits = hits
        self.ofLimits = ofLimits
        self.announces = announces
        self.wakes = wakes
    }

    /// - Parameter change: stores nothing of a new session.
    convenience init(_ changed: Changed<Outcome, Refusal>, dropping change: inout SessionChange) {
        change.isDropped = change.isNew
        self.init(changed)
    }
}
