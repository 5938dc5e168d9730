/// Result of comparing a person's data with the record.
package struct IdentityFinding: Sendable, Equatable {
    /// Why a person was not identified.
    package enum Reason: Sendable, CaseIterable {
        /// Nobody is known by the number.
        case notFound
        /// The source does not confirm the identity.
        case notConfirmed
        /// A given value differs from the record.
        case ssn, birthDate, name
    }

    /// Empty: it passes.
    package let failureReasons: [Reason]

    package var passes: Bool { failureReasons.isEmpty }

    package init(failureReasons: [Reason] = []) {
        self.failureReasons = failureReasons
    }

    /// Nobody is known by this number.
    package static let nobody = IdentityFinding(failureReasons: [.notFound])

    /// - Parameter differences: those that count.
    init(_ differences: Set<Person.Difference>) {
        failureReasons = Person.Difference.allCases.filter(differences.contains).compactMap(\.reason)
    }
}

extension Person.Difference {
    /// `nil` for what may change in a life without making it another person's.
    fileprivate var reason: IdentityFinding.Reason? {
        switch self {
        case .ssn: .ssn
        case .dob: .birthDate
        case .name: .name
        case .address, .email: nil
        }
    }
}
