/// The plan of a session: which checks it has, in which order, and what the client may do next.
///
/// `mobile`: device key, then Mobile Auth, then the declared fallback. `desktop`: instant link only. `none`: device
/// key, and Mobile Auth if it can find the number or was requested by name. A later step may be called directly and
/// closes the earlier ones (client protocol 4.6).
extension Session {
    /// The calls of the client surface that `allowed` may name (contract section 8).
    package enum Action: String, Sendable, CaseIterable {
        case device
        case mobileAuth
        case mobileAuthFinish = "mobileAuth.finish"
        case otpStart = "otp.start"
        case otpVerify = "otp.verify"
        case otpResend = "otp.resend"
        case otpPhone = "otp.phone"
        case linkStart = "link.start"
        case linkResend = "link.resend"
        case linkPhone = "link.phone"
        case cancel
    }

    /// Checks that this server can run. A plan leaves out the others.
    package struct Capabilities: Sendable, Equatable {
        package var mobileAuth: Bool
        /// Whether a client may request test mode (client protocol 4.7).
        package var testMode: Bool

        package init(mobileAuth: Bool = false, testMode: Bool = false) {
            self.mobileAuth = mobileAuth
            self.testMode = testMode
        }
    }

    /// The step of the fallback that the client declared; `nil` if it declared none, or if none fits the flow.
    var fallbackStep: Step? {
        switch request.flow {
        case .none: nil
        case .desktop: .linkStart
        case .mobile:
            switch declaration?.fallback {
            case .otp: .otpStart
            case .link: .linkStart
            case nil: nil
            }
        }
    }

    /// The steps of this session, in order. They are decided when the token is redeemed.
    var plannedSteps: [Step] {
        guard let declaration else { return [] }
        var steps: [Step] = []
        if request.flow != .desktop, declaration.deviceKey { steps.append(.device) }
        if mobileAuth.isPlanned { steps.append(.mobileAuth) }
        if let fallbackStep { steps.append(fallbackStep) }
        return steps
    }

    /// Whether Mobile Auth is part of the plan. In a `none` flow it runs only if no number was given, or if the call
    /// requested it by name. A web page must have named a return page.
    func plansMobileAuth(_ declaration: Declaration, _ capabilities: Capabilities) -> Bool {
        let fitsFlow =
            switch request.flow {
            case .mobile: true
            case .desktop: false
            case .none: currentNumber == nil || request.policy.asksOperatorOfKnownNumber
            }
        // An operator knows only numbers.
        return !request.subject.hasOtherTarget && request.policy.checks.contains(.mobileAuth) && capabilities.mobileAuth
            && fitsFlow
            && (declaration.cellular != .no || declaration.testMode)
            && (declaration.platform != .web || declaration.mobileAuthReturnURL != nil)
    }

    /// The session's current target: the number entered last, else the target that the backend named.
    package var currentTarget: Target? { enteredNumber.map(Target.number) ?? request.subject.target }

    /// The session's current number; `nil`: there is none yet, or the target is an address.
    package var currentNumber: PhoneNumber? { currentTarget?.number }

    /// Whether the client must name the number.
    package var needsNumber: Bool { currentTarget == nil }

    /// Actions that the client may call now. A used-up send or entry is left out (contract section 8).
    package var allowed: [Action] {
        guard case .active(let step) = phase else { return [] }
        var actions: [Action] = []
        switch step {
        case .device:
            if case .challenged = device.state { actions.append(.device) }
            if mobileAuth.isPlanned { actions.append(.mobileAuth) }
            actions += fallbackStart
        case .mobileAuth:
            if mobileAuth.attemptsLeft > 0 { actions.append(.mobileAuth) }
            if mobileAuth.hasOpenAttempt { actions.append(.mobileAuthFinish) }
            actions += fallbackStart
        case .otpStart, .linkStart:
            actions += fallbackStart
        case .otpFinish:
            actions.append(.otpVerify)
            actions += sendAgain(.code, .otpResend, .otpPhone)
        case .linkWait:
            actions += sendAgain(.link, .linkResend, .linkPhone)
        }
        return actions + [.cancel]
    }

    private var fallbackStart: [Action] {
        guard sends.sendsLeft > 0 else { return [] }
        return switch fallbackStep {
        case .otpStart: [.otpStart]
        case .linkStart: [.linkStart]
        default: []
        }
    }

    private func sendAgain(_ kind: MessageKind, _ toSame: Action, _ toOther: Action) -> [Action] {
        guard sends.sendsLeft > 0 else { return [] }
        return request.policy.mayChangeNumber(kind) && sends.entriesLeft > 0 ? [toSame, toOther] : [toSame]
    }

    package var isDone: Bool {
        if case .done = phase { true } else { false }
    }

    package var outcome: Outcome? {
        if case .done(let outcome, _) = phase { outcome } else { nil }
    }

    /// When the session ended; `nil`: it is open.
    package var endedAt: Timestamp? {
        if case .done(_, let at) = phase { at } else { nil }
    }
}
