/// What the services need of durable storage. `SQLiteStorage` implements it; `Tests/StoreContractTests` holds every store
/// to what is written here.
///
/// A method returns only when its effect survives a crash, and no type of a database crosses. A method is one step: others
/// see all of its effect or nothing, and one that throws has had none. A rule (`update`, `insert(counting:)`, `count`,
/// `updateTenant`) may run more than once: in a batch that is run again, or because another replica has changed the row
/// since it was read. So a rule is a plain function of what it is shown, and does nothing outside. The result of its last
/// run is what is stored and given back.

/// Why the store could not answer. Whatever it is, nothing was changed; only after `.failed` of a write may a change that
/// was under way turn out to be stored, when the process ends before it could tell.
package enum StorageFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The disk is full or too many changes wait; nothing was changed, and a later try may pass.
    case overloaded
    /// A stored value breaks a rule of the domain. `what` names table and column, never the value.
    case corrupt(what: String)
    /// The database reported an error: its own number, what was being done, and its words. Never a stored or bound value.
    case failed(code: Int, operation: String)
    /// The key of a new row is taken.
    case duplicate

    /// For the log and for operators.
    package var description: String {
        switch self {
        case .overloaded: "the disk is full, or too many changes wait"
        case .corrupt(let what): "\(what) holds a damaged value"
        case .failed(0, let operation): operation
        case .failed(let code, let operation): "SQLite error \(code) in \(operation)"
        case .duplicate: "the key of a new row is taken"
        }
    }
}

/// By which id a session is looked up.
package enum SessionKey: Sendable, Hashable {
    case correlation(CorrelationID)
    case auth(AuthID)
    /// Any link the session ever sent, also a superseded one.
    case link(LinkDigest)
    /// Any Mobile Auth attempt of the session.
    case attempt(AttemptID)
    /// The token of a prefill run that a browser or phone drives.
    case flow(FlowDigest)
}

/// Everything one change of a session reads, and then writes, as values: the rule is a plain function on it.
package struct SessionChange: Sendable {
    package var session: Session
    /// The key with the looked-up thumbprint (else with the pending key's), of the session's tenant. Setting or
    /// changing it stores it.
    package var deviceKey: DeviceKey?
    /// What became of this request's DPoP proof (TOK-15).
    package let proof: ProofUse
    /// The session's tenant may no longer call, and so may none of its clients (TOK-10).
    package let tenantIsRevoked: Bool
    /// What the same retry key was answered before.
    package let earlierReply: KeptReply?
    /// What limits have counted under the keys that the lookup named; what is changed in it is stored.
    package var tallies: LimitTallies
    /// Stored under the retry key, when the request has one.
    package var reply: KeptReply?

    package init(
        session: Session, deviceKey: DeviceKey?, proof: ProofUse, tenantIsRevoked: Bool, earlierReply: KeptReply?,
        tallies: LimitTallies = LimitTallies()
    ) {
        self.session = session
        self.deviceKey = deviceKey
        self.proof = proof
        self.tenantIsRevoked = tenantIsRevoked
        self.earlierReply = earlierReply
        self.tallies = tallies
    }
}

/// What an update must have at hand beside the session.
package struct ChangeInputs: Sendable {
    package var thumbprint: Thumbprint?
    /// The proof to use up in the same transaction.
    package var proof: DPoPProof?
    /// The call only looks: its proof leaves room for those of calls that do something.
    package var isLook = false
    package var retry: RetryKey?
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

package protocol SessionStore: Sendable {
    /// Stores a new session with its events; a success gets its `proveID` (`freshProveID` unless the number has one).
    /// - Throws: `.duplicate` when another session has one of its ids, its flow token or its link.
    func insert(_ session: Session, freshProveID: ProveID) async throws(StorageFault)

    /// The same where limits have to be asked in the same transaction: `rule` sees what was counted under `keys`. If it
    /// refuses, the session is not stored, and what it counted is.
    func insert(
        _ session: Session, freshProveID: ProveID, counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit?

    /// Reads one session, as the last change left it; `nil`: no such session.
    func session(_ key: SessionKey) async throws(StorageFault) -> Session?

    /// Reads, changes and stores one session and all that hangs on it as one step. A rule that changes nothing writes
    /// nothing but the used-up proof. `nil`: no such session, and nothing was written.
    ///
    /// Changes of one session run one after the other. A store that reads and writes apart compares the session's
    /// `revision`, and runs the rule again where it has moved.
    ///
    /// A link or attempt that the rule put into the session finds it from then on, and so do the earlier ones.
    ///
    /// Before the rule: the proof is used up, the earlier answer, device key and tallies are read. After it, in the
    /// same transaction: session, new events, device key, tallies and answer are written, and a session that now has
    /// a proof gets its `proveID` (`freshProveID` unless the tenant has one for that number).
    func update<R: Sendable>(
        _ key: SessionKey, _ lookup: ChangeInputs, freshProveID: ProveID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R?

    /// The timeline, oldest first.
    func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent]

    /// The newest sessions, newest first.
    func recentSessions(limit: Int) async throws(StorageFault) -> [Session]

    /// Removes what has outlived its time, a bounded amount a call; the number of rows removed or blanked. Sessions
    /// (with events, answers and used proofs) created before `sessionsBefore`; digests of codes that expired before `now`
    /// (OTP-08); what limits counted and no longer counts.
    func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int

    /// Removes sessions created before `end` that no client ever redeemed: they have no result worth keeping. A bounded
    /// amount a call; the number of sessions looked at. Each session is looked at once in the life of the store.
    func sweepUnredeemed(before end: Timestamp) async throws(StorageFault) -> Int
}

/// What limits have counted: for operators, and for guesses that belong to no session.
package protocol LimitStore: Sendable {
    /// Shows `rule` what was counted under `keys`, and stores what it counts in it, as one step.
    func count<R: Sendable>(
        _ keys: [LimitKey], _ rule: @escaping @Sendable (inout LimitTallies) -> R
    ) async throws(StorageFault) -> R
    /// The tallies of `keys` that there are.
    func tallies(_ keys: [LimitKey]) async throws(StorageFault) -> [LimitKey: LimitTally]
    /// Forgets what was counted under `keys`; the number of tallies that there were.
    func forgetTallies(_ keys: [LimitKey]) async throws(StorageFault) -> Int
}

package protocol DeviceKeyStore: Sendable {
    func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey?
    /// Marks the key revoked; `false`: the tenant has no such key. Revoking twice is no error.
    func revokeDeviceKey(_ id: DeviceID, of client: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool
}

package protocol TenantStore: Sendable {
    func tenant(_ id: ClientID) async throws(StorageFault) -> Tenant?
    func tenants() async throws(StorageFault) -> [Tenant]
    /// - Throws: `.duplicate` when the id is taken.
    func add(_ tenant: Tenant) async throws(StorageFault)
    /// Adds or replaces: for the tenants of a configuration file.
    func save(_ tenant: Tenant) async throws(StorageFault)
    /// Changes a stored tenant as one step; gives back what is stored then. `nil`: no such tenant.
    func updateTenant(
        _ id: ClientID, _ change: @escaping @Sendable (inout Tenant) -> Void
    ) async throws(StorageFault) -> Tenant?
    /// `false`: no such tenant. Revoking twice keeps the first time.
    func revokeTenant(_ id: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool
}

/// Whether the store can take a durable write now; what `/readyz` asks.
package protocol StoreHealth: Sendable {
    func probe() async throws(StorageFault)
}
