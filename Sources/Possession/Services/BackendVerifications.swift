package import Text

/// Verifications that a tenant's backend drives by itself, by a code to a number: no client of ours takes part, and no auth
/// token is made.
///
///     let begun = try await verifications.begin(order, for: tenant) { !$0.isDone }
///     let sent = try await verifications.sendCode(on: .correlation(begun.session.correlationID), of: product, for: tenant.id)
///     let checked = try await verifications.check(code, on: .target(tenant.id, product, number), of: product, for: tenant.id)
///
/// A send and a check is each one change of the session: its limits are asked and counted with it.
package struct BackendVerifications: Sendable {
    private let engine: Engine
    private let operations: SessionOperations

    package init(_ engine: Engine) {
        self.engine = engine
        operations = SessionOperations(engine)
    }

    /// What a call to begin a verification comes to.
    package enum Begun: Sendable {
        case new(Session)
        /// The newest one of the number, which stands.
        case standing(Session)

        package var session: Session {
            switch self {
            case .new(let session), .standing(let session): session
            }
        }
    }

    /// Stores a new session, unless the newest one of its product and number stands. Of several calls at the same time one
    /// begins a session, and the others find it. Nothing is sent.
    /// - Parameters:
    ///   - order: of a product that is found by its number, with that number.
    ///   - keys: what a new session counts under.
    ///   - stands: whether a session, as it is now, is the one to go on with.
    /// - Throws: as `PlatformService.start`.
    package func begin(
        _ order: PlatformService.SessionOrder, for tenant: Tenant, counting keys: [LimitKey] = [],
        unless stands: @escaping @Sendable (Session) -> Bool
    ) async throws(PlatformRefusal) -> Begun {
        let now = engine.now()
        do {
            let (session, webhooks) = try await new(order, for: tenant, at: now)
            let over = engine.limits.overSessions
            let counted = over == nil ? [] : keys
            let inserted = try await engine.sessions.insert(
                session, freshHolderID: try engine.fresh(HolderID.self, at: now), webhooks: webhooks,
                counting: counted,
                unless: { stored in
                    var found = stored
                    found.settle(at: now)
                    return stands(found)
                }
            ) { tallies in
                guard let over, !counted.isEmpty else { return nil }
                do throws(LimitHit) { try tallies.check(counted, by: over, at: now) } catch { return error }
                tallies.count(counted, by: over, at: now)
                return nil
            }
            switch inserted {
            case .stored:
                engine.wake(for: webhooks)
                engine.tell(session.news)
                return .new(session.asStored)
            case .standing(let found): return .standing(try await engine.settled(found, at: now))
            case .limited(let hit):
                engine.noteLimit(hit.limit, session.currentNumber)
                throw PlatformRefusal.rateLimited(hit)
            }
        } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// Stores a new session whatever sessions the number has. Nothing is sent.
    /// - Throws: as `PlatformService.start`.
    package func begin(
        _ order: PlatformService.SessionOrder, for tenant: Tenant
    ) async throws(PlatformRefusal) -> Session {
        let now = engine.now()
        do {
            let (session, webhooks) = try await new(order, for: tenant, at: now)
            try await engine.sessions.insert(
                session, freshHolderID: try engine.fresh(HolderID.self, at: now), webhooks: webhooks)
            engine.wake(for: webhooks)
            engine.tell(session.news)
            return session.asStored
        } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// A new session, not stored yet, and what is told of it.
    private func new(
        _ order: PlatformService.SessionOrder, for tenant: Tenant, at now: Timestamp
    ) async throws -> (session: Session, webhooks: [NewWebhookEvent]) {
        precondition(order.product.isFoundByNumber, "a product whose sessions are found by their number")
        let platform = PlatformService(engine)
        let request = try await platform.request(for: order, of: tenant)
        guard request.subject.number != nil else { throw PlatformRefusal.numberNeeded(orPerson: false) }
        let session = try platform.session(order, request, for: tenant, at: now)
        return (session, try engine.webhooks(ofNew: session, at: now))
    }

    /// Sends a code: the first one of the session, or another one.
    /// - Parameters:
    ///   - own: the code that the backend has made; `nil`: one is drawn.
    ///   - channel: the one way that it takes; `nil`: those of the session's policy.
    ///   - address: of the person, as far as it is known.
    ///   - isAskedByPerson: nobody has shown credentials. All of a tenant's messages to people without a known address
    ///     count together; those that its backend asks for count under no address.
    /// - Returns: `nil`: the tenant has no such session of the product.
    package func sendCode(
        on key: SessionKey, of product: ProductName, for tenant: ClientID, own: OTP? = nil,
        by channel: OutgoingMessage.Channel? = nil, from address: IPAddress? = nil, isAskedByPerson: Bool = false
    ) async throws(EngineFault) -> OperationReply? {
        let send = try operations.sendCode(
            .next, from: address, own: own, by: channel, isAskedByBackend: !isAskedByPerson)
        return try await carryOut(send, key, product, tenant)
    }

    /// Sends a code that the backend has made and checks itself; the same one again only where it would no longer be taken.
    /// - Returns: as `sendCode`; without a refusal also where the code had been sent before.
    package func relay(
        _ code: OTP, on key: SessionKey, of product: ProductName, for tenant: ClientID, from address: IPAddress? = nil
    ) async throws(EngineFault) -> OperationReply? {
        try await carryOut(try operations.relayCode(code, from: address), key, product, tenant)
    }

    /// Takes one code.
    /// - Returns: `nil`: the tenant has no such session of the product.
    package func check(
        _ code: OTP, on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> OperationReply? {
        try await carryOut(operations.verifyOTP(code), key, product, tenant)
    }

    /// Takes the backend's word that the person knows the code that it has made.
    /// - Returns: `nil`: the tenant has no such session of the product.
    package func vouch(
        on key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> OperationReply? {
        try await carryOut(operations.vouch(), key, product, tenant)
    }

    /// Ends the session. One that is over stays as it is, and is refused with `.sessionDone`: of several calls at the same
    /// time one ends it.
    /// - Parameter mayEnd: a session of which it is not true stays open, and is refused with `.invalidState`.
    /// - Returns: `nil`: the tenant has no such session of the product.
    package func cancel(
        on key: SessionKey, of product: ProductName, for tenant: ClientID,
        where mayEnd: @escaping @Sendable (Session) -> Bool = { _ in true }
    ) async throws(EngineFault) -> OperationReply? {
        var operation = operations.cancel { session in
            session.isDone ? .sessionDone : mayEnd(session) ? nil : .invalidState
        }
        operation.begins = true
        return try await carryOut(operation, key, product, tenant)
    }

    /// The session as it stands now; `nil`: the tenant has no such session of the product.
    package func session(
        _ key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(EngineFault) -> Session? {
        let found: Session?
        do { found = try await engine.sessions.session(key) } catch { throw EngineFault(error) }
        guard let found, found.clientID == tenant, found.request.policy.product == product else { return nil }
        return try await engine.settled(found, at: engine.now())
    }

    private func carryOut(
        _ operation: SessionOperation, _ key: SessionKey, _ product: ProductName, _ tenant: ClientID
    ) async throws(EngineFault) -> OperationReply? {
        try await operations.carryOut(operation, on: key, of: product, for: tenant)
    }
}
