/// Which backend may have an operation carried out, and what its retry is answered. It needs no client of ours.
///
/// As with `ClientAdmission` a call is one transaction, and its message leaves after that.
package struct BackendAdmission: Sendable {
    private let engine: Engine
    private let operations: SessionOperations

    package init(_ engine: Engine) {
        self.engine = engine
        operations = SessionOperations(engine)
    }

    /// Why a call has no answer.
    package enum Fault: Error, Sendable {
        /// A call with another body has used the retry key.
        case retryKeyReused
        case engine(EngineFault)
    }

    /// Has an operation carried out for a backend, and its message sent.
    ///
    ///     try await admission.perform(try operations.redeem(declaration), on: .correlation(id), for: tenant)
    ///     try await admission.perform(try operations.sendCode(.first(nil), from: nil), on: .correlation(id), for: tenant)
    ///     try await admission.perform(operations.verifyOTP(code), on: .correlation(id), for: tenant)
    ///
    /// A session that a backend has redeemed is bound to it: no token lets a client in, as no client's session lets a
    /// backend act.
    /// - Parameters:
    ///   - product: that the session has to be of; `nil`: of any.
    ///   - retry: under which the reply is kept; `nil`: a call that is made twice is carried out twice.
    /// - Returns: `nil`: the tenant has no such session that a backend drives, or may no longer call.
    package func perform(
        _ operation: SessionOperation, on key: SessionKey, of product: ProductName? = nil, for tenant: ClientID,
        retry: Retry?
    ) async throws(Fault) -> OperationReply? {
        let fence = SessionFence(tenant: tenant, products: product.map { [$0] })
        let rules: Rules
        do throws(EngineFault) { rules = try await operation.rules(of: key, in: fence, by: engine) } catch {
            throw .engine(error)
        }
        let now = engine.now()
        var lookup = operation.lookup
        lookup.note(retry, at: now)
        let changed: Changed<SessionOperation.Answer, StepRefusal>
        do throws(EngineFault) {
            changed = try await engine.change(
                key, by: .caller(fence), lookup, at: now,
                append: { change, answer in operation.keep(answer, retry, in: &change, at: now) }
            ) { (change) throws(StepRefusal) in
                try operation.answered(on: &change, by: .backend, retry, at: change.moment(of: now), rules: rules)
            }
        } catch { throw .engine(error) }
        return try await reply(to: changed, offer: operation.offer, retry)
    }

    /// The same for a call that has no retry key.
    package func perform(
        _ operation: SessionOperation, on key: SessionKey, of product: ProductName? = nil, for tenant: ClientID
    ) async throws(EngineFault) -> OperationReply? {
        do throws(Fault) { return try await perform(operation, on: key, of: product, for: tenant, retry: nil) } catch {
            switch error {
            case .engine(let fault): throw fault
            case .retryKeyReused: throw .failed("a call without a retry key was taken for a repeated one")
            }
        }
    }

    /// The same on the session at a key if that one goes on, else on a new one.
    /// - Parameters:
    ///   - first: on the new session; `next` on the one that goes on.
    ///   - keys: what the new session counts under.
    ///   - retry: also answered of a session that does not go on.
    /// - Returns: `nil`: the tenant may no longer call.
    func perform(
        _ first: SessionOperation, orOnFound next: SessionOperation, on key: SessionKey, orStart start: StartingSession,
        counting keys: [LimitKey], retry: Retry?
    ) async throws(Fault) -> OperationReply? {
        let new = start.session
        let over = engine.limits.overSessions
        let counted = over == nil ? [] : keys
        let now = engine.now()
        var lookup = next.lookup
        lookup.note(retry, at: now)
        lookup.wantsTenantRules = first.wantsTenantRules || next.wantsTenantRules
        lookup.wantsTenantCount = first.wantsTenantCount || next.wantsTenantCount
        lookup.knownTarget = { session in
            (session.correlationID == new.correlationID ? first : next).knownTarget?(session)
        }
        if over != nil || first.limitKeys != nil || next.limitKeys != nil {
            lookup.limitKeys = { session, key in
                let isNew = session.correlationID == new.correlationID
                return (isNew ? counted : []) + ((isNew ? first : next).limitKeys?(session, key) ?? [])
            }
        }
        var rules = engine.rules
        do throws(EngineFault) {
            if let judged = first.judged { rules = try await engine.rules(for: new, judging: judged) }
        } catch { throw .engine(error) }
        let known = rules
        let changed: Changed<SessionOperation.Answer, StepRefusal>
        do throws(EngineFault) {
            changed = try await engine.change(
                key, orStart: start, by: .caller(new.fence), lookup, at: now,
                append: { change, answer in
                    (change.isNew ? first : next).keep(answer, retry, in: &change, at: now)
                }
            ) { (change) throws(StepRefusal) -> SessionOperation.Answer in
                guard change.isNew else {
                    return try next.answered(on: &change, by: .backend, retry, at: change.moment(of: now), rules: known)
                }
                if let over, let hit = change.tallies.take(counted, by: over, at: now) {
                    change.tallies.note(hit.limit, change.session.currentNumber)
                    change.isDropped = true
                    return .ruled(.refused(.rateLimited(hit)), isKept: false)
                }
                let answer = try first.answered(on: &change, by: .backend, retry, at: now, rules: known)
                switch answer {
                case .ruled(.refused, _), .turnedAway: change.isDropped = true
                case .ruled, .replayed: break
                }
                return answer
            }
        } catch { throw .engine(error) }
        return try await reply(to: changed, offer: first.offer, retry)
    }

    /// The answer that the same call was given before, also by a session that is over; `nil`: it is a new call.
    ///
    /// It needs nothing that a first call does: neither a country that is open, nor a number that is on no list.
    func repeated(_ retry: Retry, on key: SessionKey, in fence: SessionFence) async throws(Fault) -> OperationReply? {
        let now = engine.now()
        var lookup = ChangeInputs()
        lookup.note(retry, at: now)
        let changed: Changed<OperationReply?, AdmissionRefusal>
        do throws(EngineFault) {
            changed = try await engine.change(key, by: .caller(fence), lookup, at: now) {
                (change) throws(AdmissionRefusal) in try retry.answer(change.earlierReply, at: now)
            }
        } catch { throw .engine(error) }
        switch changed {
        case .unknown, .revoked: return nil
        case .refused: throw .retryKeyReused
        case .made(let reply, _): return reply
        }
    }

    private func reply(
        to changed: Changed<SessionOperation.Answer, StepRefusal>, offer: MobileAuthOffer?, _ retry: Retry?
    ) async throws(Fault) -> OperationReply? {
        switch changed {
        // A session that is bound to a client is none of the backend's.
        case .unknown, .revoked, .made(.turnedAway(.tokenAlreadyUsed), _): return nil
        case .refused(let refusal, let session): return OperationReply(refusal: refusal, session: session)
        case .made(.turnedAway, _): throw .retryKeyReused
        case .made(.replayed(let reply), _): return reply
        case .made(.ruled(let outcome, _), let session):
            do throws(EngineFault) {
                return try await operations.reply(to: outcome, of: session, offer: offer, retry?.key)
            } catch { throw .engine(error) }
        }
    }
}

extension SessionChange {
    /// The time of a call that finds a session by its number. It may have come a moment before another one began the session;
    /// it is carried out after that, and nothing of a session is older than the session.
    fileprivate func moment(of call: Timestamp) -> Timestamp { max(call, session.createdAt) }
}

extension ChangeInputs {
    fileprivate mutating func note(_ retry: Retry?, at now: Timestamp) {
        guard let retry else { return }
        self.retry = retry.key
        isAnswer = { retry.isAnswered(by: $0, at: now) }
    }
}
