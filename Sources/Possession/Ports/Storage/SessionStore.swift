/// Everything that one change of a session reads and then writes, as values. A rule is a plain function on it.
package struct SessionChange: Sendable {
    package var session: Session
    /// The session starts with this change (`SessionStore.findOrInsert`).
    package let isNew: Bool
    /// Do not store the new session. Store only the limit counts.
    package var isDropped = false
    /// The session tenant's key with the looked-up thumbprint, else with that of the pending key. Setting or changing
    /// it stores it.
    package var deviceKey: DeviceKey?
    /// A new activation for what the session has proven. Setting it stores it.
    package var activation: DeviceActivation?
    /// Use of this request's DPoP proof (TOK-15).
    package let proof: ProofUse
    /// The session's tenant is revoked, so none of its clients may call (TOK-10).
    package let tenantIsRevoked: Bool
    /// The tenant's rules, if the look-up requested them and they can be read.
    package let tenantRules: TenantRules?
    /// The tenant has an identity for the target in the look-up.
    package let isKnownTarget: Bool
    /// Number of tenants that may call, if the look-up requested it; else 1.
    package let tenantCount: Int
    /// Earlier reply to the same retry key.
    package let earlierReply: KeptReply?
    /// The tallies of the keys in the look-up. Changed tallies are stored.
    package var tallies: LimitTallies
    /// Names for the session, in addition to its own (`Session.names`).
    package var names: [SessionName] = []
    /// Stored under the retry key, if the call has one.
    package var reply: KeptReply?
    /// Stored as queued (DUR-14); the caller must then send it: see `Outbox`.
    package var message: OutboundMessage?
    /// State of the message in the look-up; `nil`: there is none. Changing it stores it and deletes the message's
    /// content.
    package var messageState: OutboundMessage.State?
    /// The end that the carrier reported for that message; `nil`: not known yet. Setting it stores it.
    package var messageEnd: MessageReceipt.End?
    /// Gateways that did not take it, in order. Stored with a new `messageState`.
    package var messageRefusals: [GatewayRefusal] = []
    /// Its gateway has a deadline for the first receipt, and none has come. `false` is stored when one has come or the
    /// time is over.
    package var messageAwaitsReceipt: Bool
    /// The gateway that took it, if gateways have names. For a queued message: the gateway that reported its end; it is
    /// stored with that end.
    package var messageGateway: String?
    /// The channel that it took, if that was recorded.
    package let messageChannel: OutgoingMessage.Channel?
    /// That message with its content, if the look-up requested it and it is kept (`Outbox.noteSent`).
    package let keptMessage: OutboundMessage?
    /// The account of a proof by Mobile Auth, if the rule may prove a number so; `nil`: it is not counted.
    var mobileAuthAccount: MessageAccount?
    /// Events of the rule, in addition to the session's own.
    package var news: [WebhookNews] = []
    /// Stored for the tenant's endpoints. The engine sets it after the rule.
    package var webhooks: [NewWebhookEvent] = []

    package init(
        session: Session, isNew: Bool = false, deviceKey: DeviceKey?, proof: ProofUse, tenantIsRevoked: Bool,
        tenantRules: TenantRules? = nil, isKnownTarget: Bool = false, tenantCount: Int = 1,
        earlierReply: KeptReply?, tallies: LimitTallies = LimitTallies(), messageState: OutboundMessage.State? = nil,
        messageEnd: MessageReceipt.End? = nil, messageAwaitsReceipt: Bool = false, messageGateway: String? = nil,
        messageChannel: OutgoingMessage.Channel? = nil, keptMessage: OutboundMessage? = nil
    ) {
        self.session = session
        self.isNew = isNew
        self.deviceKey = deviceKey
        self.proof = proof
        self.tenantIsRevoked = tenantIsRevoked
        self.tenantRules = tenantRules
        self.isKnownTarget = isKnownTarget
        self.tenantCount = tenantCount
        self.earlierReply = earlierReply
        self.tallies = tallies
        self.messageState = messageState
        self.messageEnd = messageEnd
        self.messageAwaitsReceipt = messageAwaitsReceipt
        self.messageGateway = messageGateway
        self.messageChannel = messageChannel
        self.keptMessage = keptMessage
    }
}

/// Data that an update must read beside the session.
package struct ChangeInputs: Sendable {
    package var thumbprint: Thumbprint?
    /// The proof to use up in the same transaction.
    package var proof: DPoPProof?
    /// The call only reads. Its proofs have a lower maximum, so that other calls can still use proofs.
    package var isLook = false
    package var retry: RetryKey?
    /// Whether a reply stored under `retry` answers the call. If so, the newest session at a shared name that has such
    /// a reply is used.
    package var isAnswer: (@Sendable (KeptReply) -> Bool)?
    /// A message of the session whose state the rule needs.
    package var message: MessageID?
    /// Whether it also needs the content of that message.
    package var wantsKeptMessage = false
    /// Whether the rule needs the tenant's rules.
    package var wantsTenantRules = false
    /// Whether it needs the number of tenants that share a budget.
    package var wantsTenantCount = false
    /// A target: the rule needs to know whether the tenant has an identity for it.
    package var knownTarget: (@Sendable (Session) -> Target?)?
    /// The limit keys that the rule will read; `nil` if no limits are enforced, which saves the query.
    package var limitKeys: (@Sendable (Session, DeviceKey?) -> [LimitKey])?

    package init() {}
}

/// Identifies retries of one call: session (from the update), path and the body's `requestId` (API-11).
package struct RetryKey: Sendable, Equatable {
    package let path: String
    package let requestID: String
    package let body: BodyDigest

    package init(path: String, requestID: String, body: BodyDigest) {
        self.path = path
        self.requestID = requestID
        self.body = body
    }
}

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
