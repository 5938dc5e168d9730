package import Possession

/// Ends the sessions of a restored backup. A code, link or token that was used after the backup must not be accepted
/// again, and the backup does not show which ones were used (DUR-18).
///
///     let outcome = try await RestoredSessions(sessions, webhooks, limits: limits, now: now, randomBytes: random).endAll()
package struct RestoredSessions: Sendable {
    /// Detail of these ends in the timeline and in webhooks.
    static let detail = "restored"

    private let sessions: any SessionStore
    private let webhooks: any WebhookStore
    private let limits: Limits
    private let now: Now
    private let randomBytes: RandomBytes

    package init(
        _ sessions: any SessionStore, _ webhooks: any WebhookStore, limits: Limits, now: @escaping Now,
        randomBytes: @escaping RandomBytes
    ) {
        self.sessions = sessions
        self.webhooks = webhooks
        self.limits = limits
        self.now = now
        self.randomBytes = randomBytes
    }

    package struct Outcome: Sendable, Equatable {
        /// Failed now, or expired earlier.
        package var ended = 0
        /// Sessions that cannot be read, so they cannot be used either.
        package var unreadable = 0

        package init() {}
    }

    /// Ends every open session. It can be repeated.
    /// - Throws: the store's error; some sessions may then still be open.
    package func endAll() async throws(EngineFault) -> Outcome {
        var outcome = Outcome()
        var last: CorrelationID?
        let (start, end) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: 1 << 47))
        while true {
            let page: UnfinishedSessions
            do { page = try await sessions.unfinishedSessions(after: last, from: start, before: end) } catch {
                throw EngineFault(error)
            }
            try await endAll(of: page.sessions.map(\.id), &outcome)
            guard let next = page.last else { return outcome }
            last = next
        }
    }

    /// Ends all sessions of a page at the same time, so that they share commits.
    private func endAll(of ids: [CorrelationID], _ outcome: inout Outcome) async throws(EngineFault) {
        let results = await withTaskGroup(of: Result<Bool, EngineFault>.self) { group in
            for id in ids {
                group.addTask {
                    do throws(EngineFault) { return .success(try await end(id)) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results {
            if try result.get() { outcome.ended += 1 } else { outcome.unreadable += 1 }
        }
    }

    /// `false`: the session is damaged.
    private func end(_ id: CorrelationID) async throws(EngineFault) -> Bool {
        let (now, limits) = (now(), limits)
        do {
            let device = DeviceID(at: now, random: try randomBytes(16))
            let holder = HolderID(at: now, random: try randomBytes(16))
            let seed = WebhookEventID(at: now, random: try randomBytes(16))
            _ = try await sessions.update(.correlation(id), in: .all, ChangeInputs(), freshHolderID: holder) { change in
                let before = change.session
                change.apply(at: now, limits: limits, freshDeviceID: device) { change in
                    guard !change.session.isDone else { return }
                    // The clock of the backup may have been ahead.
                    change.session.fail(at: max(now, change.session.createdAt), detail: Self.detail)
                }
                change.webhooks = events(of: change, since: before, seed, at: now)
            }
            return true
        } catch {
            if case .corrupt? = error as? StorageFault { return false }
            throw EngineFault(error)
        }
    }

    private func events(
        of change: SessionChange, since before: Session, _ seed: WebhookEventID, at now: Timestamp
    ) -> [NewWebhookEvent] {
        let client = before.clientID
        let subscriptions = change.tenantIsRevoked ? [] : webhooks.subscriptions(of: client)
        guard !subscriptions.isEmpty else { return [] }
        let teller = WebhookEventFactory(client: client, subscriptions: subscriptions, first: seed, at: now)
        return teller.events(change.session.webhookNews(since: before, key: change.deviceKey))
    }
}
