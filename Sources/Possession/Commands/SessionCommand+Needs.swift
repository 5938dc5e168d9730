internal import Text

/// The data that the rule of a command needs beside the session.
extension SessionCommand {
    /// The message that it asks for.
    var request: MessageRequest? {
        switch action {
        case .sendCode(let request, _, _), .relayCode(let request, _, _), .sendLink(let request, _, _): request
        case .read, .nothing, .checkCode, .redeemExchange, .proveDevice, .beginMobileAuth, .finishMobileAuth,
            .endMobileAuth, .handInOperatorToken, .vouch, .cancel:
            nil
        }
    }

    /// The data that its change reads.
    package func inputs(in context: RuleContext, at now: Timestamp) -> ChangeInputs {
        var inputs = ChangeInputs()
        if case .proveDevice(let proof, _) = action { inputs.thumbprint = proof?.thumbprint }
        if case .read = action { inputs.isRead = true }
        let over = context.rules.limits.overSessions
        if over != nil && countsUnderLimits || !charges.isEmpty {
            inputs.limitKeys = { session, _ in limitKeys(of: session, in: context, at: now) }
        }
        if request != nil {
            inputs.wantsTenantRules = context.rules.limits.budgetsCountParts
            inputs.wantsTenantCount = over?.spend.isShared ?? false
        }
        if over != nil && knowsTarget {
            inputs.knownTarget = { session in knownTarget(of: session, in: context, at: now) }
        }
        return inputs
    }

    private var countsUnderLimits: Bool {
        switch action {
        case .sendCode, .relayCode, .sendLink, .checkCode, .redeemExchange, .proveDevice, .finishMobileAuth, .vouch:
            true
        case .read, .nothing, .beginMobileAuth, .endMobileAuth, .handInOperatorToken, .cancel: false
        }
    }

    private var knowsTarget: Bool {
        switch action {
        case .sendCode, .relayCode, .sendLink, .checkCode, .redeemExchange, .finishMobileAuth, .vouch: true
        case .read, .nothing, .proveDevice, .beginMobileAuth, .endMobileAuth, .handInOperatorToken, .cancel: false
        }
    }

    /// Limits that the rule asks.
    func limitKeys(of session: Session, in context: RuleContext, at now: Timestamp) -> [LimitKey] {
        let own = charges.map(\.key)
        guard countsUnderLimits, let over = context.rules.limits.overSessions(of: session.clientID) else { return own }
        return own + countedKeys(of: session, by: over, in: context, at: now).filter { over.reads($0.counter) }
    }

    private func countedKeys(
        of session: Session, by over: Limits.OverSessions, in context: RuleContext, at now: Timestamp
    ) -> [LimitKey] {
        switch action {
        case .sendCode(let request, _, _), .relayCode(let request, _, _), .sendLink(let request, _, _):
            return (request.named.map(Target.number) ?? session.currentTarget)
                .map { context.subject(of: self, request, in: session, to: $0, at: now).keys(by: over) } ?? []
        case .checkCode(_, let address, _, _):
            guard let target = session.currentTarget else { return [] }
            return session.guessKeys(of: target, from: address.map { MessageSource($0) })
                + session.answerKeys(of: target)
                + (context.silentAccount(in: session, from: address, at: now)?.proofKeys ?? [])
        case .redeemExchange, .vouch: return session.currentTarget.map { session.answerKeys(of: $0) } ?? []
        case .proveDevice:
            return session.currentNumber.map { [LimitKey(.failedDeviceProofs, $0, of: session.clientID)] } ?? []
        case .finishMobileAuth: return mobileAuthAccount(of: session, in: context, at: now)?.proofKeys ?? []
        case .read, .nothing, .beginMobileAuth, .endMobileAuth, .handInOperatorToken, .cancel: return []
        }
    }

    /// The target of which the rule asks whether the tenant knows it.
    private func knownTarget(of session: Session, in context: RuleContext, at now: Timestamp) -> Target? {
        if case .finishMobileAuth = action { return mobileAuthAccount(of: session, in: context, at: now)?.target }
        return request?.named.map(Target.number) ?? session.currentTarget
    }

    /// Whether the rule may ask for the standing of a number.
    package func judges(by rules: Rules) -> Bool {
        switch action {
        case .sendCode, .relayCode, .sendLink: rules.standingStopsSends
        case .checkCode, .redeemExchange, .proveDevice, .finishMobileAuth, .vouch: true
        case .read, .nothing, .beginMobileAuth, .endMobileAuth, .handInOperatorToken, .cancel: false
        }
    }

    /// The number whose standing the rule asks for, as far as the session tells; `nil`: it asks for none.
    package func judged(in session: Session) -> JudgedNumber? {
        switch action {
        case .sendCode(let request, _, _), .relayCode(let request, _, _), .sendLink(let request, _, _):
            (request.named ?? session.currentNumber).map { .number($0) }
        case .checkCode: session.awaitsTypedCode ? session.currentNumber.map { .number($0) } : nil
        case .redeemExchange: session.exchange == nil ? nil : session.currentNumber.map { .number($0) }
        case .vouch: session.phase == .active(.otpFinish) ? session.currentNumber.map { .number($0) } : nil
        case .proveDevice(let proof, _):
            session.phase == .active(.device) && !session.request.options.rebind
                ? proof.map { .ofKey($0.thumbprint) } : nil
        case .finishMobileAuth: mobileAuthNumber(in: session).map { .number($0) }
        case .read, .nothing, .beginMobileAuth, .endMobileAuth, .handInOperatorToken, .cancel: nil
        }
    }

    /// The number that a finished Mobile Auth attempt proves.
    private func mobileAuthNumber(in session: Session) -> PhoneNumber? {
        guard case .finishMobileAuth(let named, _?, _) = action, let attempt = named ?? session.mobileAuth.attempt
        else {
            return nil
        }
        return session.answeredNumber(of: attempt)
    }

    /// Under what that proof counts.
    func mobileAuthAccount(of session: Session, in context: RuleContext, at now: Timestamp) -> MessageAccount? {
        guard case .finishMobileAuth(_, _, let address) = action else { return nil }
        return context.mobileAuthAccount(mobileAuthNumber(in: session), in: session, from: address, at: now)
    }
}
