/// Everything one change of a session reads, and then writes, as values: the rule is a plain function on it.
package struct SessionChange: Sendable {
    package var session: Session
    /// The session starts with this change (`SessionStore.findOrInsert`).
    package let isNew: Bool
    /// A new session that is not to be stored. Of the change only what limits counted is.
    package var isDropped = false
    /// The key with the looked-up thumbprint (else with the pending key's), of the session's tenant. Setting or
    /// changing it stores it.
    package var deviceKey: DeviceKey?
    /// A new activation of what the session has proven. Setting it stores it.
    package var activation: DeviceActivation?
    /// Use of this request's DPoP proof (TOK-15).
    package let proof: ProofUse
    /// The session's tenant may no longer call, and so may none of its clients (TOK-10).
    package let tenantIsRevoked: Bool
    /// Rights of the tenant, where the lookup asked for them and they can be read.
    package let tenantRules: TenantRules?
    /// The tenant has an identity for the target that the lookup named.
    package let isKnownTarget: Bool
    /// Tenants that may call, where the lookup asked for it; else 1.
    package let tenantCount: Int
    /// Earlier answer to the same retry key.
    package let earlierReply: KeptReply?
    /// Counts of limits under the keys that the lookup named; what is changed in them is stored.
    package var tallies: LimitTallies
    /// Names that the session gets beside those that it tells itself (`Session.names`).
    package var names: [SessionName] = []
    /// Stored under the retry key, when the request has one.
    package var reply: KeptReply?
    /// Stored as queued (DUR-14), in the caller's hands: see `Outbox`.
    package var message: OutboundMessage?
    /// Where the message stands that the lookup named; `nil`: there is none. Changing it stores it, and what the message
    /// held is forgotten.
    package var messageState: OutboundMessage.State?
    /// How that message ended at its carrier; `nil`: that is not known yet. Setting it stores it.
    package var messageEnd: MessageReceipt.End?
    /// Gateways that did not take it, in order; stored with a new `messageState`.
    package var messageRefusals: [GatewayRefusal] = []
    /// Its gateway has a time for the first receipt, and none has come. `false` is stored: one has come, or the time is over.
    package var messageAwaitsReceipt: Bool
    /// The gateway that took it, where gateways have names; of a queued message, the one that said how it ended. It is stored
    /// with such an end.
    package var messageGateway: String?
    /// The channel that it took, where that was noted.
    package let messageChannel: OutgoingMessage.Channel?
    /// That message with what it held, where the lookup asked for it and it is kept (`Outbox.noteSent`).
    package let keptMessage: OutboundMessage?
    /// Under what a proof by Mobile Auth counts, where the rule may prove a number so; `nil`: under nothing.
    var mobileAuthAccount: MessageAccount?
    /// Events that a rule tells beside the session's own.
    package var news: [WebhookNews] = []
    /// Stored for the tenant's endpoints. The engine fills it in, after the rule.
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

/// Data that an update must have at hand beside the session.
package struct ChangeInputs: Sendable {
    package var thumbprint: Thumbprint?
    /// The proof to use up in the same transaction.
    package var proof: DPoPProof?
    /// The call only looks: its proof leaves room for those of calls that do something.
    package var isLook = false
    package var retry: RetryKey?
    /// Whether a reply that was kept under `retry` is the answer to the call. The session at a shared name is then the newest
    /// one that has kept the answer, if there is one.
    package var isAnswer: (@Sendable (KeptReply) -> Bool)?
    /// A message of the session whose state the rule asks for.
    package var message: MessageID?
    /// Whether it asks for what that message held as well.
    package var wantsKeptMessage = false
    /// Whether the rule asks for what the tenant has been allowed.
    package var wantsTenantRules = false
    /// Whether it asks how many tenants share a budget.
    package var wantsTenantCount = false
    /// A target of which the rule asks whether the tenant knows it.
    package var knownTarget: (@Sendable (Session) -> Target?)?
    /// The limits that the rule will ask for; `nil` where none is enforced, which costs no statement.
    package var limitKeys: (@Sendable (Session, DeviceKey?) -> [LimitKey])?

    package init() {}
}

/// A retry of the same call: session (from the update), path and the body's `requestId` (API-11).
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

/// A page of a look through the sessions.
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
    /// The last row that was looked at, where the next page begins; `nil`: there was none.
    package let last: CorrelationID?
    /// Rows that cannot be read.
    package let damaged: Int

    package init(_ sessions: [Entry], last: CorrelationID?, damaged: Int = 0) {
        self.sessions = sessions
        self.last = last
        self.damaged = damaged
    }
}

