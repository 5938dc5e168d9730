/// Mobile Auth in a session (client protocol 4.7). The hops prove nothing. Only the fingerprint that the session's own
/// client brings back proves the number.
extension Session {
    /// Opens an attempt and voids an older one.
    package mutating func beginMobileAuth(
        _ attempt: AttemptID, ticket: TicketDigest, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) {
        try requireMobileAuthStep()
        guard mobileAuth.attemptsLeft > 0 else { throw .invalidState }
        if case .challenged = device.state { device.state = .absent }
        mobileAuth.attemptsLeft -= 1
        mobileAuth.attempt = attempt
        mobileAuth.state = .offered(ticket, expiresAt: now.adding(rules.limits.mobileAuthTicketLifetime))
        phase = .active(.mobileAuth)
        record(.mobileAuthBegun, at: now)
    }

    /// Why a hop is refused. A late hop is an outcome: it is stored before the caller learns of it, and stays refused
    /// (DUR-13). A thrown refusal changes nothing.
    package enum HopRefusal: Error, Sendable, Equatable {
        /// There is no such attempt, or the ticket is wrong.
        case unknown
        /// Used, void, or expired.
        case gone
        /// The device came back from another address than it left from.
        case otherAddress
    }

    /// The first hop: uses up the ticket.
    /// - Parameter operatorName: `nil` if no known operator serves the address.
    /// - Returns: `.gone` as an outcome.
    package mutating func travel(
        _ attempt: AttemptID, ticket: TicketDigest, from address: AddressDigest, operatorName: String?,
        at now: Timestamp, rules: Rules
    ) throws(HopRefusal) -> Result<Void, HopRefusal> {
        guard mobileAuth.attempt == attempt, isActive(.mobileAuth) else { throw .gone }
        guard case .offered(let expected, let expiresAt) = mobileAuth.state else { throw .gone }
        guard ticket.matches(expected) else { throw .unknown }
        guard now < expiresAt else {
            mobileAuth.state = .late(result: [])
            return .failure(.gone)
        }
        if let operatorName {
            let limit = now.adding(rules.limits.mobileAuthTravelTime)
            mobileAuth.state = .travelling(from: address, operatorName: operatorName, expiresAt: limit)
            record(.mobileAuthSentToOperator, at: now, detail: operatorName)
        } else {
            mobileAuth.state = .answered(.unavailable, result: [])
            record(.mobileAuthAnswered, at: now, detail: MobileAuthAnswerWord.noOperator.rawValue)
        }
        return .success(())
    }

    /// The return hop: claims the attempt, so that its code is redeemed only once.
    /// - Returns: the operator to which the device was sent; `.gone` as an outcome.
    package mutating func arrive(
        _ attempt: AttemptID, from address: AddressDigest, at now: Timestamp
    ) throws(HopRefusal) -> Result<String, HopRefusal> {
        guard mobileAuth.attempt == attempt, isActive(.mobileAuth) else { throw .gone }
        guard case .travelling(let origin, let operatorName, let expiresAt) = mobileAuth.state else { throw .gone }
        guard now < expiresAt else {
            mobileAuth.state = .late(result: [])
            return .failure(.gone)
        }
        guard address == origin else { throw .otherAddress }
        mobileAuth.state = .asking
        return .success(operatorName)
    }

    /// Records the operator's answer, or why there is none.
    package mutating func noteAnswer(
        _ verdict: MobileAuthCheck.Verdict, of attempt: AttemptID, result: [UInt8], detail: String, at now: Timestamp
    ) throws(HopRefusal) {
        guard mobileAuth.attempt == attempt, isActive(.mobileAuth), mobileAuth.state == .asking else { throw .gone }
        mobileAuth.state = .answered(verdict, result: result)
        record(.mobileAuthAnswered, at: now, detail: detail)
    }

