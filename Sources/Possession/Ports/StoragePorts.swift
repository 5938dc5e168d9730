/// What the engine needs of durable storage. Every method returns only when its effect survives a crash, and no type
/// of an engine crosses: `SQLiteStorage` implements this today.

/// Why the store could not answer.
package enum StorageFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The disk is full or too many changes wait; nothing was changed, and a later try may pass.
    case overloaded
    /// A stored value breaks a rule of the domain. `what` names table and column, never the value.
    case corrupt(what: String)
    /// The engine reported an error; `code` is its own number.
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
    /// The token of a Pre-Fill run that a browser or phone drives.
    case flow(FlowDigest)
}

/// Everything one change of a session reads, and then writes, as values: the rule is a plain function on it.
package struct SessionUnit: Sendable {
    package var session: Session
    /// The key with the looked-up thumbprint (else with the pending key's), of the session's tenant. Setting or
    /// changing it stores it.
    package var deviceKey: DeviceKey?
    /// `false` when this request's DPoP proof was used before, or the session has seen too many (TOK-15).
    package let proofIsNew: Bool
    /// The session's tenant may no longer call, and so may none of its clients (TOK-10).
    package let tenantIsRevoked: Bool
    /// What was answered to the same retry key before.
    package let earlierAnswer: StoredAnswer?
    /// Sends to, and wrong codes for, the number in question in the last 24 hours; empty unless asked for.
    package let history: NumberHistory
    /// Stored under the retry key, when the request has one.
    package var answer: StoredAnswer?
    /// Additions to the history of a number.
    package var newHistory: [NumberHistory.Entry] = []

    package init(
        session: Session, deviceKey: DeviceKey?, proofIsNew: Bool, tenantIsRevoked: Bool, earlierAnswer: StoredAnswer?,
        history: NumberHistory
    ) {
        self.session = session
        self.deviceKey = deviceKey
        self.proofIsNew = proofIsNew
        self.tenantIsRevoked = tenantIsRevoked
        self.earlierAnswer = earlierAnswer
        self.history = history
    }
}

/// What an update must have at hand beside the session.
package struct SessionLookup: Sendable {
    package var thumbprint: Thumbprint?
    /// The proof to use up in the same transaction.
    package var proof: DPoPProof?
    package var retry: RetryKey?
    /// Whether the history of `number` (else of the session's current number) is wanted.
    package var wantsHistory = false
    package var number: PhoneNumber?

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

/// An answer kept for a retry: the bytes that went out.
package struct StoredAnswer: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]
    /// Of the request that got it; another body under the same key is an error.
    package let requestBody: BodyDigest?

    package init(status: Int, body: [UInt8], requestBody: BodyDigest? = nil) {
        self.status = status
        self.body = body
        self.requestBody = requestBody
    }
}

/// What happened to one number over all tenants and sessions.
package struct NumberHistory: Sendable, Equatable {
    package enum Kind: String, Sendable { case send, wrongCode = "wrong_code" }
    package struct Entry: Sendable, Equatable {
        package let kind: Kind
        package let number: PhoneNumber
        package let at: Timestamp

        package init(_ kind: Kind, _ number: PhoneNumber, at: Timestamp) {
            self.kind = kind
            self.number = number
            self.at = at
        }
    }

    package var sends: [Timestamp]
    package var wrongCodes: [Timestamp]

    package init(sends: [Timestamp] = [], wrongCodes: [Timestamp] = []) {
        self.sends = sends
        self.wrongCodes = wrongCodes
    }
}

package protocol SessionStore: Sendable {
    /// Stores a new session with its events; a success gets its `proveID` (`freshProveID` unless the number has one).
    func insert(_ session: Session, freshProveID: ProveID) async throws(StorageFault)

    /// Reads one session; `nil`: no such session.
    func session(_ key: SessionKey) async throws(StorageFault) -> Session?

    /// Reads, changes and stores one session and all that hangs on it as one step. A rule that changes nothing writes
    /// nothing but the used-up proof. `nil`: no such session, and nothing was written.
    ///
    /// A link or attempt that the rule put into the session finds it from then on.
    ///
    /// Before the rule: the proof is used up, the earlier answer, device key and history are read. After it, in the
    /// same transaction: session, new events, device key, history and answer are written, and a session that now has
    /// a proof gets its `proveID` (`freshProveID` unless the tenant has one for that number).
    func update<R: Sendable>(
        _ key: SessionKey, _ lookup: SessionLookup, freshProveID: ProveID,
        _ rule: @escaping @Sendable (inout SessionUnit) -> R
    ) async throws(StorageFault) -> R?

    /// The timeline, oldest first.
    func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent]

    /// The newest sessions, newest first.
    func recentSessions(limit: Int) async throws(StorageFault) -> [Session]

    /// Removes what has outlived its time, a bounded amount a call; the number of rows removed or blanked. Sessions
    /// (with events, answers and used proofs) created before `sessionsBefore`; digests of codes that expired before `now`
    /// (OTP-08); number history older than 24 hours.
    func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int
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
