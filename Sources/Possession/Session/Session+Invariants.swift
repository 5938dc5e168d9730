/// Conditions that hold for every session after every change. A rule that leaves a session which breaks one of them is wrong,
/// whatever a caller sent: debug builds, and so all tests, stop there (`SessionChange.apply`).
extension Session {
    package enum Invariant: String, Sendable, CaseIterable {
        /// A session that no client has redeemed has no credential and no declaration; an active one has both.
        case boundWhenActive
        /// A number or an address is proven exactly where the session has succeeded.
        case proofOfSuccess
        /// A key and what was found of it belong to a success.
        case keyOfSuccess
        /// A code is awaited, or known to be late, exactly in the step that takes it.
        case codeInItsStep
        /// A link is awaited, or known to be late, exactly in the step that waits for it.
        case linkInItsStep
        /// A code that a link gave is kept only in a step that has a link, of a session whose links give codes.
        case exchangeInItsStep
        /// A send closes the device challenge. A step that the limit of bad proofs has ended leaves its last one, which
        /// nothing takes any more.
        case noChallengeBesideMessage
        /// An ended session awaits nothing.
        case nothingAwaitedAtEnd
        /// No budget of tries, sends, entries or attempts goes below zero.
        case budgetsNotNegative
        /// Nothing ends before the session began.
        case endAfterStart
        /// Events that are not stored yet stand in the order of their times.
        case eventsInOrder

        /// A change belongs to one session, whose ids, tenant and times stay.
        case sameSession
        /// A change counts one revision or none.
        case revisionByOne
        /// A session that has ended stays ended; only one whose backend must prove the number may still come to its end.
        case endIsFinal
        /// Tries and attempts are never filled up again, unless each code has its own. Sends and entries are: of a message
        /// that the carrier refused.
        case triesNotRefilled
    }

    /// The first invariant that this session breaks; `nil`: none.
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

    /// The first invariant that this session breaks by itself, or by what a change has made of `before`; `nil`: none.
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
    /// A late link stays late when the session ends by it.
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
