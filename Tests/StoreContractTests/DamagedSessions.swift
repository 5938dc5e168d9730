import Engine
import Possession

/// A store in which the records of some sessions are damaged: they cannot be read, and so not changed.
struct DamagedSessions: SessionStore {
    let base: any SessionStore
    let damaged: Set<CorrelationID>
    /// Fault of a call about one of them; `nil`: the call does not fail, for now.
    let fault: @Sendable () -> StorageFault?

    private func check(_ key: SessionKey, _ fence: SessionFence) async throws(StorageFault) {
        guard let session = try await base.session(key, in: fence), damaged.contains(session.correlationID) else {
            return
        }
        if let fault = fault() { throw fault }
    }

    func session(_ key: SessionKey, in fence: SessionFence) async throws(StorageFault) -> Session? {
        try await check(key, fence)
        return try await base.session(key, in: fence)
    }

    func update<R: Sendable>(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        try await check(key, fence)
        return try await base.update(key, in: fence, lookup, freshHolderID: freshHolderID, rule)
    }

    func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent]
    ) async throws(StorageFault) {
        try await base.insert(session, freshHolderID: freshHolderID, webhooks: webhooks)
    }

    func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent], counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit? {
        try await base.insert(session, freshHolderID: freshHolderID, webhooks: webhooks, counting: keys, rule)
    }

    func findOrInsert<R: Sendable>(
        _ key: SessionKey, new: Session, goesOn: @escaping @Sendable (Session) -> Bool, _ lookup: ChangeInputs,
        freshHolderID: HolderID, _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R {
        try await base.findOrInsert(key, new: new, goesOn: goesOn, lookup, freshHolderID: freshHolderID, rule)
    }

    func unfinishedSessions(
        after: CorrelationID?, from start: Timestamp, before end: Timestamp
    ) async throws(StorageFault) -> UnfinishedSessions {
        try await base.unfinishedSessions(after: after, from: start, before: end)
    }

    func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent] { try await base.events(of: id) }

    func recentSessions(limit: Int) async throws(StorageFault) -> [Session] {
        try await base.recentSessions(limit: limit)
    }

    func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [Session] {
        try await base.sessions(of: tenant, product: product, target: target, before: before, most: most)
    }

    func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int {
        try await base.sweep(sessionsBefore: sessionsBefore, now: now)
    }

    func sweepUnredeemed(before end: Timestamp, now: Timestamp) async throws(StorageFault) -> Int {
        try await base.sweepUnredeemed(before: end, now: now)
    }
}
