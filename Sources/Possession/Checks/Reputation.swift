/// What is known of a number's standing when a backend asks with `checkReputation` .
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

    package init(failureReasons: [Reason] = []) {
        self.failureReasons = failureReasons
    }

    package var passes: Bool { failureReasons.isEmpty }
}
