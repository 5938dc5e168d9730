/// Codes and links that are sent to a phone: first, again, to another number (client protocol 4.8, 4.9).
extension Session {
    /// Content of a message: a code or a link.
    package enum MessageKind: String, Sendable, CaseIterable {
        case code, link

        var startStep: Step {
            switch self {
            case .code: .otpStart
            case .link: .linkStart
            }
        }

        var waitStep: Step {
            switch self {
            case .code: .otpFinish
            case .link: .linkWait
            }
        }
    }

    /// Which message of the session is requested.
    package enum SendOrder: Sendable {
        /// To the number that the client named, only if the backend gave none.
        case first(PhoneNumber?)
        /// To the same number. It voids the older message.
        case again
        case toNumber(PhoneNumber)
    }

    /// A code made for one number or address: the code that the message shows, and the digest to compare. They differ
    /// only if codes never pass (`CodeRules`).
    package struct IssuedCode: Sendable {
        package let shown: OTP
        package let expected: OTPDigest
        /// The backend made the code.
        package let isOwn: Bool

        package init(shown: OTP, expected: OTPDigest, isOwn: Bool = false) {
            self.shown = shown
            self.expected = expected
            self.isOwn = isOwn
        }
    }

    /// A link made for one message. Its token is put into the message and not stored.
    package struct IssuedLink: Sendable {
        package let token: String
        package let digest: LinkDigest
        package let matchCode: String?

        package init(token: String, digest: LinkDigest, matchCode: String?) {
            self.token = token
            self.digest = digest
            self.matchCode = matchCode
        }
    }

    /// Makes the code for a target. Random values were drawn before, so that a rule stays a plain function.
    package typealias CodeIssuer = @Sendable (AuthID, Target, _ length: Int) -> IssuedCode

    /// Sends a code.
    /// - Parameter channel: the only channel that the message may take; `nil`: the channels of the session's policy.
    package mutating func sendCode(
        _ order: SendOrder, issue: CodeIssuer, by channel: OutgoingMessage.Channel? = nil, at now: Timestamp,
        rules: Rules
    ) throws(StepRefusal) -> PendingMessage {
        let target = try recipient(order, of: .code, at: now)
        return send(.code, order, to: target, at: now) { session in
            let code = issue(session.authID, target, session.otp.codeLength)
            let earlier = session.otp.state
            session.otp.sent(code.expected, at: now, by: session.request.policy.code)
            if code.isOwn { session.hasOwnCode = true }
            session.record(.otpSent, at: now, detail: order.detail + (channel.map { " \($0.rawValue)" } ?? ""))
            return .code(code.shown, digest: code.expected, after: earlier)
        }.by(channel)
    }

    /// Sends a link; `browser` describes the waiting browser.
    package mutating func sendLink(
        _ order: SendOrder, link: IssuedLink, browser: String?, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> PendingMessage {
        let target = try recipient(order, of: .link, at: now)
        return send(.link, order, to: target, at: now) { session in
            let earlier = session.link
            session.link.sent(
                link, browser: browser, at: now, policy: session.request.policy.link, until: session.expiresAt)
            session.record(.linkSent, at: now, detail: order.detail)
            return .link(token: link.token, digest: link.digest, after: earlier)
        }
    }

    /// The recipient, if this message may be sent now.
    private func recipient(
        _ order: SendOrder, of kind: MessageKind, at now: Timestamp
    ) throws(StepRefusal) -> Target {
        // After its end the session stays open only for the code of a link.
        guard now < expiresAt else { throw .sessionDone }
        switch order {
        case .first(let entered):
            try requireStep(before: kind.startStep)
            if request.subject.target != nil, entered != nil { throw .phoneNumberNotAccepted }
            guard let target = entered.map(Target.number) ?? currentTarget else { throw .phoneNumberRequired }
            guard sends.sendsLeft > 0 else { throw .sendsExhausted }
            return target
        case .again:
            try require(kind.waitStep)
            guard sends.sendsLeft > 0 else { throw .sendsExhausted }
            guard let target = currentTarget else { throw .invalidState }
            return target
        case .toNumber(let number):
            if let refusal = refusalOfNumberChange(kind) { throw refusal }
            return .number(number)
        }
    }

    /// Why the number cannot be changed now, in the order of the error table (client protocol 4.11).
    package func refusalOfNumberChange(_ kind: MessageKind) -> StepRefusal? {
        do throws(StepRefusal) { try require(kind.waitStep) } catch { return error }
        guard request.policy.mayChangeNumber(kind), !request.subject.hasOtherTarget else {
            return .phoneChangeNotAllowed
        }
        guard sends.entriesLeft > 0 else { return .phoneEntriesExhausted }
        guard sends.sendsLeft > 0 else { return .sendsExhausted }
        return nil
    }

    private mutating func send(
        _ kind: MessageKind, _ order: SendOrder, to target: Target, at now: Timestamp,
        _ issue: (inout Session) -> PendingMessage.Content
    ) -> PendingMessage {
        let place: PendingMessage.Place =
            switch order {
            case .first: .first(from: activeStep ?? kind.startStep)
            case .again: .again
            case .toNumber: .toNumber(from: enteredNumber)
            }
        // A Mobile Auth attempt stays as it is: no call can use it while the session is at another step.
        device.skip()
        // The holder of the previous number has the code.
        if case .toNumber = order { exchange = nil }
        sends.spend(newNumber: place.namesNumber)
        enteredNumber = target != request.subject.target ? target.number : nil
        phase = .active(kind.waitStep)
        let triesBefore = otp.attemptsLeft
        let content = issue(&self)
        return PendingMessage(
            to: target, content: content, place: place, usefulUntil: otp.expiresAt ?? link.expiresAt ?? expiresAt,
            sendsLeft: sends.sendsLeft, triesLeft: otp.attemptsLeft, triesBefore: triesBefore)
    }

    private var activeStep: Step? {
        if case .active(let step) = phase { step } else { nil }
    }

    /// Requires that the step is not behind the current one and is this session's fallback.
    private func requireStep(before start: Step) throws(StepRefusal) {
        switch phase {
        case .created: throw .invalidState
        case .done: throw .sessionDone
        case .active(let step):
            guard fallbackStep == start, step == .device || step == .mobileAuth || step == start else {
                throw .invalidState
            }
        }
    }

    func require(_ step: Step) throws(StepRefusal) {
        switch phase {
        case .active(step): return
        case .done: throw .sessionDone
        default: throw .invalidState
        }
    }
}

extension Session.SendOrder {
    fileprivate var detail: String {
        switch self {
        case .first: "first"
        case .again: "resend"
        case .toNumber: "number_changed"
        }
    }
}
