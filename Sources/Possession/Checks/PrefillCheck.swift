/// Progress of a session that returns the known data of a person, beside the proof of the number: validate, challenge,
/// complete (contract section 8).
package struct PrefillCheck: Sendable, Equatable {
    package enum Step: String, Sendable, CaseIterable {
        case started, validated, challenged, completed, failed
    }

    package internal(set) var step: Step
    /// Challenges that may still fail before the session fails.
    package internal(set) var challengesLeft: Int

    package init(step: Step = .started, challengesLeft: Int) {
        self.step = step
        self.challengesLeft = challengesLeft
    }
}

extension Limits {
    /// Maximum challenges in a session that a browser or phone drives; a backend has one (contract section 8: "a failed
    /// `/verify` may be repeated"). Ours: a caller who proved the number must not be able to try all values of four
    /// digits.
    static let challengesFromApp = 3
    static let challengesFromBackend = 1
}
