/// The steps of a Pre-Fill run after its start: validate, challenge, complete (Prove section 6).
///
/// A backend names the run by its correlation id, a browser or phone by its flow token; either has to be of the tenant.
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
    /// - Throws: `.unknownCorrelationID`, `.overloaded`, `.internalFault`.
    package func validate(_ key: SessionKey, for tenant: ClientID) async throws(PlatformRefusal) -> Validated {
        let now = engine.now()
        let rules = engine.rules
        return try await update(key, for: tenant, at: now) { (unit) throws(PlatformRefusal) in
            let validation = try unit.session.validate(at: now, rules: rules)
            return Validated(session: unit.session, validation: validation)
        }
    }

    package struct Challenged: Sendable {
        package let session: Session
        package let finding: IdentityFinding
        /// The record; only when the finding passes.
        package let person: Person?
    }

    /// Compares a claim with the record and, where they agree, shows it.
    /// - Throws: `.invalidField`, `.unknownCorrelationID`, `.stepNotAllowed`, `.rateLimited`, `.numberStopped`,
    ///   `.overloaded`, `.internalFault`.
    package func challenge(
        _ key: SessionKey, _ claim: PersonClaim, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Challenged {
        let now = engine.now()
        let person = try await person(of: key, for: tenant)
        let limits = engine.limits
        return try await update(key, for: tenant, at: now, isClaim: true) { (unit) throws(PlatformRefusal) in
            let finding = try unit.claim(at: now, limits: limits, passes: \.passes) {
                (session) throws(PlatformRefusal) -> IdentityFinding in
                try session.challenge(claim, against: person, at: now)
            }
            return Challenged(session: unit.session, finding: finding, person: finding.passes ? person : nil)
        }
    }

    package struct Completed: Sendable {
        package let completion: Session.Completion
        /// What the source knows beside the record; only when the finding passes.
        package let person: Person?
    }

    /// Compares what was submitted in the end with the record.
    /// - Throws: as `challenge`.
    package func complete(
        _ key: SessionKey, _ submitted: SubmittedPerson, for tenant: ClientID
    ) async throws(PlatformRefusal) -> Completed {
        let now = engine.now()
        let person = try await person(of: key, for: tenant)
        let limits = engine.limits
        return try await update(key, for: tenant, at: now, isClaim: true) { (unit) throws(PlatformRefusal) in
            let completion = try unit.claim(at: now, limits: limits, passes: \.finding.passes) {
                (session) throws(PlatformRefusal) -> Session.Completion in
                try session.complete(submitted, against: person, at: now)
            }
            return Completed(completion: completion, person: completion.finding.passes ? person : nil)
        }
    }

    // MARK: Steps

    /// The record of the proven number. The source is asked before the transaction, which must not wait for it.
    private func person(of key: SessionKey, for tenant: ClientID) async throws(PlatformRefusal) -> Person? {
        let session: Session?
        do { session = try await engine.sessions.session(key) } catch { throw PlatformRefusal(fault: error) }
        guard let session, session.isPrefillRun(of: tenant) else { throw .unknownCorrelationID }
        guard let number = session.proof?.number else { return nil }
        return try await engine.person(number)
    }

    /// - Parameter isClaim: the rule asks the limits of claims about a person.
    private func update<Result: Sendable>(
        _ key: SessionKey, for tenant: ClientID, at now: Timestamp, isClaim: Bool = false,
        _ rule: @escaping @Sendable (inout SessionUnit) throws(PlatformRefusal) -> Result
    ) async throws(PlatformRefusal) -> Result {
        let outcome: (result: Swift.Result<Result, PlatformRefusal>, hits: [LimitTallies.Hit], news: Session.News?)?
        var lookup = SessionLookup()
        if isClaim, engine.limits.overSessions != nil {
            lookup.limitKeys = { session, _ in SessionUnit.claimKeys(of: session) }
        }
        do {
            outcome = try await engine.sessions.update(
                key, lookup, freshProveID: try engine.fresh(ProveID.self, at: now)
            ) { unit in
                guard unit.session.isPrefillRun(of: tenant) else { return (.failure(.unknownCorrelationID), [], nil) }
                unit.session.settle(at: now)
                let settled = unit.session
                do throws(PlatformRefusal) {
                    let result = try rule(&unit)
                    unit.session.countRevision(since: settled)
                    return (.success(result), unit.tallies.hits, unit.session.news)
                } catch {
                    return (.failure(error), unit.tallies.hits, unit.session.news)
                }
            }
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let outcome else { throw .unknownCorrelationID }
        engine.tell(outcome.news)
        for hit in outcome.hits { engine.noteLimit(hit.limit, hit.number) }
        return try outcome.result.get()
    }
}

extension Session {
    func isPrefillRun(of tenant: ClientID) -> Bool {
        clientID == tenant && SessionRequest.Product.prefillRuns.contains(request.product)
    }
}
