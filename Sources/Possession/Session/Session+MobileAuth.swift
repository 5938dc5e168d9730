/// Mobile Auth inside a session (client protocol 4.7). Nothing on the way proves anything: only the fingerprint that
/// the session's own client brings back does.
extension Session {
    /// Opens an attempt; an older one is void.
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

    /// Why a hop leads nowhere. One that comes too late is an outcome: it is stored before it is told, and stays so
    /// (DUR-13). A refusal that is thrown changes nothing.
    package enum HopRefusal: Error, Sendable, Equatable {
        /// No such attempt, or not its ticket.
        case unknown
        /// Used, void, or too late.
        case gone
        /// The device came back from another address than it left from.
        case otherAddress
    }

    /// The first hop: uses up the ticket.
    /// - Parameter operatorName: `nil` when no known operator serves the address.
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

    /// The return hop: claims the attempt, so that its code is redeemed once.
    /// - Returns: the operator the device was sent to; `.gone` as an outcome.
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

    /// The operator's answer, or why there is none.
    package mutating func noteAnswer(
        _ verdict: MobileAuthCheck.Verdict, of attempt: AttemptID, result: [UInt8], detail: String, at now: Timestamp
    ) throws(HopRefusal) {
        guard mobileAuth.attempt == attempt, isActive(.mobileAuth), mobileAuth.state == .asking else { throw .gone }
        mobileAuth.state = .answered(verdict, result: result)
        record(.mobileAuthAnswered, at: now, detail: detail)
    }

    /// The client brings the fingerprint back: the end of the check, one way or the other.
    /// - Parameter fingerprint: `nil` when it is none of ours.
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

    /// The client hands in a token of its operator instead of taking the first hop: claims the attempt, so that its
    /// operator is asked once.
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

    /// The operator's word about a token, or why there is none: the end of the check.
    mutating func settleMobileAuth(
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

    /// The number that the answer of this attempt would prove; `nil`: none.
    func answeredNumber(of attempt: AttemptID) -> PhoneNumber? {
        guard mobileAuth.attempt == attempt, isActive(.mobileAuth) else { return nil }
        return mobileAuth.verdict?.number(claimed: currentNumber)
    }

    /// The chain has ended on the device: it gets a code in place of the fingerprint. The code is good as long as the fingerprint
    /// would be, and from now on. A repeat changes nothing.
    /// - Returns: the answer; the device gets a code for one that proves a number only.
    mutating func handOver(
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

    /// Whether a code is taken that the chain has handed out.
    var awaitsSilentCode: Bool { isActive(.mobileAuth) && mobileAuth.hasHandedOver }

    /// The code that the chain has handed out, and the result that it stands for; `nil`: it has handed out none.
    func awaitedSilentCode(by tokens: any MobileAuthTokens) -> (code: OTP, result: [UInt8])? {
        guard isActive(.mobileAuth), let attempt = mobileAuth.attempt,
            case .handedOver(_, let result, _) = mobileAuth.state
        else { return nil }
        return (tokens.code(of: attempt, result, length: otp.codeLength), result)
    }

    /// Takes the code that the chain has handed out. A wrong one uses up a try of the session's codes; a late one costs none.
    /// - Parameter digest: the result that the code stands for; `.ofNone`: it stands for none.
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

    /// The client says that the chain led nowhere.
    package mutating func giveUpMobileAuth(_ attempt: AttemptID, at now: Timestamp) throws(StepRefusal) {
        try requireOpenAttempt()
        guard attempt == mobileAuth.attempt else { throw .invalidState }
        endMobileAuth(.unavailable, at: now, .client)
    }

    /// When the open attempt is over for whoever only watches it; `nil`: none is open. An answer that proves nothing is over
    /// at once.
    /// - Parameter events: the session's timeline, which tells when the device was sent to its operator.
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

    /// Ends an attempt that is over, without a word of its client.
    /// - Parameter seen: as it stood when that was found. An attempt that has gone on since goes on.
    mutating func endMobileAuth(thatIsOver seen: MobileAuthCheck, at now: Timestamp) {
        guard isActive(.mobileAuth), mobileAuth.hasOpenAttempt, mobileAuth == seen else { return }
        switch mobileAuth.state {
        case .answered(.differs, _): endMobileAuth(.mismatch, at: now, .mismatch)
        case .answered(.unavailable, _): endMobileAuth(.unavailable, at: now, .unavailable)
        default: endMobileAuth(.unavailable, at: now, .late)
        }
    }

    /// The key the session is bound to; `nil` for a bearer session.
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
