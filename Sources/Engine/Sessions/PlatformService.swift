package import Possession

/// Calls of an app's backend to the engine: start a session, read its result, bind a key, revoke a key.
package struct PlatformService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// A session that a backend orders. Its fields are already checked one by one. Rules that join several fields are
    /// here.
    package struct SessionOrder: Sendable {
        package let product: Product
        package var flow: SessionRequest.Flow
        package var checks = Policy.Checks.all
        package var phoneNumber: String?
        /// The number if it was already read; `nil`: it is read here.
        package var number: SubmittedNumber?
        package var holderID: HolderID?
        package var finalTargetURL: FinalTargetURL?
        /// URL to call when the session has ended: below the URL of one of the tenant's webhook endpoints.
        package var callbackURL: String?
        package var codeTemplate: MessageTemplate?
        package var linkTemplate: MessageTemplate?
        /// The person's language, as the backend reports.
        package var locale: LanguageTag?
        /// Languages that the person reads, if the call comes from their own browser or phone.
        package var languages: Languages?
        package var allowOTPRetry = false
        package var codeMayChangeNumber = true
        package var linkMayChangeNumber = true
        package var rebind = false
        package var maxKeyAgeSeconds: Int?
        package var deviceID: DeviceID?
        package var checkReputation = false
        /// `nil`: the tenant's setting.
        package var mobileAuthEnabled: Bool?
        package var emailAddress: String?
        package var ipAddress: String?
        /// Whether a link counts only from `ipAddress`, whatever the tenant's setting.
        package var linkNeedsSameAddress = false
        package var claim = PersonClaim()
        package var references = SessionRequest.References()
        package var questions: SessionRequest.Questions = []
        package var keyHolder: SessionRequest.KeyHolder?

        package init(_ product: Product, flow: SessionRequest.Flow) {
            self.product = product
            self.flow = flow
        }
    }

    package struct StartedSession: Sendable {
        package let correlationID: CorrelationID
        package let authID: AuthID
        package let authToken: String
    }

    /// Starts a session; returns when it is durable.
    /// - Parameters:
    ///   - flow: the flow of the browser or phone that will drive the session.
    ///   - keys: counted for an anonymous start, in the transaction that stores the session (ABU-09).
    /// - Throws: `.invalidField`, `.numberNeeded`, `.numberNotServed`, `.otherProduct`, `.rateLimited`, `.overloaded`,
    ///   `.internalFault`.
    package func start(
        _ order: SessionOrder, for tenant: Tenant, flow: FlowDigest? = nil, counting keys: [LimitKey] = []
    ) async throws(PlatformRefusal) -> StartedSession {
        let now = engine.now()
        let request = try await request(for: order, of: tenant)
        do {
            var session = try engine.newSession(
                request, for: tenant, flow: flow, languages: order.languages, at: now)
            let token = try engine.crypto.tokens.issueAuthToken(
                for: session.authID, nonce: try engine.crypto.randomBytes(16), jti: try engine.crypto.randomBytes(16),
                at: now)
            if let number = session.currentNumber, engine.network.numbers.traits(of: number).needsNoClient {
                session.complete(success: true, numberIfUnknown: nil, at: now, rules: engine.rules)
            }
            if let hit = try await engine.insert(session, counting: keys, at: now) {
                throw PlatformRefusal.rateLimited(hit)
            }
            engine.publish(session.news)
            return StartedSession(
                correlationID: session.correlationID, authID: session.authID, authToken: token)
        } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// Makes the session request of an order. Checks every rule that joins several fields of the order.
    /// - Throws: as `start`, except `.rateLimited`.
    private func request(for order: SessionOrder, of tenant: Tenant) async throws(PlatformRefusal) -> SessionRequest {
        if order.checkReputation, engine.network.reputation == nil {
            throw .invalidField(.reputation, reason: "asks for a check that this server has no source for")
        }
        let mayAskOperator = order.mobileAuthEnabled ?? tenant.rules.mobileAuth
        let checks = mayAskOperator ? order.checks : order.checks.subtracting(.mobileAuth)
        let number = try await claimedNumber(of: order, for: tenant)
        switch number.flatMap({ engine.sendBlock(of: $0.number, by: tenant.rules) }) {
        case nil: break
        case .country:
            throw .invalidField(.phoneNumber, reason: "is of a country that is not open to this client")
        case .line(let reason): throw .invalidField(.phoneNumber, reason: reason)
        }
        if number == nil { try checkNeed(of: order.product, checks) }
        try check(order.finalTargetURL, of: order, by: tenant.rules)
        let callback: SessionRequest.Callback?
        do throws(EngineFault) {
            callback = try await engine.callback(order.callbackURL, of: order.product.name, for: tenant.id)
        } catch { throw PlatformRefusal(error) }
        if order.callbackURL != nil, callback == nil {
            throw .invalidField(.callback, reason: engine.refusal(ofCallbackOf: order.product.name))
        }
        // Asked only if needed: a directory may have to search for it.
        let hasNoChallenge =
            order.product.prefill != nil
            && number.map { engine.network.numbers.traits(of: $0.number).hasNoChallenge } == true
        let policy: Policy
        do throws(Policy.Defect) {
            policy = try Policy(order, checks, tenant.rules, engine.limits, hasNoChallenge: hasNoChallenge)
        } catch {
            throw .internalFault("policy: \(error.what)")
        }
        // A desktop flow has a link, and a `none` flow sends no message.
        if order.flow == .mobile, policy.checks.contains(.code),
            let reason = engine.refusal(ofDigits: policy.code.length, by: tenant.rules)
        {
            throw .invalidField(.codeLength, reason: reason)
        }
        if let template = order.codeTemplate { engine.noteParts(of: template, of: tenant.id) }
        return SessionRequest(
            flow: order.flow, policy: policy,
            subject: .init(
                number: number, emailAddress: order.emailAddress, ipAddress: order.ipAddress, claim: order.claim),
            options: .init(
                rebind: order.rebind,
                checkReputation: order.product.asksReputation
                    ? engine.network.reputation != nil : order.checkReputation,
                linkMatchCode: tenant.rules.linkMatchCode,
                // Without an address from the backend there is nothing to compare.
                linkNeedsSameAddress: order.ipAddress != nil
                    && (tenant.rules.linkNeedsSameAddress || order.linkNeedsSameAddress),
                deviceID: order.deviceID, finalTargetURL: order.finalTargetURL?.text,
                codeTemplate: order.codeTemplate, linkTemplate: order.linkTemplate, locale: order.locale,
                callback: callback),
            references: order.references, questions: order.questions, keyHolder: order.keyHolder)
    }

    /// Whether the session may start without a number.
    private func checkNeed(of product: Product, _ checks: Policy.Checks) throws(PlatformRefusal) {
        switch product.numberNeed {
        case .optional: return
        case .orMobileAuth, .orMobileAuthOrPerson:
            guard checks.contains(.mobileAuth) else {
                throw .numberNeeded(orPerson: product.numberNeed == .orMobileAuthOrPerson)
            }
        }
    }

    private func check(
        _ target: FinalTargetURL?, of order: SessionOrder, by rules: TenantRules
    ) throws(PlatformRefusal) {
        guard let target else {
            guard order.flow == .desktop else { return }
            throw .invalidField(.finalTarget, reason: "is missing; a desktop flow needs it")
        }
        guard target.isAllowed(by: rules) else {
            throw .invalidField(.finalTarget, reason: target.refusal(by: rules))
        }
    }

    /// The number of the order: the number in it, else the number of the person's ID.
    private func claimedNumber(
        of order: SessionOrder, for tenant: Tenant
    ) async throws(PlatformRefusal) -> SubmittedNumber? {
        if let read = order.number { return read }
        if let text = order.phoneNumber {
            return try engine.submittedNumber(text, for: tenant.id)
        }
        guard let id = order.holderID else { return nil }
        let known: PhoneNumber?
        do { known = try await engine.stores.identities.number(of: id, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let known else { throw .invalidField(.person, reason: "is not known") }
        return SubmittedNumber(asSent: known.e164, number: known)
    }

    /// The session with expiries applied, for its own tenant and product, while its result may be read (contract
    /// section 8).
    /// - Throws: `.unknownSession`, `.endedSession`, `.overloaded`, `.internalFault`.
    package func session(
        _ key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Session {
        let now = engine.now()
        let session: Session?
        do { session = try await engine.currentSession(key, in: SessionFence(tenant, product), at: now) } catch {
            throw PlatformRefusal(error)
        }
        guard let session else { throw .unknownSession }
        guard session.isReadable(at: now) else { throw .endedSession }
        return session
    }

    /// A third party for which a tenant may request a statement.
    package struct StatementAudience: Sendable, Equatable {
        fileprivate let text: String
    }

    /// The third party that a backend has named.
    /// - Throws: `.invalidField`: it is this server or an operator, or not in the tenant's list.
    package func statementAudience(
        _ text: String, for tenant: Tenant
    ) throws(PlatformRefusal) -> StatementAudience {
        guard !text.utf8.contains(UInt8(ascii: "*")) else {
            throw .invalidField(.statementAudience, reason: "must name one third party, without *")
        }
        guard !engine.crypto.reservedAudiences.holds(text) else {
            throw .invalidField(
                .statementAudience, reason: "names this server or a mobile operator, and not a third party")
        }
        let listed = tenant.rules.statementAudiences
        guard listed.isEmpty || listed.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
            throw .invalidField(.statementAudience, reason: "is not registered for this client")
        }
        return StatementAudience(text: text)
    }

    /// Statement about a session for a third party; `nil`: no check of this server has proven a real person's number.
    ///
    /// The fixed code of a test number proves nothing.
    /// - Parameter audience: the recipient of the statement.
    /// - Throws: `.internalFault`.
    package func statement(
        of session: Session, for audience: StatementAudience
    ) throws(PlatformRefusal) -> String? {
        guard session.outcome == .succeeded, let proof = session.proof, let check = proof.method.check,
            let number = proof.number, engine.server.testNumber(number, of: session.clientID, at: proof.at) == nil
        else { return nil }
        let statement = PossessionStatement(
            audience: audience.text, clientID: session.clientID, session: session.correlationID, number: number,
            method: check, provenAt: proof.at)
        do {
            return try engine.crypto.tokens.issueStatement(
                statement, jti: try engine.crypto.randomBytes(16), at: engine.now())
        } catch { throw PlatformRefusal(fault: error) }
    }

    package var hasTestMode: Bool { engine.rules.capabilities.testMode }

    package enum BindResult: Sendable {
        case bound(Session)
        /// A wrong number, or one whose standing is bad.
        case refused(Session)
    }

    /// The tenant vouches for a number, and a pending key is bound to it.
    /// - Throws: `.invalidField`, `.otherProduct`, `.unknownSession`, `.endedSession`, `.stepNotAllowed`, `.overloaded`,
    ///   `.internalFault`.
    package func bind(
        _ key: SessionKey, of product: ProductName, to phoneNumber: String, for tenant: ClientID
    ) async throws(PlatformRefusal) -> BindResult {
        // A number that is not served cannot be the session's. It counts as a wrong number, not as a bad request.
        let number: PhoneNumber?
        do throws(PlatformRefusal) {
            number = try engine.submittedNumber(phoneNumber, for: tenant).number
        } catch {
            guard error == .numberNotServed else { throw error }
            number = nil
        }
        let changed: Changed<Bool, PlatformRefusal>
        do throws(EngineFault) {
            let fence = SessionFence(tenant, product)
            let rules = try await engine.rules(of: key, in: fence) { session in
                let claimed = session.request.subject.number?.number
                guard session.outcome == .possessionRequired,
                    claimed == nil || claimed == number
                else { return nil }
                return number.map { .number($0) }
            }
            let now = engine.now()
            changed = try await engine.change(key, by: .caller(fence), at: now) { (change) throws(PlatformRefusal) in
                try change.bind(to: number, at: now, rules: rules)
            }
        } catch {
            throw PlatformRefusal(error)
        }
        switch changed {
        case .unknown, .revoked: throw .unknownSession
        case .refused(let refusal, _): throw refusal
        case .made(false, let session): return .refused(session)
        // The store sets the person's ID, so the stored session is read again.
        case .made(true, _): return .bound(try await session(key, of: product, for: tenant))
        }
    }

    /// Revoking a key twice is not an error.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func revokeDevice(_ id: DeviceID, for tenant: ClientID) async throws(PlatformRefusal) {
        let found: Bool
        do {
            let now = engine.now()
            let teller = try engine.webhookEventFactory(for: tenant, at: now)
            found = try await engine.stores.deviceKeys.revokeDeviceKey(id, of: tenant, telling: teller, at: now)
            engine.wake(teller)
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard found else { throw .notFound(what: "device") }
    }
}

extension Policy {
    /// Policy of an order on this server, for a tenant.
    /// - Parameter checks: the checks of the order that the tenant may use.
    /// - Throws: for a value that no session can use. Fields that were checked one by one do not cause it.
    package init(
        _ order: PlatformService.SessionOrder, _ checks: Checks, _ tenant: TenantRules, _ limits: Limits,
        hasNoChallenge: Bool = false
    ) throws(Defect) {
        let product = order.product
        let code = try Code.standard(
            length: order.codeTemplate?.placeholderLength, limits, isRetryAllowed: order.allowOTPRetry,
            mayChangeNumber: tenant.allowPhoneChange && order.codeMayChangeNumber)
        let link = try Link(
            lifetimeSeconds: Int(limits.linkLifetime.components.seconds),
            waitSeconds: Int(limits.linkWait.components.seconds),
            mayChangeNumber: tenant.allowPhoneChange && order.linkMayChangeNumber)
        let isAtOnce = product.prefill != nil && hasNoChallenge
        try self.init(
            product: isAtOnce ? product.nameWithoutChallenge ?? product.name : product.name, checks: checks,
            code: code, link: link, channels: limits.channels, sends: limits.sendsPerSession,
            numberEntries: tenant.allowPhoneChange ? limits.numberEntriesPerSession : 1,
            resultLifetimeSeconds: Int(limits.resultLifetime.components.seconds),
            prefill: isAtOnce ? .atOnce : product.prefill, bindsPendingKeysOnly: product.bindsPendingKeysOnly,
            asksOperatorOfKnownNumber: product.asksOperatorOfKnownNumber,
            isFoundByNumber: product.isFoundByNumber, isAnsweredElsewhere: product.isAnsweredElsewhere,
            maxKeyAgeSeconds: order.maxKeyAgeSeconds)
    }
}

extension Policy.Code {
    /// Codes by the server's limits.
    /// - Parameter length: digits; `nil`: from the limits.
    static func standard(
        length: Int? = nil, _ limits: Limits, isRetryAllowed: Bool = false, mayChangeNumber: Bool
    ) throws(Policy.Defect) -> Policy.Code {
        try Policy.Code(
            length: length ?? limits.otpCodeLength, lifetimeSeconds: Int(limits.otpLifetime.components.seconds),
            tries: isRetryAllowed ? limits.otpAttemptsWithRetry : 1, mayChangeNumber: mayChangeNumber)
    }
}

extension SessionChange {
    /// - Parameter number: `nil` if this server does not serve it.
    /// - Returns: whether the session has succeeded.
    fileprivate mutating func bind(
        to number: PhoneNumber?, at now: Timestamp, rules: Rules
    ) throws(PlatformRefusal) -> Bool {
        // A pending key waits for its number only until the session expires (client protocol 4.6).
        let isOverdue = session.outcome == .possessionRequired && now >= session.expiresAt
        if isOverdue || session.outcome == .expired || !session.isReadable(at: now) {
            throw .endedSession
        }
        if session.request.policy.bindsPendingKeysOnly, session.outcome == .possessionRequired,
            !session.device.isPending
        {
            return false
        }
        return try session.bind(number.flatMap { mayTakeKey($0) ? $0 : nil }, at: now, rules: rules)
    }

    /// If only pending keys are bound, a success reports that the key is bound. So a number that the key may not move
    /// to does not count.
    private func mayTakeKey(_ number: PhoneNumber) -> Bool {
        guard session.request.policy.bindsPendingKeysOnly, let key = deviceKey else { return true }
        return key.status == .active && (key.number == number || session.request.options.rebind)
    }
}
