/// How far a session has come in handing back what is known of a person, beside the proof of the number: validate,
/// challenge, complete (contract section 8).
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

extension Limits {
    /// Most challenges of a run that a person's own browser or phone drives; a backend has one (contract section 8: "a failed
    /// `/verify` may be repeated"). Ours: who proved the number shall not try out four digits.
    static let challengesFromApp = 3
    static let challengesFromBackend = 1
}
