/// Standing of a number when a backend asks with `checkReputation`.
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
    /// Reasons for doubt about a number that passes although nobody could tell its standing.
    package let doubts: [Reason]
    /// Why nobody could tell the standing, in a word for the timeline; `nil`: somebody could.
    package let gap: String?

    package init(failureReasons: [Reason] = []) {
        self.failureReasons = failureReasons
        doubts = []
        gap = nil
    }

    /// Standing that nobody could tell.
    /// - Parameters:
    ///   - passes: what that counts as.
    ///   - gap: why, in a word for the timeline.
    package init(unknown reason: Reason, passes: Bool, gap: String) {
        failureReasons = passes ? [] : [reason]
        doubts = passes ? [reason] : []
        self.gap = gap
    }

    package var passes: Bool { failureReasons.isEmpty }
}
