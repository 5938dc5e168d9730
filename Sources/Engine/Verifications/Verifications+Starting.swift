internal import Possession
internal import Text

/// New sessions of orders.
extension Verifications {
    /// A new session, not stored yet. Checks each rule that joins several parts of the order.
    func newSession(
        _ order: VerificationOrder, for tenant: Tenant, at now: Timestamp
    ) async throws(SendRefusal) -> Session {
        let request = try await request(for: order, of: tenant)
        do {
            return try engine.newSession(
                request, for: tenant, languages: order.message.languages, lifetimeSeconds: order.window.lifetimeSeconds,
                at: now)
        } catch { throw .engine(EngineFault(error)) }
    }

    /// Stores a new session.
    /// - Parameter change: is done to it before.
    func insert(
        _ order: VerificationOrder, for tenant: Tenant,
        _ change: (inout Session, Timestamp) throws -> Void = { _, _ in }
    ) async throws(SendRefusal) -> Session {
        let now = engine.now()
        var session = try await newSession(order, for: tenant, at: now)
        do {
            try change(&session, now)
            try await engine.insert(session, at: now)
            engine.publish(session.news)
            return session
        } catch { throw .engine(EngineFault(error)) }
    }

    private func request(
        for order: VerificationOrder, of tenant: Tenant
    ) async throws(SendRefusal) -> SessionRequest {
        let subject = SessionRequest.Subject(order)
        var checks = order.checks
        if !(order.mayAskOperator ?? tenant.rules.mobileAuth) { checks.remove(.mobileAuth) }
        if subject.hasOtherTarget { checks.formIntersection(order.link == nil ? .code : [.code, .link]) }
        if let page = order.link?.page, !page.isAllowed(by: tenant.rules) {
            throw .pageRefused(reason: page.refusal(by: tenant.rules))
        }
        var callback: SessionRequest.Callback?
        do throws(EngineFault) {
            callback = try await engine.callback(order.callbackURL, of: order.product.name, for: tenant.id)
        } catch { throw .engine(error) }
        if order.callbackURL != nil, callback == nil {
            throw .callbackRefused(reason: engine.refusal(ofCallbackOf: order.product.name))
        }
        let policy: Policy
        do throws(Policy.Defect) { policy = try Policy(order, checks, tenant.rules, engine.limits) } catch {
            throw .engine(.failed("policy: \(error.what)"))
        }
        let lengths = [checks.contains(.code) ? policy.code.length : nil, order.message.ownCode?.text.utf8.count]
        if let least = lengths.compactMap(\.self).min(), let reason = engine.refusal(ofDigits: least, by: tenant.rules)
        {
            throw .codeTooShort(reason: reason)
        }
        if let template = order.wording.template { engine.noteParts(of: template, of: tenant.id) }
        return SessionRequest(
            flow: .mobile, policy: policy, subject: subject,
            options: .init(
                linkMatchCode: order.link == nil && tenant.rules.linkMatchCode,
                // Where the backend gave no address there is nothing to compare.
                linkNeedsSameAddress: order.ipAddress != nil && tenant.rules.linkNeedsSameAddress,
                finalTargetURL: order.link?.page?.text, exchange: order.link?.exchange,
                codeTemplate: order.wording.template, locale: order.wording.locale, callback: callback,
                payment: order.wording.payment, brand: order.wording.brand),
            references: order.references, metadata: order.metadata)
    }
}

extension SessionRequest.Subject {
    fileprivate init(_ order: VerificationOrder) {
        self.init(emailAddress: order.emailAddress, ipAddress: order.ipAddress)
        switch order.recipient?.kind {
        case .number(let number): self.number = number
        case .email(let address): mailbox = address
        case .unknown(let person): unknown = person
        case nil: break
        }
    }
}

extension Policy {
    /// - Parameter checks: those of the order that the tenant has.
    /// - Throws: for an order that no session can be run by.
    fileprivate init(
        _ order: VerificationOrder, _ checks: Checks, _ tenant: TenantRules, _ limits: Limits
    ) throws(Defect) {
        let product = order.product
        let code: Code
        if let own = order.code {
            code = try Code(
                length: own.length, lifetimeSeconds: own.lifetimeSeconds, tries: own.tries,
                earlierCodes: own.earlierCodes)
        } else {
            code = try .standard(limits, mayChangeNumber: tenant.allowPhoneChange)
        }
        let link = try Link(
            lifetimeSeconds: order.link?.lifetimeSeconds ?? Int(limits.linkLifetime.components.seconds),
            waitSeconds: Int(limits.linkWait.components.seconds), mayChangeNumber: tenant.allowPhoneChange)
        try self.init(
            product: product.name, checks: checks, code: code, link: link,
            channels: order.recipient?.target.email == nil ? order.channels ?? limits.channels : [.email],
            sends: order.window.sends ?? limits.sendsPerSession,
            numberEntries: tenant.allowPhoneChange ? limits.numberEntriesPerSession : 1,
            resultLifetimeSeconds: order.window.resultLifetimeSeconds
                ?? Int(limits.resultLifetime.components.seconds),
            bindsPendingKeysOnly: product.bindsPendingKeysOnly,
            asksOperatorOfKnownNumber: product.asksOperatorOfKnownNumber,
            isFoundByNumber: product.isFoundByNumber && order.message.asker != .stranger,
            letsBackendVouch: order.letsBackendVouch, isAnsweredElsewhere: product.isAnsweredElsewhere,
            isAskedByAnyone: order.message.asker == .stranger, tellsNothingOfMessages: order.tellsNothingOfMessages)
    }
}
