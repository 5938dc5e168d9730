/// Standing of a number, requested with `checkReputation`.
package struct Reputation: Sendable, Equatable {
    /// One finding: a code of the source's policy and what it means.
    package struct Reason: Sendable, Hashable {
        package let code: String
        package let text: String

        package init(code: String, text: String) {
            self.code = code
            self.text = text
        }
    }

    /// Empty: the number passes.
    package let failureReasons: [Reason]
    /// Reasons for doubt about a number that passes although its standing is unknown.
    package let doubts: [Reason]
    /// Why the standing is unknown, as a word for the timeline; `nil`: it is known.
    package let gap: String?

    package init(failureReasons: [Reason] = []) {
        self.failureReasons = failureReasons
        doubts = []
        gap = nil
    }

    /// A standing that could not be learned.
    /// - Parameters:
    ///   - passes: whether an unknown standing passes.
    ///   - gap: why it is unknown, as a word for the timeline.
    package init(unknown reason: Reason, passes: Bool, gap: String) {
        failureReasons = passes ? [] : [reason]
        doubts = passes ? [reason] : []
        self.gap = gap
    }

    package var passes: Bool { failureReasons.isEmpty }
}
