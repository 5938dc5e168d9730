/// The transitions of all checks: redeem, move on, succeed, fail, cancel, expire (client protocol 4.6).
extension Session {
    /// The client shows its token, for the first time or again.
    ///
    /// The first credential binds the session. Another credential gets `tokenAlreadyUsed`, and the timeline records
    /// that. A repeat by the same one changes nothing.
    /// - Parameter challenge: 32 random bytes for a device challenge.
    package mutating func redeem(
        _ wished: Declaration, by credential: Binding, challenge: [UInt8], languages: Languages? = nil,
        at now: Timestamp, rules: Rules
    ) throws(StepRefusal) {
        guard binding == .unbound else { return }
        guard case .created = phase else { throw .sessionDone }
        let capable = rules.capabilities.testMode ? wished : wished.withoutTestMode
        let declaration = request.policy.limiting(capable)
        binding = credential
        self.declaration = declaration
        self.languages = languages ?? self.languages
        record(.redeemed, at: now, detail: declaration.platform.rawValue)
        if plansMobileAuth(declaration, rules.capabilities) { mobileAuth.state = .ready }
        if plannedSteps.first == .device {
            _ = device.challenge(challenge, at: now, lifetime: rules.limits.deviceChallengeLifetime)
            record(.deviceChallenged, at: now)
        }
        enter(plannedSteps.first, at: now)
    }

    /// Records the person's languages from a call that sends a message, so that the message is written in them.
    mutating func note(_ languages: Languages?) {
        guard let languages else { return }
        self.languages = self.languages?.followed(by: languages) ?? languages
    }

    /// Admits only the credential that the session is bound to.
    /// - Returns: the refusal, which the timeline records; `nil`: admitted.
    package mutating func admit(_ credential: Binding, at now: Timestamp) throws(StepRefusal) -> AdmissionRefusal? {
        guard binding != .unbound else { throw isDone ? .sessionDone : .invalidState }
        guard binding == credential else {
            record(.secondKeyRefused, at: now)
            return .tokenAlreadyUsed
        }
        return nil
    }

    /// Whether this key may be the session's client: the session is bound to it, or not yet bound.
    package func mayAdmit(_ key: Thumbprint) -> Bool {
        binding == .unbound || binding == .key(key)
    }

    /// Expires what is due, as of the moment it was due: the session itself, or a check that can only fail. The expiry
    /// has its own revision, separate from the call's change, because a waiting client may already have seen it.
    package mutating func expire(at now: Timestamp) {
        let before = self
        endWhatTimeHasEnded(at: now)
        countRevision(since: before)
    }

    private mutating func endWhatTimeHasEnded(at now: Timestamp) {
        guard !isDone, !awaitsExchange(at: now) else { return }
        expireLink(at: now)
        guard !isDone else { return }
        if sends.sendsLeft == 0, let lateAt = otp.expiresAt, now >= lateAt, lateAt < expiresAt {
            fail(at: lateAt, detail: "otp_expired")
        } else if now >= expiresAt {
            finish(.expired, event: .expired, at: exchange.map { max(expiresAt, $0.expiresAt) } ?? expiresAt)
        }
    }

    /// When time changes the session next, as far as is known now; `nil` once the session has ended.
    package var nextExpiry: Timestamp? {
        guard !isDone else { return nil }
        var next = expiresAt
        if let late = link.expiresAt { next = min(next, late) }
        if sends.sendsLeft == 0, let late = otp.expiresAt { next = min(next, late) }
        return exchange.map { max(next, $0.expiresAt) } ?? next
    }

    private mutating func expireLink(at now: Timestamp) {
        guard let lateAt = link.lateSince(now), lateAt < expiresAt else { return }
        link.expire()
        record(.linkExpired, at: lateAt)
        if sends.sendsLeft == 0 { fail(at: lateAt, detail: "link_expired") }
    }

    /// Leaves a step for the next one.
    mutating func moveOn(past step: Step, at now: Timestamp) {
        let steps = plannedSteps
        guard let index = steps.firstIndex(of: step) else { return enter(steps.first, at: now) }
        enter(index + 1 < steps.count ? steps[index + 1] : nil, at: now)
    }

    /// Enters a step. Without one, no check is left that could prove the number.
    private mutating func enter(_ step: Step?, at now: Timestamp) {
        if let step {
            phase = .active(step)
        } else if request.flow == .none {
            finish(.possessionRequired, event: .possessionRequired, at: now)
        } else {
            fail(at: now, detail: "no_check_left")
        }
    }

    /// A check has passed. If the backend requested the number's standing and it is bad, the result is a failure
    /// (contract section 8), and nothing is proven. Addresses have no standing.
    mutating func succeed(by method: Proof.Method, _ target: Target, at now: Timestamp, rules: Rules) {
        if request.options.checkReputation, method != .assumed, let number = target.number,
            let reputation = rules.reputation
        {
            let standing = reputation(number)
            guard standing.passes else { return fail(by: standing, at: now) }
            riskReasons = standing.doubts
            if !standing.doubts.isEmpty { record(.reputationUnknown, at: now, detail: standing.detail) }
        }
        proof = Proof(method: method, target: target, at: now)
        finish(.succeeded, event: .succeeded, at: now, detail: method.rawValue)
    }

