package import Possession
package import Text

/// Reads and decisions by the holder of an instant link. The link's token is their only credential (client protocol
/// 4.9).
package struct LinkService: Sendable {
    let engine: Engine
    private let fence: SessionFence
    private let people: @Sendable () -> [SandboxPerson]

    /// - Parameters:
    ///   - fence: the sessions whose links are answered here.
    ///   - people: the people whom a link's holder may choose if the session names no person; empty except in a
    ///     sandbox.
    package init(
        _ engine: Engine, in fence: SessionFence, people: @escaping @Sendable () -> [SandboxPerson] = { [] }
    ) {
        self.engine = engine
        self.fence = fence
        self.people = people
    }

    /// The state of a link. Stores only expiries that are due, so it may be called by anyone and any number of times
    /// (OTP-15).
    package func view(_ token: String, note: NoteSession? = nil) async throws(EngineFault) -> LinkView {
        let digest = engine.crypto.keyed.link(token)
        guard let session = try await engine.session(.link(digest), in: fence) else { return .unknown }
        note?(session)
        return try await view(of: session, digest)
    }

    /// Applies the holder's decision. The result is durable before this returns.
    /// - Parameter address: of the phone.
    package func decide(
        _ token: String, _ decision: LinkDecision, address: IPAddress?, note: NoteSession? = nil
    ) async throws(EngineFault) -> LinkView {
        let digest = engine.crypto.keyed.link(token)
        let engine = engine
        var decision = decision
        if case .play(let number) = decision, !people().contains(where: { $0.number == number }) {
            decision = .approve(matchCode: nil)
        }
        let rules = try await rules(of: digest, decision)
        let code: String
        do throws(EntropyFault) {
            code = engine.crypto.keyed.text(try engine.crypto.randomBytes(ExchangeCode.size))
        } catch {
            throw EngineFault(error)
        }
        let (answer, given) = (decision, engine.crypto.keyed.exchange(code))
        let now = engine.now()
        let changed = try await change(digest, at: now) { change in
            let traits = change.session.currentNumber.map { engine.network.numbers.traits(of: $0) }
            let phone = Session.ApprovingPhone(
                address: address, isOtherPhone: traits?.isAnsweredElsewhere ?? false)
            return change.decideLink(digest, answer, by: phone, giving: given, at: now, rules: rules)
        }
        switch changed {
        case .unknown: return .unknown
        case .revoked(let session):
            // Links of a revoked tenant can no longer decide.
            note?(session)
            return .unknown
        case .made(let isTaken, let session):
            note?(session)
            let view = try await view(of: session, digest, giving: session.exchange?.digest == given ? code : nil)
            if !isTaken, case .open(let invitation) = view { return .askAgain(invitation) }
            return view
        }
    }

    /// Answers a link in place of its holder, as if on the right phone with the right match code. If the link gives
    /// codes, it stays open: a code belongs to a browser.
    package func answer(_ token: String, approves: Bool) async throws(EngineFault) {
        let digest = engine.crypto.keyed.link(token)
        let engine = engine
        let rules = try await rules(of: digest, approves ? .approve(matchCode: nil) : .deny)
        let now = engine.now()
        _ = try await change(digest, at: now) { change in
            let session = change.session
            let phone = Session.ApprovingPhone(address: session.request.subject.address)
            let decision: LinkDecision = approves ? .approve(matchCode: session.link.matchCode) : .deny
            return change.session.decideLink(digest, decision, by: phone, at: now, rules: rules)
        }
    }

    /// The rules, with the standing of the number if the decision may prove it.
    private func rules(of digest: LinkDigest, _ decision: LinkDecision) async throws(EngineFault) -> Rules {
        guard case .approve = decision else { return engine.rules }
        let now = engine.now()
        return try await engine.rules(of: .link(digest), in: fence) { session in
            guard case .open = session.linkStatus(digest, at: now) else { return nil }
            return session.currentNumber.map { .number($0) }
        }
    }

    /// - Parameter rule: returns `false` if the match code must be entered again.
    private func change(
        _ digest: LinkDigest, at now: Timestamp, _ rule: @escaping @Sendable (inout SessionChange) -> Bool
    ) async throws(EngineFault) -> Changed<Bool, Never> {
        var lookup = ChangeInputs()
        if engine.limits.overSessions != nil {
            lookup.limitKeys = { session, _ in
                session.currentTarget.map {
                    [LimitKey(.refusedLinks, $0, of: session.clientID)] + session.answerKeys(of: $0)
                } ?? []
            }
            lookup.knownTarget = { $0.currentTarget }
        }
        return try await engine.change(.link(digest), by: .caller(fence), lookup, at: now) { (change) throws(Never) in
            rule(&change)
        }
    }

    /// - Parameter code: the code that the link has just given.
    private func view(
        of stored: Session, _ digest: LinkDigest, giving code: String? = nil
    ) async throws(EngineFault) -> LinkView {
        let now = engine.now()
        let session: Session
        do { session = try await engine.withExpiries(stored, at: now) } catch { throw EngineFault(error) }
        // If the tenant can no longer read the session, the link reveals nothing either.
        guard session.isReadable(at: now) else { return .unknown }
        let tenant: Tenant?
        do { tenant = try await engine.stores.clients.tenants.tenant(session.clientID) } catch {
            throw EngineFault(error)
        }
        guard let tenant, tenant.revokedAt == nil else { return .unknown }
        let options = session.request.options
        let languages = session.wantedLanguages + (tenant.rules.locale.map { [$0] } ?? [])
        // By the current rules: a host that was removed from the list is no longer used.
        let page = options.finalTargetURL.flatMap { text -> String? in
            let form: FinalTargetURL.Form = options.exchange == nil ? .ending : .redirect
            return (try? FinalTargetURL(text, as: form))?.isAllowed(by: tenant.rules) == true ? text : nil
        }
        if let code {
            let target = page.map { FinalTargetURL.text($0, code: code) }
            return .ended(LinkEnding(reason: target == nil ? .failed : .approved, target: target, languages: languages))
        }
        switch session.linkStatus(digest, at: now) {
        case .superseded: return .superseded(languages: languages)
        case .ended(let reason):
            let target = options.exchange == nil ? page : nil
            return .ended(
                LinkEnding(
                    reason: reason,
                    target: target.map {
                        FinalTargetURL.text($0, succeeded: reason == .approved, authID: session.authID)
                    }, languages: languages))
        case .open(let expiresAt):
            let brand = engine.texts.brand
            return .open(
                LinkInvitation(
                    requester: tenant.rules.displayName ?? (brand.utf8.isEmpty ? nil : brand),
                    requestedAt: session.link.sentAt ?? session.createdAt, browser: session.link.browser,
                    needsMatchCode: session.link.matchCode != nil, goesOnHere: options.exchange != nil,
                    people: session.isPlayed ? people() : [],
                    expiresAt: expiresAt, languages: languages))
        }
    }
}
