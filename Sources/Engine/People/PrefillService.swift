package import Possession

/// The steps that return the known data of a person, after the session's start: validate, challenge, complete.
///
/// A backend names the run by its correlation id, a browser or phone by its flow token. Either must belong to the
/// tenant.
package struct PrefillService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    package struct Validated: Sendable {
        package let session: Session
        package let validation: Session.Validation
    }

    /// Whether the number is proven; may be repeated.
    /// - Throws: `.unknownSession`, `.overloaded`, `.internalFault`.
    package func validate(_ key: SessionKey, for tenant: ClientID) async throws(PlatformRefusal) -> Validated {
        let now = engine.now()
        let rules = engine.rules
        let (validation, session) = try await change(key, for: tenant, at: now) { (change) throws(PlatformRefusal) in
            try change.session.validate(at: now, rules: rules)
        }
        return Validated(session: session, validation: validation)
    }

    package struct Challenged: Sendable {
        package let session: Session
        package let finding: IdentityFinding
        /// The record; set only if the finding passes.
        package let person: Person?
    }

    /// Compares a claim with the record and, if they agree, returns the record.
    /// - Throws: `.invalidField`, `.unknownSession`, `.stepNotAllowed`, `.rateLimited`, `.numberStopped`,
    ///   `.overloaded`, `.internalFault`.
    package func challenge(
        _ key: SessionKey, _ claim: PersonClaim, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Challenged {
        let now = engine.now()
        let person = try await person(of: key, for: tenant)
        let limits = engine.limits
        let (finding, session) = try await change(key, for: tenant, at: now, isClaim: true) {
            (change) throws(PlatformRefusal) in
            try change.claim(at: now, limits: limits, passes: \.passes) {
                (session) throws(PlatformRefusal) -> IdentityFinding in
                try session.challenge(claim, against: person, at: now)
            }
        }
        return Challenged(session: session, finding: finding, person: finding.passes ? person : nil)
    }

    package struct Completed: Sendable {
        package let completion: Session.Completion
        /// Record of the person with the findings of data sources; set only if the finding passes.
        package let person: Person?
    }

    /// Compares the submitted data with the record.
    /// - Throws: as `challenge`.
    package func complete(
        _ key: SessionKey, _ submitted: SubmittedPerson, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Completed {
        let now = engine.now()
        let person = try await person(of: key, for: tenant)
        let limits = engine.limits
        let (completion, _) = try await change(key, for: tenant, at: now, isClaim: true) {
            (change) throws(PlatformRefusal) in
            try change.claim(at: now, limits: limits, passes: \.finding.passes) {
                (session) throws(PlatformRefusal) -> Session.Completion in
                try session.complete(submitted, against: person, at: now)
            }
        }
        return Completed(completion: completion, person: completion.finding.passes ? person : nil)
    }

    // MARK: Steps

    /// The record of the proven number. The source is asked before the transaction, which must not wait for it.
    private func person(of key: SessionKey, for tenant: ClientID) async throws(PlatformRefusal) -> Person? {
        let session: Session?
        do { session = try await engine.session(key, in: SessionFence(tenant: tenant)) } catch {
            throw PlatformRefusal(error)
        }
        guard let session, session.isPrefillRun else { throw .unknownSession }
        guard let number = session.proof?.number else { return nil }
        return try await engine.person(number)
    }

    /// - Parameter isClaim: the rule checks the limits of claims about a person.
    private func change<Outcome: Sendable>(
        _ key: SessionKey, for tenant: ClientID, at now: Timestamp, isClaim: Bool = false,
        _ rule: @escaping @Sendable (inout SessionChange) throws(PlatformRefusal) -> Outcome
    ) async throws(PlatformRefusal) -> (Outcome, Session) {
        var lookup = ChangeInputs()
        if isClaim, engine.limits.overSessions != nil {
            lookup.limitKeys = { session, _ in SessionChange.claimKeys(of: session) }
        }
        let changed: Changed<Outcome, PlatformRefusal>
        do throws(EngineFault) {
            changed = try await engine.change(key, by: .caller(SessionFence(tenant: tenant)), lookup, at: now) {
                (change) throws(PlatformRefusal) in
                guard change.session.isPrefillRun else { throw .unknownSession }
                return try rule(&change)
            }
        } catch {
            throw PlatformRefusal(error)
        }
        switch changed {
        case .unknown, .revoked: throw .unknownSession
        case .refused(let refusal, _): throw refusal
        case .made(let outcome, let session): return (outcome, session)
        }
    }
}

extension Session {
    var isPrefillRun: Bool { request.policy.prefill != nil }
}
