/// The OTP check of a session: which code is awaited, and how many tries are left.
///
/// A value without I/O or clock: events go in, the new state and an outcome come out, and the caller stores the state
/// whatever the outcome is.
///
///     idle --sent--> waiting --right code in time--> passed
///                    ^ ^ |  \--wrong, no try left; late, no send left--> failed
///                    | +-+ wrong; sent again
///                    +---sent again--- expired <--late, a send left--- waiting
package struct OTPCheck: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case idle
        case waiting(OTPDigest, expiresAt: Timestamp)
        /// Somebody was told that the code is late. It stays so whatever the clock says later (OTP-03), and the digest
        /// is forgotten.
        case expired(at: Timestamp)
        case passed
        case failed
    }
    package enum Outcome: Sendable, Equatable { case passed, mismatch, expired, notWaiting, done }

    package private(set) var state: State
    /// Digits of each code of this session.
    package let codeLength: Int
    package private(set) var attemptsLeft: Int

    package init(state: State = .idle, codeLength: Int, attemptsLeft: Int) {
        self.state = state
        self.codeLength = codeLength
        self.attemptsLeft = attemptsLeft
    }

    /// Takes note of a code on its way; an older one is void, the tries stay as they were (OTP-07).
    package mutating func sent(_ digest: OTPDigest, at now: Timestamp, lifetime: Duration) {
        state = .waiting(digest, expiresAt: now.adding(lifetime))
    }

    /// The newest code was not sent: the check is as it was before it.
    mutating func takeBack(to earlier: State) { state = earlier }

    /// Takes one submitted code. A late code costs no try; a finished check takes no more codes.
    /// - Parameter isLast: no other code can follow, so that a late one is the end.
    package mutating func submit(_ submitted: OTPDigest, isLast: Bool, at now: Timestamp) -> Outcome {
        switch state {
        case .idle: return .notWaiting
        case .expired:
            if isLast { state = .failed }
            return .expired
        case .passed, .failed: return .done
        case .waiting(let expected, let expiresAt):
            guard now < expiresAt else {
                state = isLast ? .failed : .expired(at: expiresAt)
                return .expired
            }
            precondition(attemptsLeft > 0, "a code past its last try")
            attemptsLeft -= 1
            guard submitted.matches(expected) else {
                if attemptsLeft == 0 { state = .failed }
                return .mismatch
            }
            state = .passed
            return .passed
        }
    }

    /// Ends the check with the session: the awaited digest is forgotten (OTP-08).
    package mutating func close() {
        switch state {
        case .waiting, .expired: state = .failed
        case .idle, .passed, .failed: break
        }
    }

    /// The check goes on as it is, and no code has the empty digest.
    mutating func forgetDigest() {
        if case .waiting(_, let expiresAt) = state { state = .waiting(OTPDigest([]), expiresAt: expiresAt) }
    }

    /// Whether a code is awaited.
    package var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Of the newest code, also when it has passed.
    package var expiresAt: Timestamp? {
        switch state {
        case .waiting(_, let expiresAt), .expired(let expiresAt): expiresAt
        case .idle, .passed, .failed: nil
        }
    }
}
