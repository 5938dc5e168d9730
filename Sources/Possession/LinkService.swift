package import Text

/// What the holder of an instant link can see and do. The link's token is all they show (client protocol 4.9).
package struct LinkService: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    package enum Fault: Error, Sendable {
        case overloaded
        case internalFault(String)
    }

    /// What a link stands for. Changes nothing, whoever asks and however often (OTP-15).
    package func look(_ token: String, note: NoteSession? = nil) async throws(Fault) -> LinkView {
        let digest = engine.keyed.link(token)
        let found: Session?
        do { found = try await engine.sessions.session(.link(digest)) } catch { throw Fault(error) }
        guard let session = found else { return .unknown }
        note?(session)
        return try await view(of: session, digest)
    }

    /// Takes the holder's answer; what comes of it is durable before this returns.
    /// - Parameter address: of the phone.
    package func decide(
        _ token: String, _ decision: LinkDecision, address: IPAddress?, note: NoteSession? = nil
    ) async throws(Fault) -> LinkView {
        let digest = engine.keyed.link(token)
        let engine = engine
        let outcome = try await update(digest) { (unit, now) in
            let number = unit.session.currentNumber
            let behaviour = number.flatMap { engine.numbers.sandboxUser($0)?.link }
            let phone = Session.ApprovingPhone(address: address, isOtherPhone: behaviour == .mismatch)
            return unit.decideLink(digest, decision, by: phone, at: now, rules: engine.rules)
        }
        guard let outcome else { return .unknown }
        note?(outcome.session)
        let view = try await view(of: outcome.session, digest)
        if !outcome.isTaken, case .open(let invitation) = view { return .askAgain(invitation) }
        return view
    }

    /// The sandbox plays the person: a tap on the right phone, with the right match code.
    func playPerson(_ token: String, approves: Bool) async throws(ClientService.Fault) {
        let digest = engine.keyed.link(token)
        let engine = engine
        do throws(Fault) {
            _ = try await update(digest) { (unit, now) in
                let session = unit.session
                let phone = Session.ApprovingPhone(address: session.request.subject.ipAddress.flatMap { IPAddress($0) })
                let decision: LinkDecision = approves ? .approve(matchCode: session.link.matchCode) : .deny
                return unit.session.decideLink(digest, decision, by: phone, at: now, rules: engine.rules)
            }
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .internalFault(let reason): throw .internalFault(reason)
            }
        }
    }

    // MARK: one change

    private struct Outcome: Sendable {
        let session: Session
        /// `false`: the match code has to be asked for again.
        let isTaken: Bool
        let changed: Bool
        let hits: [LimitTallies.Hit]
    }

    private func update(
        _ digest: LinkDigest, _ rule: @escaping @Sendable (inout SessionUnit, Timestamp) -> Bool
    ) async throws(Fault) -> Outcome? {
        let now = engine.now()
        let outcome: Outcome?
        let limits = engine.limits
        var lookup = SessionLookup()
        if limits.overSessions != nil {
            lookup.limitKeys = { session, _ in session.currentNumber.map { [LimitKey(.refusedLinks, $0)] } ?? [] }
        }
        do {
            let deviceID = try engine.fresh(DeviceID.self, at: now)
            outcome = try await engine.sessions.update(
                .link(digest), lookup, freshProveID: try engine.fresh(ProveID.self, at: now)
            ) { unit in
                let before = unit.session
                unit.session.settle(at: now)
                let settled = unit.session
                // A revoked tenant's links decide nothing any more (TOK-10).
                let isTaken = unit.tenantIsRevoked || rule(&unit, now)
                if before.proof == nil { unit.bindPendingKey(freshDeviceID: deviceID, at: now) }
                unit.endRunsOfProof(since: before, limits: limits)
                unit.session.countRevision(since: settled)
                return Outcome(
                    session: unit.session, isTaken: isTaken, changed: unit.session != before, hits: unit.tallies.hits)
            }
        } catch {
            throw Fault(error)
        }
        engine.tell(outcome?.session.news)
        for hit in outcome?.hits ?? [] { engine.noteLimit(hit.limit, hit.number) }
        if let outcome, outcome.changed { engine.announce(outcome.session.authID) }
        return outcome
    }

    private func view(of stored: Session, _ digest: LinkDigest) async throws(Fault) -> LinkView {
        let now = engine.now()
        let session: Session
        do { session = try await engine.settled(stored, at: now) } catch { throw Fault(error) }
        // Nobody is told of a session that the tenant cannot read any more.
        guard session.isReadable(at: now, for: engine.limits.resultLifetime) else { return .unknown }
        let tenant: Tenant?
        do { tenant = try await engine.tenants.tenant(session.clientID) } catch { throw Fault(error) }
        guard let tenant, tenant.revokedAt == nil else { return .unknown }
        switch session.linkStatus(digest, at: now) {
        case .superseded: return .superseded
        case .ended(let reason):
            // By the rules as they are now: a host that was taken off the list gets nobody any more.
            let target = session.request.options.finalTargetURL.flatMap { text in
                (try? FinalTargetURL(text))?.isAllowed(by: tenant.rules) == true
                    ? FinalTargetURL.text(text, succeeded: reason == .approved, authID: session.authID) : nil
            }
            return .ended(LinkEnding(reason: reason, target: target))
        case .open(let expiresAt):
            return .open(
                LinkInvitation(
                    requester: tenant.rules.displayName ?? tenant.id.text,
                    requestedAt: session.link.sentAt ?? session.createdAt, browser: session.link.browser,
                    needsMatchCode: session.link.matchCode != nil, expiresAt: expiresAt))
        }
    }
}

extension LinkService.Fault {
    init(_ fault: any Error) {
        switch fault {
        case StorageFault.overloaded: self = .overloaded
        case let fault as StorageFault: self = .internalFault("storage: \(fault)")
        case let fault as Self: self = fault
        default: self = .internalFault("random generator")
        }
    }
}
