internal import Text

/// How a command is carried out: the only way for every call of a client or a backend.
extension SessionChange {
    /// - Parameter caller: has been admitted.
    /// - Throws: the refusal of a rule that has changed nothing.
    package mutating func apply(
        _ command: SessionCommand, by caller: Session.Binding, in context: RuleContext, at now: Timestamp
    ) throws(StepRefusal) -> SessionCommand.Outcome {
        if let outcome = try outcome(unless: command.condition, at: now) { return outcome }
        names += command.names
        if let redemption = command.redemption {
            try session.redeem(
                redemption.declaration, by: caller, challenge: redemption.challenge, languages: redemption.languages,
                at: now, rules: context.rules)
        }
        if !command.charges.isEmpty {
            do throws(LimitHit) { try tallies.check(command.charges, at: now) } catch {
                tallies.note(error.limit, session.currentNumber)
                return .refused(.rateLimited(error))
            }
        }
        let outcome = try act(command, by: caller, in: context, at: now)
        if case .refused = outcome { return outcome }
        if !command.charges.isEmpty { tallies.count(command.charges, at: now) }
        if let device = command.device { activate(device, at: now) }
        return outcome
    }

    /// - Returns: `nil`: the condition holds.
    private func outcome(
        unless condition: SessionCommand.Condition, at now: Timestamp
    ) throws(StepRefusal) -> SessionCommand.Outcome? {
        switch condition {
        case .always: return nil
        case .created:
            guard session.phase == .created else { throw session.isDone ? .sessionDone : .invalidState }
            return nil
        case .codeIsOld(let seconds, let isRefused):
            guard let end = session.codeSentAt?.adding(.seconds(seconds)), now < end, !session.isDone else {
                return nil
            }
            return isRefused ? .refused(.rateLimited(LimitHit(.sendsPerNumber, until: end, at: now))) : .done
        case .codeHasExpired(let target):
            let isSame = session.request.subject.target == target
            return isSame && session.otp.expiresAt.map { $0 <= now } ?? true ? nil : .done
        }
    }

    private mutating func act(
        _ command: SessionCommand, by caller: Session.Binding, in context: RuleContext, at now: Timestamp
    ) throws(StepRefusal) -> SessionCommand.Outcome {
        switch command.action {
        case .read, .nothing: return .done
        case .sendCode(let request, let code, let channel):
            let issue = context.issuer(code, for: session.clientID, at: now)
            return try send(.code, request, of: command, in: context, at: now) {
                (session, order) throws(StepRefusal) in
                let message = try session.sendCode(order, issue: issue, by: channel, at: now, rules: context.rules)
                if let link = context.carriedLink(of: session) {
                    session.carryLink(context.server.keyed.link(link), at: now)
                }
                session.note(request.languages)
                return message
            }
        case .relayCode(let request, let code, _):
            if let target = session.currentTarget,
                session.otp.awaits(context.server.keyed.otp(code, session.authID, target), at: now)
            {
                return .done
            }
            let issue = context.issuer(relaying: code, in: session, at: now)
            return try send(.code, request, of: command, in: context, at: now) {
                (session, order) throws(StepRefusal) in
                try session.sendCode(order, issue: issue, at: now, rules: context.rules)
            }
        case .sendLink(let request, let drawn, let browser):
            let link = Session.IssuedLink(
                token: drawn.token, digest: drawn.digest,
                matchCode: session.request.options.linkMatchCode ? drawn.matchCode : nil)
            return try send(.link, request, of: command, in: context, at: now) {
                (session, order) throws(StepRefusal) in
                let message = try session.sendLink(order, link: link, browser: browser, at: now, rules: context.rules)
                session.note(request.languages)
                return message
            }
        case .checkCode(let code, let address, let payment, let isTyped):
            return try check(code, from: address, paying: payment, isTyped: isTyped, in: context, at: now)
        case .redeemExchange(let digest, let challenge, let isNamed):
            guard isNamed || !session.request.policy.isAskedByAnyone else { throw .invalidState }
            try session.redeemExchange(digest, verifiedBy: challenge, at: now, rules: context.rules)
            return .done
        case .proveDevice(let proof, let challenge):
            let device = DeviceContext(rules: context.rules, nextChallenge: challenge)
            return .init(try provedDevice(proof, by: caller, context: device, at: now))
        case .beginMobileAuth(let attempt, let ticket):
            try session.beginMobileAuth(attempt, ticket: ticket, at: now, rules: context.rules)
            return .done
        case .finishMobileAuth(let named, let fingerprint, _):
            guard let attempt = named ?? session.mobileAuth.attempt else { throw .invalidState }
            guard let fingerprint else {
                try session.giveUpMobileAuth(attempt, at: now)
                return .done
            }
            mobileAuthAccount = command.mobileAuthAccount(of: session, in: context, at: now)
            return .init(
                try session.finishMobileAuth(
                    attempt, fingerprint: context.server.silentCodes.fingerprint(fingerprint), at: now,
                    rules: context.rules))
        case .endMobileAuth(let seen):
            session.endMobileAuth(thatIsOver: seen, at: now)
            return .done
        case .handInOperatorToken(_, let attempt, let carrier, _):
            switch try session.handInOperatorToken(attempt, to: carrier, at: now) {
            case .taken: return .askOperator
            case .refused(let refusal): return .refused(refusal)
            }
        case .vouch:
            try session.vouch(at: now, rules: context.rules)
            return .done
        case .cancel(let refusesOver):
            if refusesOver, session.isDone { return .refused(.sessionDone) }
            session.cancel(at: now)
            return .done
        }
    }

