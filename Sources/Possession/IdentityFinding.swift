/// What comparing a person's data with the record brought: reasons by the fraud policy's codes (Prove section 9).
package struct IdentityFinding: Sendable, Equatable {
    /// Empty: it passes.
    package let failureReasons: [Reputation.Reason]

    package var passes: Bool { failureReasons.isEmpty }

    package init(failureReasons: [Reputation.Reason] = []) {
        self.failureReasons = failureReasons
    }

    /// Nobody is known by this number.
    package static let nobody = IdentityFinding(failureReasons: [
        Reputation.Reason(code: "9003", text: "identity not found")
    ])

    /// - Parameter differences: those that count.
    init(_ differences: Set<Person.Difference>) {
        failureReasons = Person.Difference.allCases.filter(differences.contains).compactMap(\.reason)
    }
}

extension Person.Difference {
    /// `nil` for what may change in a life without making it another person's.
    fileprivate var reason: Reputation.Reason? {
        switch self {
        case .ssn: Reputation.Reason(code: "9012", text: "SSN mismatch")
        case .dob: Reputation.Reason(code: "9013", text: "date of birth mismatch")
        case .name: Reputation.Reason(code: "9014", text: "name mismatch")
        case .address, .email: nil
        }
    }
}
