package import Possession

/// One page of unfinished sessions.
package struct UnfinishedSessions: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package let id: CorrelationID
        package let client: ClientID

        package init(id: CorrelationID, client: ClientID) {
            self.id = id
            self.client = client
        }
    }

    package let sessions: [Entry]
    /// The last row that was read, after which the next page begins; `nil`: there was none.
    package let last: CorrelationID?
    /// Rows that cannot be read.
    package let damaged: Int

    package init(_ sessions: [Entry], last: CorrelationID?, damaged: Int = 0) {
        self.sessions = sessions
        self.last = last
        self.damaged = damaged
    }
}

/// Stores sessions, and everything that changes together with one.
package protocol SessionStore: Sendable {
    /// Stores a new session with its events. A success gets its `holderID` (`freshHolderID` unless the number has one).
    /// - Parameter webhooks: events for the tenant's endpoints.
    /// - Throws: `.duplicate` if another session has one of its ids, or one of its names that are not shared.
    func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent]
    ) async throws(StorageFault)

    /// As above, with limits in the same transaction: `rule` gets the tallies under `keys`. If it refuses, the session
    /// is not stored, but the tallies are.
    func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent], counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit?

    /// Reads one session as the last change left it; `nil`: there is no such session inside the fence.
    /// - Parameter fence: for a shared name it must have one tenant and one product. Of several sessions with the name,
    ///   the newest is read.
    func session(_ key: SessionKey, in fence: SessionFence) async throws(StorageFault) -> Session?

    /// Reads, changes and stores one session and everything that belongs to it, as one step. If the rule changes
    /// nothing, only the used-up proof is written. `nil`: there is no such session inside the fence, and nothing was
    /// written.
    ///
    /// Changes of one session run one after the other. A store that reads and writes in separate steps compares the
    /// session's `revision` and the number of its events, and runs the rule again if either has changed. The number is
    /// needed because an event that clients do not see adds no revision.
    ///
    /// A name that the rule has added finds the session from then on, and earlier names still do.
    ///
    /// Before the rule: the proof is used up; the earlier reply, device key, tallies and the message's state are read.
    /// After it, in the same transaction: session, new events, device key, tallies, message and reply are written. A
    /// session that now has a proof gets its `holderID` (`freshHolderID` unless the tenant has one for that number).
    func update<R: Sendable>(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R?

    /// Changes the session at a key if it is continued, else starts a new one by the same rule: as one step, with
    /// everything that `update` stores. Of several simultaneous calls one starts a session, and the others change it.
    ///
    /// - Parameters:
    ///   - key: looked up among the sessions of the new session's tenant and product.
    ///   - new: not stored yet. It has the key itself, or the rule adds it.
    ///   - goesOn: called with the session at the key, as the last change left it. A session that cannot be read is not
    ///     continued. A session with the stored reply to the call is always continued.
    ///   - rule: as for `update`. `change.isNew` says whether it runs on the new session; it may drop a new one.
    /// - Throws: `.duplicate` if another session has one of the new one's ids, or one of its names that are not shared.
    func findOrInsert<R: Sendable>(
        _ key: SessionKey, new: Session, goesOn: @escaping @Sendable (Session) -> Bool, _ lookup: ChangeInputs,
        freshHolderID: HolderID, _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R

    /// The timeline, oldest first.
    func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent]

    /// Sessions that have not ended and were created before `end`: a page of rows after `after`, oldest first. Rows
    /// from before `start` are left out.
    func unfinishedSessions(
        after: CorrelationID?, from start: Timestamp, before end: Timestamp
    ) async throws(StorageFault) -> UnfinishedSessions

    /// The newest sessions, newest first.
    func recentSessions(limit: Int) async throws(StorageFault) -> [Session]

    /// Sessions of a tenant and a product that can be found by their number or address, newest first.
    /// - Parameters:
    ///   - target: `nil`: any target.
    ///   - before: only older ones.
    func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [Session]

    /// Removes expired data, a bounded amount in each call. Returns the number of rows removed or blanked. It removes
    /// sessions (with events, replies, messages and used proofs) created before `sessionsBefore`, digests of codes that
    /// expired before `now` (OTP-08), and limit counts that no longer count.
    func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int

    /// Removes sessions created before `end` that no client redeemed: they have no result to keep. A session that can
    /// still be redeemed or read at `now` is left to `sweep`. A bounded number in each call; returns the number of
    /// sessions checked. Each session is checked once in the lifetime of the store.
    func sweepUnredeemed(before end: Timestamp, now: Timestamp) async throws(StorageFault) -> Int
}
