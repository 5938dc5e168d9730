package import Possession
package import Text

/// The hops of a Mobile Auth chain. Their only credentials are the ticket and our own signed `state` (client protocol
/// 4.7).
package struct MobileAuthService: Sendable {
    let engine: Engine
    package let fence: SessionFence

    /// - Parameter fence: the sessions whose hops are followed here.
    package init(_ engine: Engine, in fence: SessionFence) {
        self.engine = engine
        self.fence = fence
    }

    /// The result of a hop.
    package enum Hop: Sendable, Equatable {
        /// Redirects to the operator.
        case redirect(String)
        /// The end of the chain; `fingerprint` is `nil` if it failed. `page`: the web page that waits for the result.
        case arrived(fingerprint: String?, page: String?)
        /// As `arrived`, in a session that its backend drives. The page gets the fingerprint in its query, because the
        /// device reads the response of that page.
        case handedOver(fingerprint: String?, to: String)
        case refused(Session.HopRefusal)
    }

    /// The first hop. A second request with the same ticket is refused.
    /// - Parameters:
    ///   - said: the number that the device reports for itself.
    package func sendToOperator(
        _ attemptText: String, ticket: String, address: IPAddress?, saidNumber said: String?, note: NoteSession? = nil
    ) async throws(EngineFault) -> Hop {
        guard let bytes = engine.crypto.keyed.bytes(attemptText), let attempt = AttemptID(bytes) else {
            return .refused(.unknown)
        }
        let digest = engine.crypto.keyed.ticket(ticket)
        let from = engine.crypto.mobileAuthTokens.address(address?.text ?? "unix")
        let carrier = engine.network.operators.serving(address: address)
        let rules = engine.rules
        let outcome = try await update(attempt, note) { (session, now) throws(Session.HopRefusal) in
            try session.travel(
                attempt, ticket: digest, from: from, operatorName: carrier?.name, at: now, rules: rules)
        }
        switch outcome {
        case .failure(let refusal): return .refused(refusal)
        case .success((let session, _)):
            guard let url = operatorRequest(attempt, session, said, to: carrier) else {
                return Self.arrival(nil, of: session)
            }
            return .redirect(url)
        }
    }

    /// Repeats the first hop for a device that did not receive the response. It goes to the same operator, if the
    /// attempt is still on its way and the device's address is the same.
    package func sendToOperatorAgain(
        _ attemptText: String, address: IPAddress?, saidNumber said: String?
    ) async throws(EngineFault) -> Hop {
        guard let attempt = engine.crypto.keyed.bytes(attemptText).flatMap({ AttemptID($0) }) else {
            return .refused(.unknown)
        }
        guard let session = try await session(of: attempt) else { return .refused(.unknown) }
        guard case .travelling(let left, let name, let end) = session.mobileAuth.state, engine.now() < end else {
            return .refused(.gone)
        }
        let asking: AddressDigest = engine.crypto.mobileAuthTokens.address(address?.text ?? "unix")
        guard left == asking else { return .refused(.otherAddress) }
        let serving = engine.network.operators.serving(address: address)
        let carrier = serving?.name.isSame(as: name) == true ? serving : engine.network.operators.named(name)
        return operatorRequest(attempt, session, said, to: carrier).map { .redirect($0) } ?? .refused(.gone)
    }

    /// The end of a chain whose device gets a code.
    package enum End: Sendable, Equatable {
        case code(OTP)
        /// The operator's answer proves no number.
        case refused(MobileAuthCheck.Verdict)
        /// The text is not a fingerprint, or the fingerprint was used, has expired, or is void.
        case gone
    }

    /// Ends a chain on the device: gives it digits that stand for the fingerprint. They have the length of the
    /// session's codes and are accepted once from now on, within the tries of those codes. The same fingerprint gives
    /// the same digits.
    package func end(_ text: String) async throws(EngineFault) -> End {
        guard let fingerprint = engine.crypto.mobileAuthTokens.fingerprint(in: text) else { return .gone }
        let ended = try await update(fingerprint.attempt) { (session, now) throws(Session.HopRefusal) in
            .success(try session.handOver(fingerprint, at: now))
        }
        switch ended {
        case .failure: return .gone
        case .success((let session, let verdict)):
            guard session.mobileAuth.hasHandedOver else { return .refused(verdict) }
            return .code(
                engine.crypto.mobileAuthTokens.code(
                    of: fingerprint.attempt, fingerprint.result, length: session.otp.codeLength))
        }
    }

    /// The session, with expiries applied, if this is its current attempt.
    private func session(of attempt: AttemptID) async throws(EngineFault) -> Session? {
        guard let found = try await engine.session(.attempt(attempt), in: fence) else { return nil }
        let session = try await engine.withExpiries(found, at: engine.now())
        return session.mobileAuth.attempt == attempt ? session : nil
    }

    private func operatorRequest(
        _ attempt: AttemptID, _ session: Session, _ said: String?, to carrier: (any MobileOperator)?
    ) -> String? {
        carrier?.authorizeURL(
            OperatorRequest(
                state: engine.crypto.mobileAuthTokens.state(of: attempt),
                codeChallenge: engine.crypto.mobileAuthTokens.codeChallenge(of: attempt),
                claimed: session.currentNumber,
                saidNumber: said))
    }

    /// Parameters of the operator's redirect.
    package enum Return: Sendable {
        case code(String)
        /// The operator's error word.
        case error(String)
    }

    /// The return hop: redeems the code at the operator, stores the answer, and issues the fingerprint.
    package func returnFromOperator(
        _ state: String, _ back: Return, address: IPAddress?, note: NoteSession? = nil
    ) async throws(EngineFault) -> Hop {
        guard let attempt = engine.crypto.mobileAuthTokens.attempt(inState: state) else { return .refused(.unknown) }
        let from = engine.crypto.mobileAuthTokens.address(address?.text ?? "unix")
        let claim = try await update(attempt, note) { (session, now) throws(Session.HopRefusal) in
            try session.arrive(attempt, from: from, at: now)
        }
        let (session, operatorName): (Session, String)
        switch claim {
        case .failure(let refusal): return .refused(refusal)
        case .success(let claimed): (session, operatorName) = claimed
        }
        let (verdict, word) = await answer(of: operatorName, back, attempt, claimed: session.currentNumber)
        let result = try random(16)
        let noted = try await update(attempt) { (session, now) throws(Session.HopRefusal) in
            .success(try session.noteAnswer(verdict, of: attempt, result: result, detail: word.rawValue, at: now))
        }
        switch noted {
        case .failure(let refusal): return .refused(refusal)
        case .success((let session, _)):
            let isAnswer = verdict != .unavailable
            return Self.arrival(isAnswer ? fingerprint(attempt, of: session, result) : nil, of: session)
        }
    }

    private func answer(
        of operatorName: String, _ back: Return, _ attempt: AttemptID, claimed: PhoneNumber?
    ) async -> (MobileAuthCheck.Verdict, MobileAuthAnswerWord) {
        guard case .code(let code) = back, let carrier = engine.network.operators.named(operatorName) else {
            return (.unavailable, .refused)
        }
        return await ask(
            carrier, .code(code, verifier: engine.crypto.mobileAuthTokens.verifier(of: attempt)), claimed: claimed)
    }

    private func answer(
        to question: TokenQuestion, claimed: PhoneNumber?
    ) async -> (MobileAuthCheck.Verdict, MobileAuthAnswerWord) {
        guard let carrier = question.carrier else { return (.unavailable, .refused) }
        return await ask(carrier, .token(question.token), claimed: claimed)
    }

    private func ask(
        _ carrier: any MobileOperator, _ grant: OperatorGrant, claimed: PhoneNumber?
    ) async -> (MobileAuthCheck.Verdict, MobileAuthAnswerWord) {
        do throws(OperatorFault) {
            switch try await carrier.identify(grant, claimed: claimed) {
            case .verified(let agrees): return agrees ? (.agrees, .agrees) : (.differs, .differs)
            case .number(let number):
                guard let claimed else { return (.found(number), .found) }
                return number == claimed ? (.agrees, .agrees) : (.differs, .differs)
            }
        } catch {
            switch error {
            case .notOnNetwork: return (.unavailable, .notOnNetwork)
            case .timeout: return (.unavailable, .timeout)
            case .circuitOpen: return (.unavailable, .circuitOpen)
            case .failed(let reason):
                engine.reports.log("operator \(carrier.name): \(reason)")
                return (.unavailable, .operatorError)
            }
        }
    }

    // MARK: a token instead of the hops

    /// A request to the operator whose token a client submitted.
    package struct TokenQuestion: Sendable {
        let attempt: AttemptID
        /// `nil`: the operator was removed from the configuration.
        let carrier: (any MobileOperator)?
        let token: OperatorToken
        /// The client's address, if known.
        let address: IPAddress?
    }

    /// Asks the operator and ends the attempt by its answer. The reply stored for the call is replaced.
    /// - Parameter session: the session, as it waits for the answer.
    /// - Returns: the reply of the call; `nil`: the session was removed, or its tenant is revoked.
    func finish(
        _ question: TokenQuestion, of session: Session, retry: RetryKey?
    ) async throws(EngineFault) -> OperationReply? {
        let claimed = session.currentNumber
        let (verdict, word) = await answer(to: question, claimed: claimed)
        let key = SessionKey.auth(session.authID)
        let rules = try await engine.rules(of: key, in: fence) { _ in
            verdict.number(claimed: claimed).map { .number($0) }
        }
        let now = engine.now()
        let context = RuleContext(rules, engine.server)
        let account = { @Sendable (session: Session) in
            context.mobileAuthAccount(
                verdict.number(claimed: session.currentNumber), in: session, from: question.address, at: now)
        }
        var lookup = ChangeInputs()
        lookup.retry = retry
        if rules.limits.overSessions != nil {
            lookup.limitKeys = { session, _ in account(session)?.proofKeys ?? [] }
            lookup.knownTarget = { account($0)?.target }
        }
        let changed = try await engine.change(
            key, by: .caller(fence), lookup, at: now,
            append: { change, _ in
                guard let retry else { return }
                let reply = OperationReply(refusal: nil, session: change.session)
                change.reply = KeptReply(requestBody: retry.body, reply: reply, at: now)
            }
        ) { (change) throws(StepRefusal) in
            change.mobileAuthAccount = account(change.session)
            try change.session.endMobileAuthByAnswer(
                question.attempt, verdict, detail: word.rawValue, at: now, rules: rules)
        }
        switch changed {
        case .unknown, .revoked: return nil
        case .refused(let refusal, let session): return OperationReply(refusal: refusal, session: session)
        case .made(_, let session): return OperationReply(refusal: nil, session: session)
        }
    }

    private func fingerprint(_ attempt: AttemptID, of session: Session, _ result: [UInt8]) -> String {
        let now = engine.now()
        let sessionKey: Thumbprint? = if case .key(let thumbprint) = session.binding { thumbprint } else { nil }
        return engine.crypto.mobileAuthTokens.fingerprint(
            Fingerprint(
                attempt: attempt, authID: session.authID, sessionKey: sessionKey, result: result, issuedAt: now,
                expiresAt: now.adding(engine.limits.fingerprintLifetime)))
    }

    /// The result at the end of a chain.
    private static func arrival(_ fingerprint: String?, of session: Session) -> Hop {
        if session.binding == .backend, let page = session.declaration?.mobileAuthReturnURL {
            return .handedOver(fingerprint: fingerprint, to: page)
        }
        return .arrived(fingerprint: fingerprint, page: page(of: session))
    }

    private static func page(of session: Session) -> String? {
        session.declaration?.platform == .web ? session.declaration?.mobileAuthReturnURL : nil
    }

    // MARK: one change

    /// - Parameter rule: throws if nothing has changed, and returns a refusal that has changed the session.
    private func update<Value: Sendable>(
        _ attempt: AttemptID, _ note: NoteSession? = nil,
        _ rule:
            @escaping @Sendable (inout Session, Timestamp) throws(Session.HopRefusal) -> Result<
                Value, Session.HopRefusal
            >
    ) async throws(EngineFault) -> Result<(Session, Value), Session.HopRefusal> {
        let now = engine.now()
        let changed = try await engine.change(.attempt(attempt), by: .caller(fence), at: now) {
            (change) throws(Session.HopRefusal) in
            try rule(&change.session, now)
        }
        switch changed {
        case .unknown: return .failure(.unknown)
        case .revoked(let session):
            note?(session)
            return .failure(.gone)
        case .refused(let refusal, let session):
            note?(session)
            return .failure(refusal)
        case .made(let result, let session):
            note?(session)
            return result.map { (session, $0) }
        }
    }

    private func random(_ count: Int) throws(EngineFault) -> [UInt8] {
        do { return try engine.crypto.randomBytes(count) } catch { throw EngineFault(error) }
    }
}

extension MobileAuthService.Hop {
    /// The return page of a backend's session, with the result in its query.
    package static func address(_ page: String, _ fingerprint: String?) -> String {
        page + (fingerprint.map { "?vfp=\($0)" } ?? "?error=mobile_auth_unavailable")
    }
}