    private mutating func fail(by standing: Reputation, at now: Timestamp) {
        riskReasons = standing.failureReasons
        record(.reputationFailed, at: now, detail: standing.detail)
        fail(at: now, detail: "reputation")
    }

    /// Ends the session before a message to a number with a bad standing: the message is not sent (OTP-16).
    /// - Returns: whether the session has ended.
    mutating func isStopped(sendingTo target: Target, at now: Timestamp, rules: Rules) -> Bool {
        guard rules.standingStopsSends, request.options.checkReputation, let number = target.number,
            let standing = rules.reputation?(number), !standing.passes
        else { return false }
        enteredNumber = number != request.subject.number?.number ? number : nil
        // By sending a message the client has left the attempt.
        if mobileAuth.hasOpenAttempt { mobileAuth.state = .ended(.unavailable) }
        fail(by: standing, at: now)
        return true
    }

    /// Whether a check had passed when the number's standing was learned. `false`: it was learned before a message,
    /// which was then not sent.
    package var hadPassedBeforeStanding: Bool {
        if proof != nil || request.flow == .none || otp.state == .passed || link.state == .passed { return true }
        if case .recognized = device.state { return true }
        return mobileAuth.attempt != nil && mobileAuth.state == .ended(nil)
    }

    package mutating func fail(at now: Timestamp, detail: String) {
        finish(.failed, event: .failed, at: now, detail: detail)
    }

    private mutating func finish(
        _ outcome: Outcome, event: SessionEvent.Kind, at now: Timestamp, detail: String? = nil
    ) {
        otp.close()
        link.close()
        mobileAuth.close()
        exchange = nil
        phase = .done(outcome, at: now)
        record(event, at: now, detail: detail)
    }

    /// The client cancels. An ended session stays as it is.
    package mutating func cancel(at now: Timestamp) {
        guard !isDone else { return }
        finish(.cancelled, event: .cancelled, at: now)
    }

    /// Ends the session without a check: its number needs no client, or a sandbox call simulates one (contract section
    /// 4).
    /// - Parameter numberIfUnknown: the number that is proven if the session has none.
    package mutating func complete(
        success: Bool, numberIfUnknown: PhoneNumber?, at now: Timestamp, rules: Rules
    ) {
        guard !isDone else { return }
        if success, let target = currentTarget ?? numberIfUnknown.map(Target.number) {
            succeed(by: .assumed, target, at: now, rules: rules)
        } else {
            fail(at: now, detail: "assumed")
        }
    }

    /// The tenant ran its own possession check.
    /// - Parameter number: `nil` for a text that is not a valid number.
    /// - Returns: whether the session has succeeded; a wrong number costs a try, and the last try fails the session.
    package mutating func bind(
        _ number: PhoneNumber?, at now: Timestamp, rules: Rules
    ) throws(PlatformRefusal) -> Bool {
        guard outcome == .possessionRequired else { throw .stepNotAllowed }
        let claimed = request.subject.number?.number
        guard let number, claimed == nil || claimed == number else {
            precondition(bindTriesLeft > 0, "a number past its last try")
            bindTriesLeft -= 1
            record(.bindRefused, at: now)
            if bindTriesLeft <= 0 { fail(at: now, detail: "bind_tries") }
            return false
        }
        succeed(by: .customer, .number(number), at: now, rules: rules)
        return proof != nil
    }

    /// Whether the result can still be read: for the policy's time after the session's end (contract section 8).
    package func isReadable(at now: Timestamp) -> Bool {
        guard let endedAt else { return true }
        return now < endedAt.adding(.seconds(request.policy.resultLifetimeSeconds))
    }

    /// Until when the result can be read. Before the session ends, computed from its expiry.
    package var readableUntil: Timestamp {
        (endedAt ?? expiresAt).adding(.seconds(request.policy.resultLifetimeSeconds))
    }

    /// Counts one revision for one change. Called once at the end of a rule.
    mutating func countRevision(since before: Session) {
        // An event that clients do not see is recorded, but does not wake a waiting client.
        guard self != before, newEvents.last?.kind.isSeenByClients != false else { return }
        revision += 1
    }
}

extension Reputation {
    /// The codes of its reasons and doubts, and why there is no better answer.
    fileprivate var detail: String {
        ((failureReasons + doubts).map(\.code) + (gap.map { [$0] } ?? [])).joined(separator: " ")
    }
}

extension Session.Declaration {
    fileprivate var withoutTestMode: Session.Declaration {
        Session.Declaration(
            platform: platform, fallback: fallback, deviceKey: deviceKey, cellular: cellular, testMode: false,
            codeReader: codeReader, mobileAuthReturnURL: mobileAuthReturnURL)
    }
}
