/// Operations on the word of the tenant's backend, which needs no client of ours.
extension SessionOperations {
    /// Has an operation carried out for a backend, and its message sent.
    ///
    ///     try await operations.carryOut(try operations.redeem(declaration), on: .correlation(id), for: tenant)
    ///     try await operations.carryOut(try operations.sendCode(.first(nil), from: nil), on: .correlation(id), for: tenant)
    ///     try await operations.carryOut(operations.verifyOTP(code), on: .correlation(id), for: tenant)
    ///
    /// A session that a backend has redeemed is bound to it: no token lets a client in, as no client's session lets a
    /// backend act.
    /// - Parameter product: that the session has to be of; `nil`: of any.
    /// - Returns: `nil`: the tenant has no such session, or may no longer call.
    package func carryOut(
        _ operation: SessionOperation, on key: SessionKey, of product: ProductName? = nil, for tenant: ClientID
    ) async throws(EngineFault) -> OperationReply? {
        let rules = try await operation.rules(of: key, by: engine)
        let now = engine.now()
        let changed = try await engine.change(key, by: .backend(tenant, product), operation.lookup, at: now) {
            (change) throws(ClientRefusal) in
            try operation.carriedOut(on: &change, at: now, rules: rules)
        }
        return try await reply(to: changed, offer: operation.offer)
    }

    /// The same on the session at a key if that one goes on, else on a new one.
    /// - Parameters:
    ///   - first: on the new session; `next` on the one that goes on.
    ///   - keys: what the new session counts under.
    /// - Returns: `nil`: the tenant may no longer call.
    func carryOut(
        _ first: SessionOperation, orOnFound next: SessionOperation, on key: SessionKey, orStart start: StartingSession,
        counting keys: [LimitKey]
    ) async throws(EngineFault) -> OperationReply? {
        let new = start.session
        let over = engine.limits.overSessions
        let counted = over == nil ? [] : keys
        var lookup = next.lookup
        lookup.wantsTenantRules = first.wantsTenantRules || next.wantsTenantRules
        if over != nil {
            lookup.limitKeys = { session, key in
                let isNew = session.correlationID == new.correlationID
                return (isNew ? counted : []) + ((isNew ? first : next).limitKeys?(session, key) ?? [])
            }
        }
        var rules = engine.rules
        if let judged = first.judged { rules = try await engine.rules(for: new, judging: judged) }
        let known = rules
        let now = engine.now()
        let changed = try await engine.change(
            key, orStart: start, by: .backend(new.clientID, new.request.policy.product), lookup, at: now
        ) { (change) throws(ClientRefusal) -> SessionOperation.Outcome in
            guard change.isNew else { return try next.carriedOut(on: &change, at: now, rules: known) }
            if let over, let hit = change.tallies.take(counted, by: over, at: now) {
                change.tallies.note(hit.limit, change.session.currentNumber)
                change.isDropped = true
                return .refused(.rateLimited(hit))
            }
            let outcome = try first.carriedOut(on: &change, at: now, rules: known)
            if case .refused = outcome { change.isDropped = true }
            return outcome
        }
        return try await reply(to: changed, offer: first.offer)
    }

    private func reply(
        to changed: Changed<SessionOperation.Outcome, ClientRefusal>, offer: MobileAuthOffer?
    ) async throws(EngineFault) -> OperationReply? {
        switch changed {
        case .unknown, .revoked: return nil
        case .refused(let refusal, let session): return OperationReply(refusal: refusal, session: session)
        case .made(.done, let session): return OperationReply(refusal: nil, session: session, offer: offer)
        case .made(.refused(let refusal), let session): return OperationReply(refusal: refusal, session: session)
        case .made(.send(let message), let session):
            return try await MessageDelivery(engine: engine).deliver(message, of: session)
        case .made(.ask(let question), let session):
            return try await MobileAuthService(engine).settle(question, of: session, retry: nil)
        }
    }
}

extension SessionOperation {
    /// Admits the session's backend, and applies the rule.
    fileprivate func carriedOut(
        on change: inout SessionChange, at now: Timestamp, rules: Rules
    ) throws(ClientRefusal) -> Outcome {
        if !begins || change.session.binding != .unbound,
            case .refused(let refusal) = try change.session.admit(.backend, at: now)
        {
            return .refused(refusal)
        }
        return try rule(&change, .backend, now, rules)
    }
}