    /// The client brings the fingerprint back, which ends the check.
    /// - Parameter fingerprint: `nil` if this server did not issue it.
    /// - Returns: `.fingerprintInvalid` and `.fingerprintExpired` as outcomes.
    package mutating func finishMobileAuth(
        _ attempt: AttemptID, fingerprint: Fingerprint?, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> StepOutcome {
        try requireOpenAttempt()
        guard let fingerprint, attempt == mobileAuth.attempt, fingerprint.attempt == attempt,
            fingerprint.authID == authID, fingerprint.sessionKey == boundKey, !fingerprint.result.isEmpty
        else { return refuseFingerprint(.fingerprintInvalid, at: now) }
        if mobileAuth.state == .late(result: fingerprint.result) {
            return refuseFingerprint(.fingerprintExpired, at: now)
        }
        guard case .answered(let verdict, let result) = mobileAuth.state, fingerprint.result == result else {
            return refuseFingerprint(.fingerprintInvalid, at: now)
        }
        guard now < fingerprint.expiresAt else {
            mobileAuth.state = .late(result: result)
            return refuseFingerprint(.fingerprintExpired, at: now)
        }
        try end(by: verdict, at: now, rules: rules)
        return .taken
    }

    /// The client submits an operator token instead of opening the first hop. Claims the attempt, so that the operator
    /// is asked only once.
    /// - Returns: `.fingerprintExpired` as an outcome.
    mutating func handInOperatorToken(
        _ attempt: AttemptID, to operatorName: String, at now: Timestamp
    ) throws(StepRefusal) -> StepOutcome {
        try requireOpenAttempt()
        guard attempt == mobileAuth.attempt, case .offered(_, let expiresAt) = mobileAuth.state else {
            throw .invalidState
        }
        guard now < expiresAt else {
            mobileAuth.state = .late(result: [])
            return refuseFingerprint(.fingerprintExpired, at: now)
        }
        mobileAuth.state = .asking
        record(.mobileAuthSentToOperator, at: now, detail: "\(operatorName) token")
        return .taken
    }

    /// Ends the check with the operator's answer about a token, or with the reason why there is none.
    package mutating func endMobileAuthByAnswer(
        _ attempt: AttemptID, _ verdict: MobileAuthCheck.Verdict, detail: String, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) {
        try requireOpenAttempt()
        guard attempt == mobileAuth.attempt, mobileAuth.state == .asking else { throw .invalidState }
        record(.mobileAuthAnswered, at: now, detail: detail)
        try end(by: verdict, at: now, rules: rules)
    }

    private mutating func end(
        by verdict: MobileAuthCheck.Verdict, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) {
        switch verdict {
        case .found(let number): pass(number, at: now, rules: rules)
        case .agrees:
            guard let number = currentNumber else { throw .invalidState }
            pass(number, at: now, rules: rules)
        case .differs: endMobileAuth(.mismatch, at: now, .mismatch)
        case .unavailable: endMobileAuth(.unavailable, at: now, .unavailable)
        }
    }

    /// The number that the answer of this attempt would prove, or `nil`.
    func answeredNumber(of attempt: AttemptID) -> PhoneNumber? {
        guard mobileAuth.attempt == attempt, isActive(.mobileAuth) else { return nil }
        return mobileAuth.verdict?.number(claimed: currentNumber)
    }

    /// The chain has ended on the device, which gets a code instead of the fingerprint. The code is valid for the
    /// lifetime of a fingerprint, from now on. A repeat changes nothing.
    /// - Returns: the answer. The device gets a code only if the answer proves a number.
    package mutating func handOver(
        _ fingerprint: Fingerprint, at now: Timestamp
    ) throws(HopRefusal) -> MobileAuthCheck.Verdict {
        guard mobileAuth.attempt == fingerprint.attempt, fingerprint.authID == authID, isActive(.mobileAuth),
            now < fingerprint.expiresAt
        else { throw .gone }
        switch mobileAuth.state {
        case .answered(let verdict, fingerprint.result):
            guard verdict.number(claimed: currentNumber) != nil else { return verdict }
            mobileAuth.state = .handedOver(
                verdict, result: fingerprint.result, expiresAt: fingerprint.expiresAt)
            return verdict
        case .handedOver(let verdict, fingerprint.result, _): return verdict
        case .absent, .ready, .offered, .travelling, .asking, .answered, .handedOver, .late, .ended: throw .gone
        }
    }

    /// Whether the session accepts a code that the chain has issued.
    var awaitsSilentCode: Bool { isActive(.mobileAuth) && mobileAuth.hasHandedOver }

    /// The code that the chain has issued, and the result that it stands for; `nil`: no code was issued.
    func awaitedSilentCode(by silentCodes: SilentCodes) -> (code: OTP, result: [UInt8])? {
        guard isActive(.mobileAuth), let attempt = mobileAuth.attempt,
            case .handedOver(_, let result, _) = mobileAuth.state
        else { return nil }
        return (silentCodes.code(attempt, result, otp.codeLength), result)
    }

    /// Checks the code that the chain has issued. A wrong code uses up a try of the session's codes; an expired one
    /// does not.
    /// - Parameter digest: the result that the code stands for; `.ofNone`: it is not the issued code.
    /// - Returns: `.otpMismatch` and `.otpExpired` as outcomes.
    mutating func verifySilentCode(
        _ digest: (AuthID, Target) -> OTPDigest, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> StepOutcome {
        guard let target = currentTarget else { throw .invalidState }
        guard case .handedOver(let verdict, let result, let expiresAt) = mobileAuth.state else {
            throw .invalidState
        }
        guard !result.isEmpty else { return .refused(.otpExpired) }
        guard now < expiresAt else {
            mobileAuth.state = .handedOver(verdict, result: [], expiresAt: expiresAt)
            return refuseFingerprint(.otpExpired, at: now)
        }
        otp.spendTry()
        guard digest(authID, target).matches(OTPDigest(result)) else {
            record(.otpMismatch, at: now)
            if otp.attemptsLeft == 0 { fail(at: now, detail: "otp_attempts") }
            return .refused(.otpMismatch)
        }
        try end(by: verdict, at: now, rules: rules)
        return .taken
    }

    /// The client reports that the chain failed.
    package mutating func giveUpMobileAuth(_ attempt: AttemptID, at now: Timestamp) throws(StepRefusal) {
        try requireOpenAttempt()
        guard attempt == mobileAuth.attempt else { throw .invalidState }
        endMobileAuth(.unavailable, at: now, .client)
    }

    /// When a caller that only watches should treat the open attempt as over; `nil`: no attempt is open. An answer that
    /// proves no number ends it at once.
    /// - Parameter events: the session's timeline, which has the time when the device was sent to its operator.
    package func endOfMobileAuth(_ events: [SessionEvent], _ limits: Limits) -> Timestamp? {
        guard isActive(.mobileAuth) else { return nil }
        switch mobileAuth.state {
        case .absent, .ready, .ended: return nil
        case .offered(_, let expiresAt), .travelling(_, _, let expiresAt): return expiresAt
        case .late, .answered(.differs, _), .answered(.unavailable, _): return createdAt
        case .asking, .answered(.agrees, _), .answered(.found, _):
            let left = events.last { $0.kind == .mobileAuthSentToOperator }?.at ?? createdAt
            return left.adding(limits.mobileAuthTravelTime + limits.fingerprintLifetime)
        case .handedOver(_, _, let expiresAt): return expiresAt
        }
    }

    /// Ends an attempt that is over, without a call of its client.
    /// - Parameter seen: the attempt when it was found to be over. If it has changed since, it stays open.
    mutating func endMobileAuth(thatIsOver seen: MobileAuthCheck, at now: Timestamp) {
        guard isActive(.mobileAuth), mobileAuth.hasOpenAttempt, mobileAuth == seen else { return }
        switch mobileAuth.state {
        case .answered(.differs, _): endMobileAuth(.mismatch, at: now, .mismatch)
        case .answered(.unavailable, _): endMobileAuth(.unavailable, at: now, .unavailable)
        default: endMobileAuth(.unavailable, at: now, .late)
        }
    }

    /// The key that the session is bound to; `nil` for a bearer session.
    private var boundKey: Thumbprint? {
        if case .key(let thumbprint) = binding { thumbprint } else { nil }
    }

    func isActive(_ step: Step) -> Bool { phase == .active(step) }

    private mutating func pass(_ number: PhoneNumber, at now: Timestamp, rules: Rules) {
        mobileAuth.state = .ended(nil)
        record(.mobileAuthPassed, at: now)
        succeed(by: .mobileAuth, .number(number), at: now, rules: rules)
    }

    private mutating func endMobileAuth(
        _ failure: MobileAuthCheck.Failure, at now: Timestamp, _ word: MobileAuthEndWord
    ) {
        mobileAuth.state = .ended(failure)
        record(.mobileAuthFailed, at: now, detail: word.rawValue)
        moveOn(past: .mobileAuth, at: now)
    }

    private mutating func refuseFingerprint(_ refusal: StepRefusal, at now: Timestamp) -> StepOutcome {
        record(.fingerprintRefused, at: now)
        return .refused(refusal)
    }

    private func requireMobileAuthStep() throws(StepRefusal) {
        switch phase {
        case .created: throw .invalidState
        case .done: throw .sessionDone
        case .active(.device) where mobileAuth.isPlanned, .active(.mobileAuth): break
        case .active: throw .invalidState
        }
    }

    private func requireOpenAttempt() throws(StepRefusal) {
        switch phase {
        case .done: throw .sessionDone
        case .active(.mobileAuth) where mobileAuth.hasOpenAttempt: break
        default: throw .invalidState
        }
    }
}
