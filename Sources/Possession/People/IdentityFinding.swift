/// What comparing a person's data with the record brought: reasons by the fraud policy's codes (Prove section 9).
package struct IdentityFinding: Sendable, Equatable {
    /// Empty: it passes.
    package let failureReasons: [Reputation.Reason]

    package var passes: Bool { failureReasons.isEmpty }

    package init(failureReasons: [Reputation.Reason] = []) {
        self.failureReasons = failureReasons
    }

    /// Nobody is known by this number.
    package static let nobody = IdentityFinding(failureReasons: [.identityNotFound])

    /// - Parameter differences: those that count.
    init(_ differences: Set<Person.Difference>) {
        failureReasons = Person.Difference.allCases.filter(differences.contains).compactMap(\.reason)
    }
}

extension Person.Difference {
    /// `nil` for what may change in a life without making it another person's.
    fileprivate var reason: Reputation.Reason? {
        switch self {
        case .ssn: .ssnMismatch
        case .dob: .dobMismatch
        case .name: .nameMismatch
        case .address, .email: nil
        }
    }
}