/// Keeps sessions, and all that changes together with one.
package protocol SessionStore: Sendable {
    /// Stores a new session with its events; a success gets its `holderID` (`freshHolderID` unless the number has one).
    /// - Parameter webhooks: what the tenant's endpoints are told of it.
    /// - Throws: `.duplicate` when another session has one of its ids, or one of its names that are not shared.
    func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent]
    ) async throws(StorageFault)

    /// The same where limits have to be asked in the same transaction: `rule` sees what was counted under `keys`. If it
    /// refuses, the session is not stored, and what it counted is.
    func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent], counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit?

    /// Reads one session, as the last change left it; `nil`: there is no such session inside of the fence.
    /// - Parameter fence: of one tenant and product for a name that is shared. Of several sessions that have it, the newest
    ///   is meant.
    func session(_ key: SessionKey, in fence: SessionFence) async throws(StorageFault) -> Session?

    /// Reads, changes and stores one session and all that hangs on it as one step. A rule that changes nothing writes
    /// nothing but the used-up proof. `nil`: there is no such session inside of the fence, and nothing was written.
    ///
    /// Changes of one session run one after the other. A store that reads and writes apart compares the session's
    /// `revision` and the number of its events, and runs the rule again where one has moved: an event that no client sees
    /// counts no revision.
    ///
    /// A name that the rule has given to the session finds it from then on, and so do the earlier ones.
    ///
    /// Before the rule: the proof is used up, the earlier answer, device key, tallies and the message's state are read.
    /// After it, in the same transaction: session, new events, device key, tallies, message and answer are written, and a
    /// session that now has a proof gets its `holderID` (`freshHolderID` unless the tenant has one for that number).
    func update<R: Sendable>(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R?

    /// Changes the session at a key if that one goes on, else starts a new one by the same rule: as one step, with
    /// everything that `update` stores. Of several calls at the same time one starts a session, and the others change it.
    ///
    /// - Parameters:
    ///   - key: is looked up among the sessions of the new one's tenant and product.
    ///   - new: not stored yet. It has the key itself, or gets it by the rule.
    ///   - goesOn: is asked about the session at the key, as the last change left it. One that cannot be read does not. One
    ///     that has kept the answer to the call goes on in any case.
    ///   - rule: as for `update`. `change.isNew` says on which of the two it runs; it may drop a new one.
    /// - Throws: `.duplicate` when another session has one of the new one's ids, or one of its names that are not shared.
    func findOrInsert<R: Sendable>(
        _ key: SessionKey, new: Session, goesOn: @escaping @Sendable (Session) -> Bool, _ lookup: ChangeInputs,
        freshHolderID: HolderID, _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R

    /// The timeline, oldest first.
    func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent]

    /// Sessions that are not over, among those created before `end`: a page of rows behind `after`, oldest first. Rows
    /// from before `start` are left out.
    func unfinishedSessions(
        after: CorrelationID?, from start: Timestamp, before end: Timestamp
    ) async throws(StorageFault) -> UnfinishedSessions

    /// The newest sessions, newest first.
    func recentSessions(limit: Int) async throws(StorageFault) -> [Session]

    /// Sessions of a tenant and a product that are found by their number or address, newest first.
    /// - Parameters:
    ///   - target: `nil`: of any.
    ///   - before: only older ones.
    func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [Session]

    /// Removes what has outlived its time, a bounded amount a call; the number of rows removed or blanked. Sessions
    /// (with events, answers, messages and used proofs) created before `sessionsBefore`; digests of codes that expired before `now`
    /// (OTP-08); what limits counted and no longer counts.
    func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int

    /// Removes sessions created before `end` that no client ever redeemed: they have no result worth keeping. One that can
    /// still be redeemed or read at `now` is left to `sweep`. A bounded amount a call; the number of sessions looked at. Each
    /// session is looked at once in the life of the store.
    func sweepUnredeemed(before end: Timestamp, now: Timestamp) async throws(StorageFault) -> Int
}
