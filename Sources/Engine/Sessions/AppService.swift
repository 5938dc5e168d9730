package import Possession
package import Text

/// Calls that a browser or phone may make to the engine directly, on behalf of one tenant (contract section 3).
///
/// A caller identifies its run by the flow token: 128 random bits that only it has. It never learns the correlation id.
package struct AppService: Sendable {
    private let engine: Engine
    private let platform: PlatformService
    private let prefill: PrefillService
    private let tenantID: ClientID
    /// The sessions that browsers and phones may drive.
    package let fence: SessionFence
    private let acceptsAuthID: Bool
    private let finalTargetURL: FinalTargetURL?
    private let allowsOTPRetry: Bool

    /// - Parameters:
    ///   - products: products whose sessions a browser or phone may start.
    ///   - tenant: the tenant of these runs (`app.clientId`).
    ///   - acceptsAuthID: whether a run can be opened by its `authId` only. The `authId` is also in `finalTargetUrl`,
    ///     so it is not secret.
    ///   - finalTargetURL: the operator's own page (`app.finalTargetUrl`), which every run may use as its final page.
    ///   - allowsOTPRetry: for runs with limits over sessions (`app.allowOtpRetry`).
    package init(
        _ engine: Engine, of products: [ProductName], tenant: ClientID, acceptsAuthID: Bool,
        finalTargetURL: FinalTargetURL? = nil, allowsOTPRetry: Bool = true
    ) {
        self.engine = engine
        fence = SessionFence(tenant: tenant, products: products)
        platform = PlatformService(engine)
        prefill = PrefillService(engine)
        tenantID = tenant
        self.acceptsAuthID = acceptsAuthID
        self.finalTargetURL = finalTargetURL
        self.allowsOTPRetry = allowsOTPRetry
    }

    package struct Started: Sendable {
        package let authToken: String
        package let flowToken: String
        /// For the log. It never reaches the caller.
        package let correlationID: CorrelationID
    }

    /// Starts a run for the caller.
    ///
    /// If limits hold over sessions, the run counts under the caller's own address, and the caller decides only the
    /// facts about the person: see `restricted`.
    /// - Throws: `.invalidField`, `.numberNotServed`, `.rateLimited`, `.overloaded`, `.internalFault`;
    /// `.unauthorized` without the tenant.
    package func initialize(
        _ order: PlatformService.SessionOrder, from address: IPAddress?
    ) async throws(PlatformRefusal) -> Started {
        var order = order
        var keys: [LimitKey] = []
        if engine.limits.overSessions != nil {
            keys = LimitKey.starts(from: address, of: tenantID)
        }
        let tenant: Tenant?
        let flowToken: String
        do {
            tenant = try await engine.stores.clients.tenants.tenant(tenantID)
            flowToken = engine.crypto.keyed.text(try engine.crypto.randomBytes(16))
        } catch { throw PlatformRefusal(fault: error) }
        guard let tenant, tenant.revokedAt == nil else { throw .unauthorized }
        order.number = try order.phoneNumber.map { (text) throws(PlatformRefusal) in
            try engine.submittedNumber(text, for: tenantID, isTyped: true)
        }
        if engine.limits.overSessions != nil { order = try restricted(order, from: address, by: tenant.rules) }
        let started = try await platform.start(
            order, for: tenant, flow: engine.crypto.keyed.flow(flowToken), counting: keys)
        return Started(authToken: started.authToken, flowToken: flowToken, correlationID: started.correlationID)
    }

    /// The order of a caller without credentials. Its message text and its final page would reach a person in the
    /// operator's name. The text also sets the length of the code, and the tries how often it can be guessed.
    /// - Throws: `.invalidField`.
    private func restricted(
        _ order: PlatformService.SessionOrder, from address: IPAddress?, by rules: TenantRules
    ) throws(PlatformRefusal) -> PlatformService.SessionOrder {
        guard order.codeTemplate == nil, order.linkTemplate == nil else {
            throw .invalidField(.named("smsMessage"), reason: "is not taken from browsers and phones: leave it out")
        }
        if let target = order.finalTargetURL, target != finalTargetURL, !target.isListed(by: rules) {
            throw .invalidField(.finalTarget, reason: target.refusal(by: rules))
        }
        var order = order
        // The caller's own `ipAddress` is not trusted.
        order.ipAddress = address?.text
        order.allowOTPRetry = allowsOTPRetry
        return order
    }

    /// Credential that identifies the caller's run.
    package struct FlowCredential: Sendable {
        package var flowToken: String?
        package var authID: AuthID?
        /// Called with the run that the credential opens.
        package var noteRun: NoteSession?

        package init(flowToken: String? = nil, authID: AuthID? = nil) {
            self.flowToken = flowToken
            self.authID = authID
        }
    }

    package enum Verified: Sendable {
        /// The client has not finished, or the number was not proven.
        case notProven(Session)
        case challengeMissing
        case differs(Session, IdentityFinding)
        /// `person` is `nil` if a run without a challenge found no person for the number.
        case passed(Session, Person?)
    }

    /// Validates the run, and compares the claim if the run needs a challenge. May be repeated until it has failed for
    /// good, and after it has passed: a reloaded page shows the same result.
    /// - Throws: `.unknownSession`, `.endedFlow`, `.stepNotAllowed`, `.sourceUnavailable`, `.overloaded`, `.internalFault`;
    /// `.unauthorized` without the tenant.
    package func verify(
        _ credential: FlowCredential, _ claim: PersonClaim
    ) async throws(PlatformRefusal) -> Verified {
        let key = try await key(of: credential)
        let validated = try await prefill.validate(key, for: tenantID)
        let session = validated.session
        guard validated.validation == .passed, let number = session.proof?.number else { return .notProven(session) }
        switch session.prefill?.step {
        case .completed, .failed, nil: throw .stepNotAllowed
        case .challenged: return .passed(session, try await engine.person(number))
        case .started, .validated: break
        }
        guard session.needsChallenge else {
            return .passed(session, try await engine.person(number))
        }
        guard !claim.isEmpty || !session.isChallengeMissing else { return .challengeMissing }
        let challenged = try await prefill.challenge(key, claim, for: tenantID)
        guard challenged.finding.passes else { return .differs(challenged.session, challenged.finding) }
        return .passed(challenged.session, challenged.person)
    }

    /// - Throws: as `verify`.
    package func finish(
        _ credential: FlowCredential, _ submitted: SubmittedPerson
    ) async throws(PlatformRefusal) -> PrefillService.Completed {
        try await prefill.complete(try await key(of: credential), submitted, for: tenantID)
    }

    /// The run that the credential opens.
    /// - Throws: `.endedFlow` for the flow token of an expired run, and `.unknownSession` for every other credential
    ///   that opens no run.
    /// `.unauthorized` without the tenant.
    private func key(of credential: FlowCredential) async throws(PlatformRefusal) -> SessionKey {
        let key: SessionKey
        switch (credential.flowToken, credential.authID) {
        case (let token?, _): key = .flow(engine.crypto.keyed.flow(token))
        case (nil, let id?) where acceptsAuthID: key = .auth(id)
        case (nil, _): throw .unknownSession
        }
        let found: Session?
        let tenant: Tenant?
        do {
            found = try await engine.session(key, in: fence)
            tenant = try await engine.stores.clients.tenants.tenant(tenantID)
        } catch { throw PlatformRefusal(fault: error) }
        guard let tenant, tenant.revokedAt == nil else { throw .unauthorized }
        // Only a session that a browser or phone drives has a flow digest.
        guard let session = found, session.flowDigest != nil,
            credential.authID == nil || credential.authID == session.authID
        else { throw .unknownSession }
        credential.noteRun?(session)
        let now = engine.now()
        let settled: Session
        do { settled = try await engine.withExpiries(session, at: now) } catch { throw PlatformRefusal(fault: error) }
        // A browser reads no results after the run has expired, unlike a backend. The outcome is checked too, because a
        // simulated clock may have gone back.
        guard now < session.expiresAt, settled.outcome != .expired else {
            // An auth ID is not secret, so the response must not reveal that the run existed.
            throw credential.flowToken == nil ? .unknownSession : .endedFlow
        }
        return key
    }
}
