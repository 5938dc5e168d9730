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
            (change) throws(ClientRefusal) -> SessionOperation.Outcome in
            if !operation.begins || change.session.binding != .unbound,
                case .refused(let refusal) = try change.session.admit(.backend, at: now)
            {
                return .refused(refusal)
            }
            return try operation.rule(&change, .backend, now, rules)
        }
        switch changed {
        case .unknown, .revoked: return nil
        case .refused(let refusal, let session): return OperationReply(refusal: refusal, session: session)
        case .made(.done, let session):
            return OperationReply(refusal: nil, session: session, offer: operation.offer)
        case .made(.refused(let refusal), let session): return OperationReply(refusal: refusal, session: session)
        case .made(.send(let message), let session):
            return try await MessageDelivery(engine: engine).deliver(message, of: session)
        case .made(.ask(let question), let session):
            return try await MobileAuthService(engine).settle(question, of: session, retry: nil)
        }
    }
}
