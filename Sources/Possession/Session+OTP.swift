/// The OTP check inside a session (client protocol 4.8).
extension Session {
    /// A code made for one number: what the message shows, and the digest that will be compared. They differ only for
    /// sandbox numbers whose codes never pass.
    package struct IssuedCode: Sendable {
        package let shown: OTP
        package let expected: OTPDigest

        package init(shown: OTP, expected: OTPDigest) {
            self.shown = shown
            self.expected = expected
        }
    }

    /// Makes the code for a number; random values were drawn before, so that a rule stays a plain function.
    package typealias CodeIssuer = @Sendable (AuthID, PhoneNumber, _ length: Int) -> IssuedCode

    /// A message that must go out once the change is durable, and how to take it back when it cannot.
    package struct PendingMessage: Sendable {
        package let number: PhoneNumber
        package let code: OTP
        package let undo: SendUndo
    }

    /// The state before a send, restored when the carrier refused it: such a send is not counted (client protocol
    /// 4.11).
    package struct SendUndo: Sendable, Equatable {
        let phase: Phase
        let enteredNumber: PhoneNumber?
        let device: DeviceCheck
        let otp: OTPCheck
        /// The check right after the send: anything that happened since stands.
        let sent: OTPCheck
    }

    /// Sends the first code. `entered` is the number the client named, only where the backend gave none.
    package mutating func startOTP(
        to entered: PhoneNumber?, issue: CodeIssuer, at now: Timestamp, limits: Limits
    ) throws(ClientRefusal) -> PendingMessage {
        try requireStep(before: .otpStart)
        if request.subject.number != nil, entered != nil { throw .phoneNumberNotAccepted }
        guard let number = entered ?? currentNumber else { throw .phoneNumberRequired }
        guard otp.sendsLeft > 0 else { throw .sendsExhausted }
        return send(to: number, isNew: true, issue: issue, at: now, limits: limits, detail: "first")
    }

    /// Sends a new code to the same number; the old one is void.
    package mutating func resendOTP(
        issue: CodeIssuer, at now: Timestamp, limits: Limits
    ) throws(ClientRefusal) -> PendingMessage {
        try requireOTPFinish()
        guard otp.sendsLeft > 0 else { throw .sendsExhausted }
        guard let number = currentNumber else { throw .invalidState }
        return send(to: number, isNew: false, issue: issue, at: now, limits: limits, detail: "resend")
    }

    /// Sends a new code to another number.
    package mutating func changeOTPNumber(
        to number: PhoneNumber, issue: CodeIssuer, at now: Timestamp, limits: Limits
    ) throws(ClientRefusal) -> PendingMessage {
        try requireOTPFinish()
        guard request.options.allowPhoneChange else { throw .phoneChangeNotAllowed }
        guard otp.entriesLeft > 0 else { throw .phoneEntriesExhausted }
        guard otp.sendsLeft > 0 else { throw .sendsExhausted }
        return send(to: number, isNew: true, issue: issue, at: now, limits: limits, detail: "number_changed")
    }

    /// Takes one code. The digest is computed for the session's current number, so a code sent to another one fails
    /// (OTP-10).
    package mutating func verifyOTP(
        _ digest: (AuthID, PhoneNumber) -> OTPDigest, at now: Timestamp
    ) throws(ClientRefusal) {
        try requireOTPFinish()
        guard let number = currentNumber else { throw .invalidState }
        switch otp.submit(digest(authID, number), at: now) {
        case .passed:
            record(.otpPassed, at: now)
            succeed(by: .otp, number: number, at: now)
        case .mismatch:
            record(.otpMismatch, at: now)
            if otp.state == .failed { fail(at: now, detail: "otp_attempts") }
            throw .otpMismatch
        case .expired:
            record(.otpExpired, at: now)
            if otp.state == .failed { fail(at: now, detail: "otp_expired") }
            throw .otpExpired
        case .notWaiting:
            throw .invalidState
        case .done:
            throw .sessionDone
        }
    }

    /// Gives a refused send back, unless the session has moved on since.
    package mutating func undo(_ undo: SendUndo, at now: Timestamp) {
        guard otp == undo.sent, !isDone else { return }
        phase = undo.phase
        enteredNumber = undo.enteredNumber
        device = undo.device
        otp = undo.otp
        record(.otpSendFailed, at: now)
    }

    private mutating func send(
        to number: PhoneNumber, isNew: Bool, issue: CodeIssuer, at now: Timestamp, limits: Limits, detail: String
    ) -> PendingMessage {
        let before = self
        let code = issue(authID, number, otp.codeLength)
        if case .challenged = device.state { device.state = .absent }
        otp.sent(code.expected, newNumber: isNew, at: now, lifetime: limits.otpLifetime)
        if number != request.subject.number?.number { enteredNumber = number } else { enteredNumber = nil }
        phase = .active(.otpFinish)
        record(.otpSent, at: now, detail: detail)
        let undo = SendUndo(
            phase: before.phase, enteredNumber: before.enteredNumber, device: before.device, otp: before.otp, sent: otp)
        return PendingMessage(number: number, code: code.shown, undo: undo)
    }

    /// The step a call starts must not be behind us, and must be the fallback of this session.
    private func requireStep(before start: Step) throws(ClientRefusal) {
        switch phase {
        case .created: throw .invalidState
        case .done: throw .sessionDone
        case .active(let step):
            guard fallbackStep == start, step == .device || step == .mobileAuth || step == start else {
                throw .invalidState
            }
        }
    }

    private func requireOTPFinish() throws(ClientRefusal) {
        switch phase {
        case .active(.otpFinish): return
        case .done: throw .sessionDone
        default: throw .invalidState
        }
    }
}
