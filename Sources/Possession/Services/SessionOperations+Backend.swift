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
    /// - Parameters:
    ///   - product: that the session has to be of; `nil`: of any.
    ///   - retry: under which the reply is kept; `nil`: a call that is made twice is carried out twice.
    /// - Returns: `nil`: the tenant has no such session, or may no longer call.
    package func carryOut(
        _ operation: SessionOperation, on key: SessionKey, of product: ProductName? = nil, for tenant: ClientID,
        retry: Retry? = nil
    ) async throws(EngineFault) -> OperationReply? {
        let rules = try await operation.rules(of: key, by: engine)
        let now = engine.now()
        var lookup = operation.lookup
        lookup.note(retry, at: now)
        let changed = try await engine.change(
            key, by: .backend(tenant, product), lookup, at: now,
            append: { change, answer in operation.keep(answer, retry, in: &change, at: now) }
        ) { (change) throws(ClientRefusal) in
            try operation.answered(on: &change, by: .backend, retry, at: now, rules: rules)
        }
        return try await reply(to: changed, offer: operation.offer, retry)
    }

    /// The same on the session at a key if that one goes on, else on a new one.
    /// - Parameters:
    ///   - first: on the new session; `next` on the one that goes on.
    ///   - keys: what the new session counts under.
    ///   - retry: also answered of a session that does not go on.
    /// - Returns: `nil`: the tenant may no longer call.
    func carryOut(
        _ first: SessionOperation, orOnFound next: SessionOperation, on key: SessionKey, orStart start: StartingSession,
        counting keys: [LimitKey], retry: Retry?
    ) async throws(EngineFault) -> OperationReply? {
        let new = start.session
        let over = engine.limits.overSessions
        let counted = over == nil ? [] : keys
        let now = engine.now()
        var lookup = next.lookup
        lookup.note(retry, at: now)
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
        let changed = try await engine.change(
            key, orStart: start, by: .backend(new.clientID, new.request.policy.product), lookup, at: now,
            append: { change, answer in
                (change.isNew ? first : next).keep(answer, retry, in: &change, at: now)
            }
        ) { (change) throws(ClientRefusal) -> SessionOperation.Answer in
            guard change.isNew else {
                return try next.answered(on: &change, by: .backend, retry, at: now, rules: known)
            }
            if let over, let hit = change.tallies.take(counted, by: over, at: now) {
                change.tallies.note(hit.limit, change.session.currentNumber)
                change.isDropped = true
                return .ruled(.refused(.rateLimited(hit)), isKept: false)
            }
            let answer = try first.answered(on: &change, by: .backend, retry, at: now, rules: known)
            if case .ruled(.refused, _) = answer { change.isDropped = true }
            return answer
        }
        return try await reply(to: changed, offer: first.offer, retry)
    }

    private func reply(
        to changed: Changed<SessionOperation.Answer, ClientRefusal>, offer: MobileAuthOffer?, _ retry: Retry?
    ) async throws(EngineFault) -> OperationReply? {
        switch changed {
        case .unknown, .revoked: nil
        case .refused(let refusal, let session): OperationReply(refusal: refusal, session: session)
        case .made(let answer, let session):
            try await reply(to: answer, of: session, offer: offer, retry?.key)
        }
    }
}

extension ChangeInputs {
    fileprivate mutating func note(_ retry: Retry?, at now: Timestamp) {
        guard let retry else { return }
        self.retry = retry.key
        isAnswer = { retry.isAnswered(by: $0, at: now) }
    }
}
