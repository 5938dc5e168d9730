/// Conditions that hold for every session after every change. A rule that breaks one is wrong, whatever the caller
/// sent. Debug builds, and so all tests, stop there (`SessionChange.apply`).
extension Session {
    package enum Invariant: String, Sendable, CaseIterable {
        /// A session that no client has redeemed has no credential and no declaration; an active one has both.
        case boundWhenActive
        /// A number or an address is proven if and only if the session has succeeded.
        case proofOfSuccess
        /// Only a success has a bound key and findings about it.
        case keyOfSuccess
        /// A code is awaited, or known to be expired, only in the step that takes codes, and always there.
        case codeInItsStep
        /// A link is awaited, or known to be expired, only in the step that waits for it, and always there.
        case linkInItsStep
        /// A link's code exists only in a step that has a link, in a session whose links give codes.
        case exchangeInItsStep
        /// Sending a message closes the device challenge. A step that ended at the limit of bad proofs keeps its last
        /// challenge, which no rule accepts any more.
        case noChallengeBesideMessage
        /// An ended session waits for nothing.
        case nothingAwaitedAtEnd
        /// No budget of tries, sends, entries or attempts is below zero.
        case budgetsNotNegative
        /// The end is not before the start.
        case endAfterStart
        /// Events not yet stored are in the order of their times.
        case eventsInOrder

        /// A change keeps the session's ids, tenant and times.
        case sameSession
        /// A change adds at most one revision.
        case revisionByOne
        /// An ended session stays ended. Only if its backend must prove the number may its outcome still change.
        case endIsFinal
        /// Tries and attempts are never refilled, unless each code has its own tries. Sends and entries are refilled if
        /// the carrier refused the message.
        case triesNotRefilled
    }

    /// The first invariant that this session breaks, or `nil`.
    package var brokenInvariant: Invariant? {
        let broken: [(Invariant, Bool)] = [
            (.boundWhenActive, !isBoundWhenActive), (.proofOfSuccess, (proof != nil) != (outcome == .succeeded)),
            (.keyOfSuccess, outcome != .succeeded && (deviceID != nil || keyFinding != nil)),
            (.codeInItsStep, otp.isOpen != (phase == .active(.otpFinish))),
            (.linkInItsStep, link.isOpen(in: phase) != (phase == .active(.linkWait))),
            (.exchangeInItsStep, exchange != nil && !(request.options.exchange != nil && isMessageAwaited)),
            (.noChallengeBesideMessage, device.isChallenged && isMessageAwaited),
            (.nothingAwaitedAtEnd, isDone && mobileAuth.isUnfinished),
            (.budgetsNotNegative, !areBudgetsNotNegative),
            (.endAfterStart, expiresAt < createdAt || (endedAt ?? createdAt) < createdAt),
            (.eventsInOrder, !zip(newEvents, newEvents.dropFirst()).allSatisfy { $0.at <= $1.at }),
        ]
        return broken.first { $0.1 }?.0
    }

    /// The first invariant that this session breaks, by itself or compared with `before`, or `nil`.
    package func brokenInvariant(since before: Session) -> Invariant? {
        if let broken = brokenInvariant { return broken }
        let broken: [(Invariant, Bool)] = [
            (.sameSession, !isSame(as: before)),
            (.revisionByOne, !(before.revision...before.revision + 1).contains(revision)),
            (.endIsFinal, before.isDone && before.outcome != .possessionRequired && phase != before.phase),
            (
                .triesNotRefilled,
                request.policy.code.tryCount == .session && otp.attemptsLeft > before.otp.attemptsLeft
                    || bindTriesLeft > before.bindTriesLeft
                    || mobileAuth.attemptsLeft > before.mobileAuth.attemptsLeft
            ),
        ]
        return broken.first { $0.1 }?.0
    }

    private var isBoundWhenActive: Bool {
        switch phase {
        case .created: binding == .unbound && declaration == nil
        case .active: binding != .unbound && declaration != nil
        case .done: true
        }
    }

    private var isMessageAwaited: Bool { phase == .active(.otpFinish) || phase == .active(.linkWait) }

    private var areBudgetsNotNegative: Bool {
        let left = [
            otp.attemptsLeft, sends.sendsLeft, sends.entriesLeft, mobileAuth.attemptsLeft, device.challengesLeft,
            bindTriesLeft, prefill?.challengesLeft ?? 0,
        ]
        return left.allSatisfy { $0 >= 0 }
    }

    private func isSame(as other: Session) -> Bool {
        correlationID == other.correlationID && authID == other.authID && clientID == other.clientID
            && createdAt == other.createdAt && expiresAt == other.expiresAt
    }
}

extension OTPCheck {
    fileprivate var isOpen: Bool {
        switch state {
        case .waiting, .expired: true
        case .idle, .passed, .failed: false
        }
    }
}

extension LinkCheck {
    /// An expired link keeps this state when the session ends because of it.
    fileprivate func isOpen(in phase: Session.Phase) -> Bool {
        switch (state, phase) {
        case (.waiting, _), (.expired, .active), (.expired, .created): true
        case (.expired, .done), (.idle, _), (.passed, _), (.failed, _), (.closed, _): false
        }
    }
}

extension DeviceCheck {
    fileprivate var isChallenged: Bool { if case .challenged = state { true } else { false } }
}

extension MobileAuthCheck {
    fileprivate var isUnfinished: Bool {
        switch state {
        case .absent, .ended: false
        case .ready, .offered, .travelling, .asking, .answered, .handedOver, .late: true
        }
    }
}
