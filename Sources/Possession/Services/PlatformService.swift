/// Calls of an app's backend to the engine: start a session, learn its result, bind a key, revoke one.
package struct PlatformService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// A session that a backend orders, its fields already read one by one; the rules that join several fields are here.
    package struct SessionOrder: Sendable {
        package let product: Product
        package var flow: SessionRequest.Flow
        package var checks = Policy.Checks.all
        package var phoneNumber: String?
        /// The same as it was read before; `nil`: it is read.
        package var number: SubmittedNumber?
        /// That is to be proven in the place of a number, by a code or a link that goes there.
        package var mailbox: EmailAddress?
        /// Where nobody is known by what the order was made of.
        package var unknown: UnknownPerson?
        package var holderID: HolderID?
        package var finalTargetURL: FinalTargetURL?
        /// Whether links give codes. The final target is the page that gets them, and no link asks for a match code.
        package var exchange: SessionRequest.Exchange?
        /// How long a link opens, in whole seconds; `nil`: as the server's limits say.
        package var linkLifetimeSeconds: Int?
        /// Where the backend wishes to be called when the session is over: below the URL of one of its webhook endpoints.
        /// Of a product that a vendor's format tells of, the endpoint has that format, and all that it has words for is told
        /// there.
        package var callbackURL: String?
        package var codeTemplate: MessageTemplate?
        /// The payment that the codes are for.
        package var payment: PaymentDigest?
        package var linkTemplate: MessageTemplate?
        package var brand: SessionBrand?
        /// The person's language, as the backend says.
        package var locale: LanguageTag?
        /// Languages that the person reads, where the call comes from their own browser or phone.
        package var languages: Languages?
        /// How codes are; `nil`: as the server's limits and `allowOTPRetry` say.
        package var code: Policy.Code?
        /// Messages that the session may cause, and whole seconds from its start to its end; `nil`: as the server's limits
        /// say.
        package var sends: Int?
        package var lifetimeSeconds: Int?
        /// How long the result can be read, in whole seconds; `nil`: as the server's limits say.
        package var resultLifetimeSeconds: Int?
        /// To a number, the preferred one first; `nil`: as the server's limits say.
        package var channels: [OutgoingMessage.Channel]?
        /// As in `Policy`.
        package var letsBackendVouch = false
        package var isAskedByAnyone = false
        package var tellsNothingOfMessages = false
        package var allowOTPRetry = false
        package var codeMayChangeNumber = true
        package var linkMayChangeNumber = true
        package var rebind = false
        package var maxKeyAgeSeconds: Int?
        package var deviceID: DeviceID?
        package var checkReputation = false
        /// `nil`: as the tenant has it.
        package var mobileAuthEnabled: Bool?
        package var emailAddress: String?
        package var ipAddress: String?
        /// Whether a link counts only from `ipAddress`, whatever the tenant's rule is.
        package var linkNeedsSameAddress = false
        package var claim = PersonClaim()
        package var references = SessionRequest.References()
        package var questions: SessionRequest.Questions = []
        package var keyHolder: SessionRequest.KeyHolder?
        package var metadata = SessionMetadata()

        package init(_ product: Product, flow: SessionRequest.Flow) {
            self.product = product
            self.flow = flow
        }

        /// It is about something that is no number.
        fileprivate var hasOtherTarget: Bool { mailbox != nil || unknown != nil }
    }

    package struct StartedSession: Sendable {
        package let correlationID: CorrelationID
        package let authID: AuthID
        package let authToken: String
    }

    /// Starts a session; returns when it is durable.
    /// - Parameters:
    ///   - flow: of the browser or phone that is to drive the session by itself.
    ///   - keys: what an anonymous start counts under, in the transaction that stores the session (ABU-09).
    /// - Throws: `.invalidField`, `.numberNeeded`, `.numberNotServed`, `.otherProduct`, `.rateLimited`, `.overloaded`,
    ///   `.internalFault`.
    package func start(
        _ order: SessionOrder, for tenant: Tenant, flow: FlowDigest? = nil, counting keys: [LimitKey] = []
    ) async throws(PlatformRefusal) -> StartedSession {
        let now = engine.now()
        let request = try await request(for: order, of: tenant)
        do {
            var session = try session(order, request, for: tenant, flow: flow, at: now)
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

    /// Makes the session request of an order. Checks every rule that joins several fields of the order.
    /// - Throws: as `start`, but for `.rateLimited`.
    func request(for order: SessionOrder, of tenant: Tenant) async throws(PlatformRefusal) -> SessionRequest {
        if order.checkReputation, engine.reputation == nil {
            throw .invalidField(.reputation, reason: "asks for a check that this server has no source for")
        }
        let mayAskOperator = order.mobileAuthEnabled ?? tenant.rules.mobileAuth
        var checks = mayAskOperator ? order.checks : order.checks.subtracting(.mobileAuth)
        if order.hasOtherTarget { checks.formIntersection(order.exchange == nil ? .code : [.code, .link]) }
        let number = !order.hasOtherTarget ? try await claimedNumber(of: order, for: tenant) : nil
        if order.unknown != nil { _ = engine.closure(of: .ofNobody, by: tenant.rules) }
        switch number.flatMap({ engine.closure(of: $0.number, by: tenant.rules) }) {
        case nil: break
        case .country:
            throw .invalidField(.phoneNumber, reason: "is of a country that is not open to this client")
        case .line(let reason): throw .invalidField(.phoneNumber, reason: reason)
        }
        if number == nil, !order.hasOtherTarget { try checkNeed(of: order.product, checks) }
        try check(order.finalTargetURL, of: order, by: tenant.rules)
        let callback = try await callback(of: order, for: tenant.id)
        // Asked only where it matters: a directory may have to search for it.
        let hasNoChallenge =
            order.product.prefill != nil && number.map { engine.numbers.traits(of: $0.number).hasNoChallenge } == true
        let policy: Policy
        do throws(Policy.Defect) {
            policy = try Policy(order, checks, tenant.rules, engine.limits, hasNoChallenge: hasNoChallenge)
        } catch {
            throw .internalFault("policy: \(error.what)")
        }
        // A desktop flow has a link, and `none` sends nothing.
        if order.flow == .mobile, policy.checks.contains(.code) {
            try checkLength(policy.code.length, by: tenant.rules)
        }
        if let template = order.codeTemplate { note(template, of: tenant.id) }
        return SessionRequest(
            flow: order.flow, policy: policy,
            subject: .init(
                number: number, mailbox: order.mailbox, unknown: order.unknown, emailAddress: order.emailAddress,
                ipAddress: order.ipAddress, claim: order.claim),
            options: .init(
                rebind: order.rebind,
                // An address has no standing that anybody knows.
                checkReputation: !order.hasOtherTarget
                    && (order.product.asksReputation ? engine.reputation != nil : order.checkReputation),
                linkMatchCode: order.exchange == nil && tenant.rules.linkMatchCode,
                // Where the backend gave no address there is nothing to compare.
                linkNeedsSameAddress: order.ipAddress != nil
                    && (tenant.rules.linkNeedsSameAddress || order.linkNeedsSameAddress),
                deviceID: order.deviceID, finalTargetURL: order.finalTargetURL?.text,
                exchange: order.exchange,
                codeTemplate: order.codeTemplate, linkTemplate: order.linkTemplate, locale: order.locale,
                callback: callback, payment: order.payment, brand: order.brand),
            references: order.references, questions: order.questions, keyHolder: order.keyHolder,
            metadata: order.metadata)
    }

    /// Tells the operator of a text that makes more than one part.
    private func note(_ template: MessageTemplate, of client: ClientID) {
        let text = template.filled(with: String(repeating: "0", count: template.placeholderLength))
        let sent = engine.texts().hasLookalikes ? GSMAlphabet.lookalikes(of: text) : text
        if let note = engine.dearTexts.note(sent, of: client, at: engine.now()) { engine.report(note) }
    }

    /// The one rule about how short a code may be: every code that a call asks for, or brings with it, passes here.
    /// - Throws: `.invalidField`.
    func checkLength(_ digits: Int, by rules: TenantRules) throws(PlatformRefusal) {
        guard let least = rules.leastCodeDigits(by: engine.limits), digits < least else { return }
        throw .invalidField(.codeLength, reason: "must give codes of at least \(least) digits to this client")
    }

    /// A new session, not stored yet.
    func session(
        _ order: SessionOrder, _ request: SessionRequest, for tenant: Tenant, flow: FlowDigest? = nil, at now: Timestamp
    ) throws(EntropyFault) -> Session {
        Session(
            correlationID: try engine.fresh(CorrelationID.self, at: now),
            authID: try engine.fresh(AuthID.self, at: now), clientID: tenant.id, request: request, flowDigest: flow,
            languages: order.languages, lifetime: order.lifetimeSeconds.map { .seconds($0) }, at: now,
            limits: engine.limits)
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

    /// The endpoint below whose URL a backend wishes to be called: the one with the longest.
    private func callback(
        of order: SessionOrder, for client: ClientID
    ) async throws(PlatformRefusal) -> SessionRequest.Callback? {
        guard let url = order.callbackURL else { return nil }
        let endpoints: [WebhookEndpoint]
        do { endpoints = try await engine.webhooks.webhookEndpoints(of: client).endpoints } catch {
            throw PlatformRefusal(fault: error)
        }
        let fitting = endpoints.filter {
            $0.isActive && $0.format.fitsCallback(of: order.product.name) && WebhookURLRule.isPrefix($0.url, of: url)
        }
        guard let endpoint = fitting.max(by: { $0.url.utf8.count < $1.url.utf8.count }) else {
            let format = WebhookEndpoint.Format.ofVendor(order.product.name).map { " with the format \($0.rawValue)" }
            throw .invalidField(
                .callback,
                reason: "is not below the URL of an active webhook endpoint of this client\(format ?? "")")
        }
        return SessionRequest.Callback(endpoint: endpoint.id, url: url)
    }

    /// Stores a new session; where it counts under `keys`, only if none of them is at its limit.
    func insert(_ session: Session, counting keys: [LimitKey] = [], at now: Timestamp) async throws {
        let freshID = try engine.fresh(HolderID.self, at: now)
        let webhooks = try engine.webhooks(ofNew: session, at: now)
        guard let limits = engine.limits.overSessions, !keys.isEmpty else {
            try await engine.sessions.insert(session, freshHolderID: freshID, webhooks: webhooks)
            return engine.wake(for: webhooks)
        }
        let hit = try await engine.sessions.insert(
            session, freshHolderID: freshID, webhooks: webhooks, counting: keys
        ) { tallies in
            tallies.take(keys, by: limits, at: now)
        }
        guard let hit else { return engine.wake(for: webhooks) }
        engine.noteLimit(hit.limit, session.currentNumber)
        throw PlatformRefusal.rateLimited(hit)
    }

    /// The number of the order: the one sent, else the one behind the person's ID.
    private func claimedNumber(
        of order: SessionOrder, for tenant: Tenant
    ) async throws(PlatformRefusal) -> SubmittedNumber? {
        if let read = order.number { return read }
        if let text = order.phoneNumber {
            return try engine.submittedNumber(text, for: tenant.id)
        }
        guard let id = order.holderID else { return nil }
        let known: PhoneNumber?
        do { known = try await engine.identities.number(of: id, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let known else { throw .invalidField(.person, reason: "is not known") }
        return SubmittedNumber(asSent: known.e164, number: known)
    }

    /// The session as it stands now, for its own tenant and product, while its result may be read (contract section 8).
    /// - Throws: `.unknownSession`, `.endedSession`, `.overloaded`, `.internalFault`.
    package func session(
        _ key: SessionKey, of product: ProductName, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Session {
        let now = engine.now()
        let session: Session?
        do { session = try await engine.settledSession(key, in: SessionFence(tenant, product), at: now) } catch {
            throw PlatformRefusal(error)
        }
        guard let session else { throw .unknownSession }
        guard session.isReadable(at: now) else { throw .endedSession }
        return session
    }

    /// Third party that a tenant may have a statement made for.
    package struct StatementAudience: Sendable, Equatable {
        fileprivate let text: String
    }

    /// A third party that a backend has named.
    /// - Throws: `.invalidField`: it is this server or an operator, or not of the tenant's list.
    package func statementAudience(
        _ text: String, for tenant: Tenant
    ) throws(PlatformRefusal) -> StatementAudience {
        guard !text.utf8.contains(UInt8(ascii: "*")) else {
            throw .invalidField(.statementAudience, reason: "must name one third party, without *")
        }
        guard !engine.reservedAudiences.holds(text) else {
            throw .invalidField(
                .statementAudience, reason: "names this server or a mobile operator, and not a third party")
        }
        let listed = tenant.rules.statementAudiences
        guard listed.isEmpty || listed.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
            throw .invalidField(.statementAudience, reason: "is not registered for this client")
        }
        return StatementAudience(text: text)
    }

    /// Statement about a session for a third party; `nil`: no check of this server has proven a number that people hold.
    ///
    /// The fixed code of a test number proves nothing.
    /// - Parameter audience: who is told.
    /// - Throws: `.internalFault`.
    package func statement(
        of session: Session, for audience: StatementAudience
    ) throws(PlatformRefusal) -> String? {
        guard session.outcome == .succeeded, let proof = session.proof, let check = proof.method.check,
            let number = proof.number, engine.testNumber(number, of: session.clientID, at: proof.at) == nil
        else { return nil }
        let statement = PossessionStatement(
            audience: audience.text, clientID: session.clientID, session: session.correlationID, number: number,
            method: check, provenAt: proof.at)
        do {
            return try engine.tokens.issueStatement(statement, jti: try engine.randomBytes(16), at: engine.now())
        } catch { throw PlatformRefusal(fault: error) }
    }

    package var hasTestMode: Bool { engine.rules.capabilities.testMode }

    package enum BindResult: Sendable {
        case bound(Session)
        /// A wrong number, or one whose standing is bad.
        case refused(Session)
    }

    /// The tenant vouches for a number, and a waiting key is bound to it.
    /// - Throws: `.invalidField`, `.otherProduct`, `.unknownSession`, `.endedSession`, `.stepNotAllowed`, `.overloaded`,
    ///   `.internalFault`.
    package func bind(
        _ key: SessionKey, of product: ProductName, to phoneNumber: String, for tenant: ClientID
    ) async throws(PlatformRefusal) -> BindResult {
        // A number that is not served cannot be the session's: it is a wrong number, not a bad request.
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
        // The person's ID is filled in by the store: read the stored session back.
        case .made(true, _): return .bound(try await session(key, of: product, for: tenant))
        }
    }

    /// Revoking twice is no error.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func revokeDevice(_ id: DeviceID, for tenant: ClientID) async throws(PlatformRefusal) {
        let found: Bool
        do {
            let now = engine.now()
            let teller = try engine.webhookTeller(for: tenant, at: now)
            found = try await engine.deviceKeys.revokeDeviceKey(id, of: tenant, telling: teller, at: now)
            engine.wake(teller)
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard found else { throw .notFound(what: "device") }
    }
}

extension Policy {
    /// Policy of an order on this server, for a tenant.
    /// - Parameter checks: those of the order that the tenant has.
    /// - Throws: for what no session can be run by; nothing that was read one by one is.
    package init(
        _ order: PlatformService.SessionOrder, _ checks: Checks, _ tenant: TenantRules, _ limits: Limits,
        hasNoChallenge: Bool = false
    ) throws(Defect) {
        let product = order.product
        let code: Code
        if let own = order.code { code = own } else { code = try Self.standardCode(order, tenant, limits) }
        let link = try Link(
            lifetimeSeconds: order.linkLifetimeSeconds ?? Int(limits.linkLifetime.components.seconds),
            waitSeconds: Int(limits.linkWait.components.seconds),
            mayChangeNumber: tenant.allowPhoneChange && order.linkMayChangeNumber)
        let isAtOnce = product.prefill != nil && hasNoChallenge
        try self.init(
            product: isAtOnce ? product.nameWithoutChallenge ?? product.name : product.name, checks: checks,
            code: code, link: link, channels: order.mailbox == nil ? order.channels ?? limits.channels : [.email],
            sends: order.sends ?? limits.sendsPerSession,
            numberEntries: tenant.allowPhoneChange ? limits.numberEntriesPerSession : 1,
            resultLifetimeSeconds: order.resultLifetimeSeconds ?? Int(limits.resultLifetime.components.seconds),
            prefill: isAtOnce ? .atOnce : product.prefill, bindsPendingKeysOnly: product.bindsPendingKeysOnly,
            asksOperatorOfKnownNumber: product.asksOperatorOfKnownNumber,
            isFoundByNumber: product.isFoundByNumber && !order.isAskedByAnyone,
            letsBackendVouch: order.letsBackendVouch, isAnsweredElsewhere: product.isAnsweredElsewhere,
            isAskedByAnyone: order.isAskedByAnyone, tellsNothingOfMessages: order.tellsNothingOfMessages,
            maxKeyAgeSeconds: order.maxKeyAgeSeconds)
    }

    /// Codes as the server's limits have them.
    private static func standardCode(
        _ order: PlatformService.SessionOrder, _ tenant: TenantRules, _ limits: Limits
    ) throws(Defect) -> Code {
        try Code(
            length: order.codeTemplate?.placeholderLength ?? limits.otpCodeLength,
            lifetimeSeconds: Int(limits.otpLifetime.components.seconds),
            tries: order.allowOTPRetry ? limits.otpAttemptsWithRetry : 1,
            mayChangeNumber: tenant.allowPhoneChange && order.codeMayChangeNumber)
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

    /// Where only pending keys are bound, a success says that the key is bound: a number does not count to which it would
    /// not move.
    private func mayTakeKey(_ number: PhoneNumber) -> Bool {
        guard session.request.policy.bindsPendingKeysOnly, let key = deviceKey else { return true }
        return key.status == .active && (key.number == number || session.request.options.rebind)
    }
}
