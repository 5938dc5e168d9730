/// The OTP check inside a session (client protocol 4.8).
extension Session {
    /// A code for a payment is accepted only for that payment, and a code for no payment only without one.
    func checkPayment(_ named: PaymentDigest?) throws(StepRefusal) {
        guard !isDone else { return }
        switch (request.options.payment, named) {
        case (nil, nil): return
        case (let own?, let named?) where own.matches(named): return
        case (_, let named): throw .otherPayment(isNamed: named != nil)
        }
    }

    /// Accepts the statement of a backend that checks its own codes.
    mutating func vouch(at now: Timestamp, rules: Rules) throws(StepRefusal) {
        try require(.otpFinish)
        guard request.policy.letsBackendVouch, let target = currentTarget else { throw .invalidState }
        succeed(by: .customer, target, at: now, rules: rules)
    }

    /// Whether the session accepts a code now: one from a message or one from a silent chain.
    var awaitsTypedCode: Bool { isActive(.otpFinish) || awaitsSilentCode }

    /// Checks one code. The digest is computed for the session's current target, so a code sent to another one fails
    /// (OTP-10).
    /// - Returns: `.otpMismatch` and `.otpExpired` as outcomes.
    package mutating func verifyOTP(
        _ digest: (AuthID, Target) -> OTPDigest, at now: Timestamp, rules: Rules
    ) throws(StepRefusal) -> StepOutcome {
        if isActive(.mobileAuth) { return try verifySilentCode(digest, at: now, rules: rules) }
        try require(.otpFinish)
        guard let target = currentTarget else { throw .invalidState }
        // After its end the session stays open only for the code of a link.
        guard now < expiresAt else { return .refused(.otpExpired) }
        let isLast = sends.sendsLeft == 0 && !awaitsExchange(at: now)
        switch otp.submit(digest(authID, target), isLast: isLast, at: now) {
        case .passed:
            record(.otpPassed, at: now)
            succeed(by: hasOwnCode ? .customer : .otp, target, at: now, rules: rules)
            return .taken
        case .mismatch:
            record(.otpMismatch, at: now)
            if otp.state == .failed { fail(at: now, detail: "otp_attempts") }
            return .refused(.otpMismatch)
        case .expired:
            record(.otpExpired, at: now)
            if otp.state == .failed { fail(at: now, detail: "otp_expired") }
            return .refused(.otpExpired)
        case .notWaiting:
            throw .invalidState
        case .done:
            throw .sessionDone
        }
    }
}