    private mutating func check(
        _ code: OTP?, from address: IPAddress?, paying payment: PaymentDigest?, isTyped: Bool, in context: RuleContext,
        at now: Timestamp
    ) throws(StepRefusal) -> SessionCommand.Outcome {
        try session.checkPayment(payment)
        let length = session.otp.codeLength
        let (tenant, isOwn) = (session.clientID, session.hasOwnCode)
        let awaited = session.awaitedSilentCode(by: context.server.silentCodes)
        if awaited != nil { mobileAuthAccount = context.silentAccount(in: session, from: address, at: now) }
        let digest = { (session: AuthID, target: Target) -> OTPDigest in
            guard let code else { return .ofNone }
            if let awaited {
                let isRight = context.server.keyed.otp(code, session, target)
                    .matches(context.server.keyed.otp(awaited.code, session, target))
                return isRight ? OTPDigest(awaited.result) : .ofNone
            }
            if let test = context.server.testNumber(target, of: tenant, at: now), test.code == code {
                return context.server.keyed.testOTP(code, session)
            }
            let awaited = isOwn ? code : context.server.codes.awaited(code, of: target, length: length)
            return context.server.keyed.otp(awaited, session, target)
        }
        let test = session.currentTarget.flatMap { context.server.testNumber($0, of: tenant, at: now) }
        if isTyped, !isOwn, session.awaitsTypedCode, let digits = code?.text.utf8.count,
            digits != length, digits != test?.code.text.utf8.count
        {
            throw .otpLength(length)
        }
        let source = address.map { MessageSource($0) }
        return .init(try verifyOTP(digest, isTestNumber: test != nil, from: source, at: now, rules: context.rules))
    }

    private mutating func send(
        _ kind: Session.MessageKind, _ request: MessageRequest, of command: SessionCommand, in context: RuleContext,
        at now: Timestamp,
        _ rule: (inout Session, Session.SendOrder) throws(StepRefusal) -> Session.PendingMessage
    ) throws(StepRefusal) -> SessionCommand.Outcome {
        let result = try send(
            at: now, rules: context.rules, { context.subject(of: command, request, in: $0, to: $1, at: now) },
            parts: { context.parts(of: $0, in: $1, $2) }
        ) { (session) throws(StepRefusal) in
            switch request.order {
            case .first(let named): return try rule(&session, .first(try named?.result.get()))
            case .again: return try rule(&session, .again)
            case .next: return try rule(&session, try session.nextOrder(kind, at: now, rules: context.rules))
            case .toNumber(let named):
                // The step comes first: a change that is not allowed says so whatever the number is.
                if let refusal = session.refusalOfNumberChange(kind) { throw refusal }
                return try rule(&session, .toNumber(try named.result.get()))
            }
        }
        switch result {
        case .success(nil): return .done
        case .success(let pending?):
            let message = OutboundMessage(id: request.id, correlationID: session.correlationID, pending: pending)
            self.message = message
            return .send(message)
        case .failure(let refusal): return .refused(refusal)
        }
    }

    /// The standing of the number may have made the success a failure: then there is no activation.
    private mutating func activate(_ device: SessionCommand.NewDevice, at now: Timestamp) {
        guard case .succeeded = session.outcome, let proof = session.proof else { return }
        activation = DeviceActivation(
            id: device.id, clientID: session.clientID, applicationKey: device.applicationKey, target: proof.target,
            sessionID: session.correlationID, details: device.details, secrets: device.secrets, at: now)
    }
}

extension Session {
    /// When the newest code left, as far as it is awaited, or was until it was late.
    fileprivate var codeSentAt: Timestamp? {
        otp.expiresAt?.adding(.seconds(-request.policy.code.lifetimeSeconds))
    }

    /// Which message comes next in a session that its backend drives: the first, after it has redeemed the session, or
    /// another one.
    fileprivate mutating func nextOrder(
        _ kind: MessageKind, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> SendOrder {
        if phase == .created {
            let fallback: Declaration.Fallback =
                switch kind {
                case .code: .otp
                case .link: .link
                }
            // No client of ours takes part: neither a key nor a page to come back to.
            let declaration = Declaration(platform: .web, fallback: fallback, deviceKey: false, cellular: .no)
            try redeem(declaration, by: .backend, challenge: [], at: now, rules: rules)
        }
        return phase == .active(kind.waitStep) ? .again : .first(nil)
    }
}
