/// How far a Pre-Fill run has come, beside the proof of the number: validate, challenge, complete (Prove section 6).
package struct PrefillCheck: Sendable, Equatable {
    package enum Step: String, Sendable, CaseIterable {
        case started, validated, challenged, completed, failed
    }

    package internal(set) var step: Step
    /// Challenges that may still differ from the record before the run has failed.
    package internal(set) var challengesLeft: Int

    package init(step: Step = .started, challengesLeft: Int) {
        self.step = step
        self.challengesLeft = challengesLeft
    }
}

extension SessionRequest.Product {
    /// What `validate`, `challenge` and `complete` continue.
    package static let prefillRuns: Set<SessionRequest.Product> = [.prefill, .identity]

    /// Whether a birth date or SSN has to agree with the record before its data is shown: Prove Identity does without.
    package var needsChallenge: Bool { self == .prefill }
}

extension Limits {
    /// Of a run that a person's own browser or phone drives; a backend has one (contract section 8: "a failed `/verify`
    /// may be repeated"). Ours: who proved the number shall not try out four digits.
    static let challengesFromApp = 3
    static let challengesFromBackend = 1
}
