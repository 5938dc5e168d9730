/// What an app's backend can ask of the engine: start a session, learn its result, bind a key, revoke one.
package struct PlatformService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// `POST /v3/unify`, `/v3/start`, `/initialize` or `/v1/server/auth/start`, its fields already read one by one; the
    /// rules that join several fields are here.
    package struct SessionOrder: Sendable {
        /// The number decides whether `challenge` follows `validate`: see `start`.
        package enum Calls: Sendable { case unify, prefill, auth(AuthTerms) }

        package let calls: Calls
        package var flow: SessionRequest.Flow
        package var phoneNumber: String?
        package var proveID: ProveID?
        package var finalTargetURL: FinalTargetURL?
        package var messageTemplate: MessageTemplate?
        package var allowOTPRetry = false
        package var rebind = false
        package var deviceID: DeviceID?
        package var checkReputation = false
        package var mobileAuthEnabled: Bool?
        package var emailAddress: String?
        package var ipAddress: String?
        package var claim = PersonClaim()
        package var references = SessionRequest.References()

        package init(_ calls: Calls, flow: SessionRequest.Flow) {
            self.calls = calls
            self.flow = flow
        }
    }

    package struct StartedSession: Sendable {
        package let correlationID: CorrelationID
        package let authID: AuthID
        package let authToken: String
    }

    /// Starts a session; returns when it is durable.
    ///
    /// A Pre-Fill run asks for the number's standing where there is a source for it (Prove 6.2: possession and
    /// reputation); for some numbers it has no challenge.
    /// - Parameters:
    ///   - flow: of the browser or phone that is to drive a Pre-Fill run by itself.
    ///   - keys: what an anonymous start counts under, in the transaction that stores the session (ABU-09).
    /// - Throws: `.invalidField`, `.numberNotServed`, `.otherProduct`, `.rateLimited`, `.overloaded`,
    ///   `.internalFault`.
    package func start(
        _ order: SessionOrder, for tenant: Tenant, flow: FlowDigest? = nil, counting keys: [LimitKey] = []
    ) async throws(PlatformRefusal) -> StartedSession {
        let now = engine.now()
        if order.checkReputation, engine.rules.reputation == nil {
            throw .invalidField("checkReputation", reason: "asks for a check that this server has no source for")
        }
        let mobileAuth = order.mobileAuthEnabled ?? tenant.rules.mobileAuth
        let number = try await claimedNumber(of: order, for: tenant)
        if let number, !engine.numbers.mayMessage(number.number, by: tenant.rules) {
            throw .invalidField(order.calls.numberField, reason: "is of a country that is not open to this client")
        }
        if number == nil, !mobileAuth, let ways = order.calls.waysWithoutNumber {
            throw .invalidField("phoneNumber", reason: "is missing; without it \(ways)")
        }
        try check(order.finalTargetURL, of: order, by: tenant.rules)
        let request = SessionRequest(
            flow: order.flow, product: product(of: order, number),
            subject: .init(
                number: number, emailAddress: order.emailAddress, ipAddress: order.ipAddress, claim: order.claim),
            options: .init(
                allowOTPRetry: order.allowOTPRetry, rebind: order.rebind,
                checkReputation: order.calls.isPrefill ? engine.rules.reputation != nil : order.checkReputation,
                mobileAuth: mobileAuth, allowPhoneChange: tenant.rules.allowPhoneChange,
                linkMatchCode: tenant.rules.linkMatchCode,
                // Where the backend gave no address there is nothing to compare.
                linkNeedsSameAddress: tenant.rules.linkNeedsSameAddress && order.ipAddress != nil
                    || order.wantsSameAddress,
                deviceID: order.deviceID, finalTargetURL: order.finalTargetURL?.text,
                messageTemplate: order.messageTemplate),
            references: order.references, authTerms: order.calls.authTerms)
        return try await start(request, for: tenant, flow: flow, counting: keys, at: now)
    }

    private func product(of order: SessionOrder, _ number: SubmittedNumber?) -> SessionRequest.Product {
        switch order.calls {
        case .unify: .unify
        case .auth: .auth
        case .prefill:
            number.map { engine.numbers.traits(of: $0.number) }?.hasNoChallenge == true ? .identity : .prefill
        }
    }

    private func check(
        _ target: FinalTargetURL?, of order: SessionOrder, by rules: TenantRules
    ) throws(PlatformRefusal) {
        let field = order.calls.targetField
        guard let target else {
            guard order.flow == .desktop else { return }
            throw .invalidField(field, reason: "is missing; a desktop flow needs it")
        }
        guard target.isAllowed(by: rules) else {
            throw .invalidField(field, reason: "names a host that is not registered for this client")
        }
    }

    private func start(
        _ request: SessionRequest, for tenant: Tenant, flow: FlowDigest?, counting keys: [LimitKey], at now: Timestamp
    ) async throws(PlatformRefusal) -> StartedSession {
        do {
            var session = Session(
                correlationID: try engine.fresh(CorrelationID.self, at: now),
                authID: try engine.fresh(AuthID.self, at: now),
                clientID: tenant.id, request: request, flowDigest: flow, at: now, limits: engine.limits)
            let token = try engine.tokens.issueAuthToken(
                for: session.authID, nonce: try engine.randomBytes(16), jti: try engine.randomBytes(16), at: now)
            if let number = session.currentNumber, engine.numbers.traits(of: number).needsNoClient {
                session.complete(success: true, numberIfUnknown: nil, at: now, rules: engine.rules)
            }
            try await insert(session, counting: keys, at: now)
            engine.tell(session.news)
            return StartedSession(
                correlationID: session.correlationID, authID: session.authID, authToken: token)
        } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// Stores a new session; where it counts under `keys`, only if none of them is at its limit.
    private func insert(_ session: Session, counting keys: [LimitKey], at now: Timestamp) async throws {
        let freshID = try engine.fresh(ProveID.self, at: now)
        guard let limits = engine.limits.overSessions, !keys.isEmpty else {
            return try await engine.sessions.insert(session, freshProveID: freshID)
        }
        let hit = try await engine.sessions.insert(session, freshProveID: freshID, counting: keys) { tallies in
            do throws(LimitHit) { try tallies.check(keys, by: limits, at: now) } catch { return error }
            tallies.count(keys, by: limits, at: now)
            return nil
        }
        guard let hit else { return }
        engine.noteLimit(hit.limit, session.currentNumber)
        throw PlatformRefusal.rateLimited(hit)
    }

    /// The number of the order: the one sent, else the one behind `proveId`.
    private func claimedNumber(
        of order: SessionOrder, for tenant: Tenant
    ) async throws(PlatformRefusal) -> SubmittedNumber? {
        if let text = order.phoneNumber {
            return try engine.submittedNumber(text, field: order.calls.numberField, for: tenant.id)
        }
        guard let id = order.proveID else { return nil }
        let known: PhoneNumber?
        do { known = try await engine.identities.number(of: id, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let known else { throw .invalidField("proveId", reason: "is not known") }
        return SubmittedNumber(asSent: known.e164, number: known)
    }

    /// The session as it stands now, for its own tenant and product, while its result may be read (contract section 8).
    /// - Throws: `.unknownCorrelationID`, `.unknownAuthID`, `.overloaded`, `.internalFault`.
    package func session(
        _ key: SessionKey, of product: SessionRequest.Product, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Session {
        let found: Session?
        do { found = try await engine.sessions.session(key) } catch { throw PlatformRefusal(fault: error) }
        guard let found, found.clientID == tenant, found.request.product == product else { throw .unknown(product) }
        let now = engine.now()
        let session: Session
        do { session = try await engine.settled(found, at: now) } catch { throw PlatformRefusal(fault: error) }
        guard session.isReadable(at: now, for: engine.limits.resultLifetime) else { throw .ended(product) }
        return session
    }

    package var hasTestMode: Bool { engine.rules.capabilities.testMode }

    package enum BindResult: Sendable {
        case bound(Session)
        /// A wrong number, or one whose standing is bad.
        case refused(Session)
    }

    /// `POST /v3/unify-bind` or `/v1/server/auth/continue`: the tenant vouches for the number that came in `field`, and
    /// a waiting key is bound to it.
    /// - Throws: `.invalidField`, `.otherProduct`, `.unknownCorrelationID`, `.unknownAuthID`, `.stepNotAllowed`,
    /// `.overloaded`, `.internalFault`.
    package func bind(
        _ key: SessionKey, of product: SessionRequest.Product, to phoneNumber: String, field: String,
        for tenant: ClientID
    ) async throws(PlatformRefusal) -> BindResult {
        let now = engine.now()
        let rules = engine.rules
        // A number that is not served cannot be the session's: it is a wrong number, not a bad request.
        let number: PhoneNumber?
        do throws(PlatformRefusal) {
            number = try engine.submittedNumber(phoneNumber, field: field, for: tenant).number
        } catch {
            guard error == .numberNotServed else { throw error }
            number = nil
        }
        let changed: Changed<Bool, PlatformRefusal>
        do throws(EngineFault) {
            changed = try await engine.change(key, by: .backend(tenant), at: now) { (unit) throws(PlatformRefusal) in
                guard unit.session.request.product == product else { throw .unknown(product) }
                return try unit.bind(to: number, at: now, rules: rules)
            }
        } catch {
            throw PlatformRefusal(error)
        }
        switch changed {
        case .unknown, .revoked: throw .unknown(product)
        case .refused(let refusal, _): throw refusal
        case .made(false, let session): return .refused(session)
        // The proveId is filled in by the store: read the stored session back.
        case .made(true, _): return .bound(try await session(key, of: product, for: tenant))
        }
    }

    /// `POST /v3/device/revoke`. Revoking twice is no error.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func revokeDevice(_ id: DeviceID, for tenant: ClientID) async throws(PlatformRefusal) {
        let found: Bool
        do {
            found = try await engine.deviceKeys.revokeDeviceKey(id, of: tenant, at: engine.now())
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard found else { throw .notFound(what: "device") }
    }
}

extension PlatformService.SessionOrder {
    /// The auth calls name an address of the waiting browser only for that (Prove's `sourceIp`).
    fileprivate var wantsSameAddress: Bool { calls.authTerms != nil && ipAddress != nil }
}

extension PlatformService.SessionOrder.Calls {
    fileprivate var isPrefill: Bool { if case .prefill = self { true } else { false } }

    fileprivate var authTerms: AuthTerms? { if case .auth(let terms) = self { terms } else { nil } }

    /// Where the number stands in the call.
    fileprivate var numberField: String {
        switch self {
        case .unify, .prefill: "phoneNumber"
        case .auth: "subjects.mobile.claim.mobileNumber"
        }
    }

    fileprivate var targetField: String {
        switch self {
        case .unify, .prefill: "finalTargetUrl"
        case .auth: "subjects.mobile.authenticators.instantlink.finalTargetUrl"
        }
    }

    /// How the number could be found without being sent; `nil` where the client may name it.
    fileprivate var waysWithoutNumber: String? {
        switch self {
        case .unify: "Mobile Auth must be enabled or proveId given"
        case .prefill: "Mobile Auth must be enabled"
        case .auth: nil
        }
    }
}

extension PlatformRefusal {
    /// The id by which the calls of `product` name their sessions is not known.
    fileprivate static func unknown(_ product: SessionRequest.Product) -> PlatformRefusal {
        product == .auth ? .unknownAuthID : .unknownCorrelationID
    }

    /// The session is the tenant's own, and over for good.
    fileprivate static func ended(_ product: SessionRequest.Product) -> PlatformRefusal {
        product == .auth ? .endedAuthSession : .endedSession
    }
}

extension SessionChange {
    /// - Parameter number: `nil` for one that is not served.
    /// - Returns: whether the session has succeeded by it.
    fileprivate mutating func bind(
        to number: PhoneNumber?, at now: Timestamp, rules: Rules
    ) throws(PlatformRefusal) -> Bool {
        // A key waits for its number no longer than the session lives (client protocol 4.6).
        let isOverdue = session.outcome == .possessionRequired && now >= session.expiresAt
        if isOverdue || session.outcome == .expired || !session.isReadable(at: now, for: rules.limits.resultLifetime) {
            throw .ended(session.request.product)
        }
        // `continue` only binds a pending key. If none is pending, refuse.
        if session.request.product == .auth, session.outcome == .possessionRequired, !session.device.isPending {
            return false
        }
        return try session.bind(number.flatMap { mayTakeKey($0) ? $0 : nil }, at: now, rules: rules)
    }

    /// In a run of the auth calls a success says that the key is bound: a number does not count to which it would not
    /// move.
    private func mayTakeKey(_ number: PhoneNumber) -> Bool {
        guard session.request.product == .auth, let key = deviceKey else { return true }
        return key.status == .active && (key.number == number || session.request.options.rebind)
    }
}
