package import Possession

/// The author of a change to a session.
package enum ChangeAuthor: Sendable {
    /// A backend, or the holder of a token, link or attempt of one session. It reaches the sessions inside the fence,
    /// except those of revoked tenants.
    case caller(SessionFence)
    /// The server: expiries, its own messages, and simulated steps of tests.
    case server

    var fence: SessionFence {
        switch self {
        case .caller(let fence): fence
        case .server: .all
        }
    }
}

/// Outcome of a change.
package enum Changed<Outcome: Sendable, Refusal: Error>: Sendable {
    /// The author reaches no such session.
    case unknown
    /// The session's tenant is revoked, so no caller may act for it (TOK-10). Nothing has changed.
    case revoked(Session)
    /// The rule threw. Only expiries have changed the session.
    case refused(Refusal, Session)
    /// The change is durable. The session is as it was stored, except for a new `holderID`.
    case made(Outcome, Session)
}

/// A session that starts with a change, unless the existing session at the key is continued.
package struct StartingSession: Sendable {
    /// Not stored yet.
    let session: Session
    /// Whether the existing session at the key, with expiries applied, is continued.
    let goesOn: @Sendable (Session) -> Bool
}

extension Engine {
    /// Reads one session as the last change left it; `nil`: there is no such session inside the fence.
    package func session(_ key: SessionKey, in fence: SessionFence) async throws(EngineFault) -> Session? {
        do { return try await stores.sessions.session(key, in: fence) } catch { throw EngineFault(error) }
    }

    /// Reads one session with expiries applied (`withExpiries(_:at:)`).
    func currentSession(
        _ key: SessionKey, in fence: SessionFence, at now: Timestamp
    ) async throws(EngineFault) -> Session? {
        guard let found = try await session(key, in: fence) else { return nil }
        return try await withExpiries(found, at: now)
    }

    /// Changes one session. All services use this function for it.
    ///
    ///     author -> expire -> rule -> bind -> count -> append -> webhooks -> commit -> tell, note limits, announce, wake
    ///
    /// - Parameters:
    ///   - start: the session to start if no session at the key is continued. It is stored as the rule leaves it. If
    ///     the rule drops it or throws, only the limit counts are stored.
    ///   - lookup: what the rule needs beside the session.
    ///   - append: adds the data to store with the change, once the session is in its final state.
    /// - Throws: `.overloaded`, `.failed`; then nothing has changed.
    package func change<Outcome: Sendable, Refusal: Error>(
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

    /// As `change`, for a caller that needs the original fault.
    /// - Throws: `StorageFault`, `EntropyFault`.
    func changeOrFault<Outcome: Sendable, Refusal: Error>(
        _ key: SessionKey, orStart start: StartingSession? = nil, by author: ChangeAuthor,
        _ lookup: ChangeInputs = ChangeInputs(), at now: Timestamp,
        append: (@Sendable (inout SessionChange, Outcome) -> Void)? = nil,
        _ rule: @escaping @Sendable (inout SessionChange) throws(Refusal) -> Outcome
    ) async throws -> Changed<Outcome, Refusal> {
        let limits = limits
        let deviceID = try crypto.fresh(DeviceID.self, at: now)
        let webhookSeed = try webhookSeed(at: now)
        let holderID = try crypto.fresh(HolderID.self, at: now)
        let step = { @Sendable [self] (change: inout SessionChange) -> ChangeStep<Outcome, Refusal> in
            let before = change.session
            if case .caller = author, change.tenantIsRevoked { return ChangeStep(.revoked(before), dropping: &change) }
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
            let done = try await stores.sessions.update(key, in: author.fence, lookup, freshHolderID: holderID, step)
            return done.map { publish($0) } ?? .unknown
        }
        return publish(
            try await stores.sessions.findOrInsert(
                key, new: start.session,
                goesOn: { found in
                    var found = found
                    found.expire(at: now)
                    return start.goesOn(found)
                }, lookup, freshHolderID: holderID, step))
    }

    /// Reports what is now durable.
    private func publish<Outcome: Sendable, Refusal: Error>(
        _ step: ChangeStep<Outcome, Refusal>
    ) -> Changed<Outcome, Refusal> {
        publish(step.news)
        for hit in step.hits {
            reports.recordLimit(hit.limit, hit.number)
            if let asker = hit.asker { throttledSources.note(asker.source, of: asker.tenant, at: now()) }
        }
        for news in step.ofLimits { reports.recordNews(news) }
        if let authID = step.announces { reports.announce(authID) }
        if !step.wakes.isEmpty { reports.wakeWebhooks(step.wakes) }
        return step.changed
    }
}

/// Results of a transaction to report once it is durable. One object, because it is passed through many calls.
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

    /// - Parameter change: a new session in it is not stored.
    convenience init(_ changed: Changed<Outcome, Refusal>, dropping change: inout SessionChange) {
        change.isDropped = change.isNew
        self.init(changed)
    }
}
