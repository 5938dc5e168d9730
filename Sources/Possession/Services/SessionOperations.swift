package import Text

/// Operations on a session: redeem, send, verify, link, Mobile Auth, device key, cancel.
///
/// Each call makes an operation. Its random values are drawn here and its numbers are read here, so that its rule is a
/// plain function that may run more than once.
package struct SessionOperations: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Redeems the token: the first credential binds the session (client protocol 4.3).
    /// - Parameter languages: that the person reads, where the call says it.
    package func redeem(
        _ declaration: Session.Declaration, languages: Languages? = nil
    ) throws(EngineFault) -> SessionOperation {
        let challenge = try random(32)
        var operation = SessionOperation { (change, credential, now, rules) throws(StepRefusal) in
            try change.session.redeem(
                declaration, by: credential, challenge: challenge, languages: languages, at: now, rules: rules)
            return .done
        }
        operation.begins = true
        return operation
    }

    /// Changes nothing.
    package func look() -> SessionOperation {
        var operation = SessionOperation { (_, _, _, _) throws(StepRefusal) in .done }
        operation.isLook = true
        return operation
    }

    /// - Parameter proof: `nil` when its form or signature was bad.
    package func proveDevice(_ proof: DeviceProof?) throws(EngineFault) -> SessionOperation {
        let challenge = try random(32)
        let keys = limitKeys { session, _ in
            session.currentNumber.map { [LimitKey(.failedDeviceProofs, $0, of: session.clientID)] } ?? []
        }
        let judged = { @Sendable (session: Session) -> JudgedNumber? in
            let mayPass = session.phase == .active(.device) && !session.request.options.rebind
            return mayPass ? proof.map { .ofKey($0.thumbprint) } : nil
        }
        return SessionOperation(thumbprint: proof?.thumbprint, limitKeys: keys, judged: judged) {
            (change, credential, now, rules) throws(StepRefusal) in
            let context = SessionChange.DeviceContext(rules: rules, nextChallenge: challenge)
            return .init(try change.provedDevice(proof, by: credential, context: context, at: now))
        }
    }

    /// - Parameters:
    ///   - code: `nil`: a wrong one, whatever the session awaits.
    ///   - address: of whoever shows it, where the code counts by it; `nil`: it counts where the last message was asked for.
    ///   - payment: that the check names; a code is taken only where it is the session's own.
    ///   - isTyped: a person has typed it: one with another length than the session's codes is told so, and costs nothing.
    package func verifyOTP(
        _ code: OTP?, from address: IPAddress? = nil, for payment: PaymentDigest? = nil, isTyped: Bool = false
    ) -> SessionOperation {
        let engine = engine
        let source = address.map { MessageSource($0) }
        // The code of a silent chain proves the number as the operator's answer does.
        let silent = { @Sendable (session: Session) in
            engine.mobileAuthAccount(
                session.awaitsSilentCode ? session.currentNumber : nil, in: session, from: address)
        }
        let keys = limitKeys { session, _ in
            guard let target = session.currentTarget else { return [] }
            return session.guessKeys(of: target, from: source) + session.answerKeys(of: target)
                + (silent(session)?.proofKeys ?? [])
        }
        let judged = { @Sendable (session: Session) -> JudgedNumber? in
            session.awaitsTypedCode ? session.currentNumber.map { .number($0) } : nil
        }
        var operation = SessionOperation(limitKeys: keys, judged: judged) {
            (change, _, now, rules) throws(StepRefusal) in
            try change.session.checkPayment(payment)
            let length = change.session.otp.codeLength
            let (tenant, isOwn) = (change.session.clientID, change.session.hasOwnCode)
            let awaited = change.session.awaitedSilentCode(by: engine.mobileAuthTokens)
            if awaited != nil { change.mobileAuthAccount = silent(change.session) }
            let digest = { (session: AuthID, target: Target) -> OTPDigest in
                guard let code else { return .ofNone }
                if let awaited {
                    let isRight = engine.keyed.otp(code, session, target)
                        .matches(engine.keyed.otp(awaited.code, session, target))
                    return isRight ? OTPDigest(awaited.result) : .ofNone
                }
                if let test = engine.testNumber(target, of: tenant, at: now), test.code == code {
                    return engine.keyed.testOTP(code, session)
                }
                let awaited = isOwn ? code : engine.codes.awaited(code, of: target, length: length)
                return engine.keyed.otp(awaited, session, target)
            }
            let test = change.session.currentTarget.flatMap { engine.testNumber($0, of: tenant, at: now) }
            if isTyped, !isOwn, change.session.awaitsTypedCode, let digits = code?.text.utf8.count,
                digits != length, digits != test?.code.text.utf8.count
            {
                throw .otpLength(length)
            }
            return .init(
                try change.verifyOTP(digest, isTestNumber: test != nil, from: source, at: now, rules: rules))
        }
        if engine.limits.overSessions != nil { operation.knownTarget = { $0.currentTarget } }
        return operation
    }

    /// The backend has made the code, and says that the person knows it.
    package func vouch() -> SessionOperation {
        let judged = { @Sendable (session: Session) -> JudgedNumber? in
            session.phase == .active(.otpFinish) ? session.currentNumber.map { .number($0) } : nil
        }
        let keys = limitKeys { session, _ in session.currentTarget.map { session.answerKeys(of: $0) } ?? [] }
        var operation = SessionOperation(limitKeys: keys, judged: judged) {
            (change, _, now, rules) throws(StepRefusal) in
            try change.session.vouch(at: now, rules: rules)
            return .done
        }
        if engine.limits.overSessions != nil { operation.knownTarget = { $0.currentTarget } }
        return operation
    }

    package func cancel() -> SessionOperation { cancel { _ in nil } }

    /// - Parameter refuse: why the session is not cancelled; asked in the same change.
    func cancel(unless refuse: @escaping @Sendable (Session) -> StepRefusal?) -> SessionOperation {
        SessionOperation { (change, _, now, _) throws(StepRefusal) in
            if let refusal = refuse(change.session) { return .refused(refusal) }
            change.session.cancel(at: now)
            return .done
        }
    }

    // MARK: Mobile Auth

    /// Opens a Mobile Auth attempt (client protocol 4.7).
    package func beginMobileAuth() throws(EngineFault) -> SessionOperation {
        guard let attempt = AttemptID(try random(16)) else { throw .failed("random generator") }
        let offer = MobileAuthOffer(attempt: attempt, ticket: engine.keyed.text(try random(16)))
        let ticket = engine.keyed.ticket(offer.ticket)
        var operation = SessionOperation { (change, _, now, rules) throws(StepRefusal) in
            try change.session.beginMobileAuth(attempt, ticket: ticket, at: now, rules: rules)
            return .done
        }
        operation.offer = offer
        return operation
    }

    /// Ends an attempt: by the fingerprint the chain gave, or, without one, because it gave none.
    /// - Parameters:
    ///   - named: `nil`: the session's own.
    ///   - address: of the client, where it is known. A proof counts for its network if the backend named no address.
    package func finishMobileAuth(
        _ named: AttemptID? = nil, fingerprint text: String?, from address: IPAddress?
    ) -> SessionOperation {
        let engine = engine
        let proven = { @Sendable (session: Session) -> PhoneNumber? in
            guard text != nil, let attempt = named ?? session.mobileAuth.attempt else { return nil }
            return session.answeredNumber(of: attempt)
        }
        let account = { @Sendable (session: Session) in
            engine.mobileAuthAccount(proven(session), in: session, from: address)
        }
        let keys = limitKeys { session, _ in account(session)?.proofKeys ?? [] }
        var operation = SessionOperation(limitKeys: keys, judged: { proven($0).map { .number($0) } }) {
            (change, _, now, rules) throws(StepRefusal) in
            guard let attempt = named ?? change.session.mobileAuth.attempt else { throw .invalidState }
            guard let text else {
                try change.session.giveUpMobileAuth(attempt, at: now)
                return .done
            }
            let fingerprint = engine.mobileAuthTokens.fingerprint(in: text)
            change.mobileAuthAccount = account(change.session)
            return .init(
                try change.session.finishMobileAuth(attempt, fingerprint: fingerprint, at: now, rules: rules))
        }
        if keys != nil { operation.knownTarget = { account($0)?.target } }
        return operation
    }

    /// Ends an attempt that is over, so that it stays so (DUR-13). One that has gone on since stays as it is.
    /// - Parameter seen: as it stood when that was found (`Session.endOfMobileAuth`).
    package func endMobileAuth(thatIsOver seen: MobileAuthCheck) -> SessionOperation {
        SessionOperation { (change, _, now, _) throws(StepRefusal) in
            change.session.endMobileAuth(thatIsOver: seen, at: now)
            return .done
        }
    }

    /// Ends an attempt by a token of the phone's operator.
    /// - Parameters:
    ///   - carrier: takes tokens of the phone's network.
    ///   - address: as in `finishMobileAuth`.
    package func handInOperatorToken(
        _ token: OperatorToken, of attempt: AttemptID, to carrier: any MobileOperator, from address: IPAddress?
    ) -> SessionOperation {
        SessionOperation { (change, _, now, _) throws(StepRefusal) in
            switch try change.session.handInOperatorToken(attempt, to: carrier.name, at: now) {
            case .taken:
                .ask(
                    MobileAuthService.TokenQuestion(
                        attempt: attempt, carrier: carrier, token: token, address: address))
            case .refused(let refusal): .refused(refusal)
            }
        }
    }

    // MARK: what operations share

    /// `nil` where no limits hold over sessions: nothing is read then.
    func limitKeys(_ keys: @escaping SessionOperation.LimitKeys) -> SessionOperation.LimitKeys? {
        let limits = engine.limits
        guard limits.overSessions != nil else { return nil }
        return { session, key in
            let over = limits.overSessions(of: session.clientID)
            return keys(session, key).filter { over?.reads($0.counter) ?? false }
        }
    }

    func random(_ count: Int) throws(EngineFault) -> [UInt8] {
        do { return try engine.randomBytes(count) } catch { throw EngineFault(error) }
    }
}
