/// The OTP check of a session: which code it waits for, and how many tries are left.
///
/// A value without I/O or clock: events go in, the new state and an outcome come out, and the caller stores the state
/// for every outcome.
///
///     idle --sent--> waiting --right code in time--> passed
///                    ^ ^ |  \--wrong, no try left; late, no send left--> failed
///                    | +-+ wrong; sent again
///                    +---sent again--- expired <--late, a send left--- waiting
package struct OTPCheck: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case idle
        case waiting(OTPDigest, expiresAt: Timestamp)
        /// A caller has learned that the code is expired. It stays so whatever the clock says later (OTP-03), and the
        /// digest is deleted.
        case expired(at: Timestamp)
        case passed
        case failed
    }
    /// A code sent before the newest one that is still accepted.
    package struct EarlierCode: Sendable, Equatable {
        package let digest: OTPDigest
        package let expiresAt: Timestamp

        package init(digest: OTPDigest, expiresAt: Timestamp) {
            self.digest = digest
            self.expiresAt = expiresAt
        }
    }
    package enum Outcome: Sendable, Equatable { case passed, mismatch, expired, notWaiting, done }

    package private(set) var state: State
    /// Digits of each code of this session.
    package let codeLength: Int
    package private(set) var attemptsLeft: Int
    /// The oldest first. Only while the newest code is awaited, and at most as many as the policy allows.
    package private(set) var earlier: [EarlierCode]

    package init(state: State = .idle, codeLength: Int, attemptsLeft: Int, earlier: [EarlierCode] = []) {
        self.state = state
        self.codeLength = codeLength
        self.attemptsLeft = attemptsLeft
        self.earlier = earlier
    }

    /// Records a code that is being sent. Older ones are void, except those that the policy keeps. The tries do not
    /// change, unless each code has its own (OTP-07).
    package mutating func sent(_ digest: OTPDigest, at now: Timestamp, by policy: Policy.Code) {
        if case .waiting(let older, let expiresAt) = state, now < expiresAt, !older.bytes.isEmpty {
            earlier.append(EarlierCode(digest: older, expiresAt: expiresAt))
        }
        earlier = earlier.suffix(policy.earlierCodes)
        if policy.tryCount == .code { attemptsLeft = policy.tries }
        state = .waiting(digest, expiresAt: now.adding(.seconds(policy.lifetimeSeconds)))
    }

    /// The newest code was not sent: restores the state before it, with these tries. Codes that it voided stay void.
    mutating func takeBack(to before: State, tries: Int) {
        if case .waiting(let digest, let expiresAt) = before, let last = earlier.last,
            last == EarlierCode(digest: digest, expiresAt: expiresAt)
        {
            earlier.removeLast()
        }
        state = before
        attemptsLeft = tries
    }

    /// Keeps the earlier codes, each until it expires, because the newest code was not sent. No code matches the newest
    /// one, and no response reveals that it was not sent.
    mutating func keepCodes(of before: OTPCheck, at now: Timestamp) {
        guard case .waiting(_, let newestExpiresAt) = state else { return }
        state = .waiting(OTPDigest([]), expiresAt: newestExpiresAt)
        var kept = before.earlier
        if case .waiting(let digest, let expiresAt) = before.state {
            kept.append(EarlierCode(digest: digest, expiresAt: expiresAt))
        }
        earlier = kept.filter { now < $0.expiresAt && !$0.digest.bytes.isEmpty }
            .suffix(Policy.Code.earlierBounds.upperBound)
    }

    /// Checks one submitted code. An expired code costs no try. A finished check accepts no more codes.
    /// - Parameter isLast: no other code can follow, so an expired one fails the check.
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
            let isEarlier = earlier.contains { now < $0.expiresAt && submitted.matches($0.digest) }
            guard submitted.matches(expected) || isEarlier else {
                if attemptsLeft == 0 { state = .failed }
                return .mismatch
            }
            state = .passed
            return .passed
        }
    }

    /// Another check of the session has taken a code. It uses the tries of this one.
    mutating func spendTry() {
        precondition(attemptsLeft > 0, "a code past its last try")
        attemptsLeft -= 1
    }

    /// Ends the check with the session: the awaited digest is deleted (OTP-08).
    package mutating func close() {
        earlier = []
        switch state {
        case .waiting, .expired: state = .failed
        case .idle, .passed, .failed: break
        }
    }

    /// Deletes the digests. The state stays the same, and no code matches the empty digest.
    mutating func forgetDigest() {
        earlier = []
        if case .waiting(_, let expiresAt) = state { state = .waiting(OTPDigest([]), expiresAt: expiresAt) }
    }

    /// Whether a code with this digest would pass now. It uses up no try.
    func awaits(_ digest: OTPDigest, at now: Timestamp) -> Bool {
        guard case .waiting(let expected, let expiresAt) = state, now < expiresAt else { return false }
        return digest.matches(expected) || earlier.contains { now < $0.expiresAt && digest.matches($0.digest) }
    }

    /// Whether any code would pass now.
    func canPass(at now: Timestamp) -> Bool {
        guard case .waiting(let expected, let expiresAt) = state, now < expiresAt else { return false }
        return !expected.bytes.isEmpty || earlier.contains { now < $0.expiresAt }
    }

    /// Whether a code is awaited.
    package var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Expiry of the newest code, even if it is in the past.
    package var expiresAt: Timestamp? {
        switch state {
        case .waiting(_, let expiresAt), .expired(let expiresAt): expiresAt
        case .idle, .passed, .failed: nil
        }
    }
}
