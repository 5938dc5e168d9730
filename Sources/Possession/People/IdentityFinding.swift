/// Result of comparing a person's data with the record.
package struct IdentityFinding: Sendable, Equatable {
    /// Why a person was not identified.
    package enum Reason: Sendable, CaseIterable {
        /// No person is known for the number.
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

    /// No person is known for this number.
    package static let nobody = IdentityFinding(failureReasons: [.notFound])

    /// - Parameter differences: the differences that count.
    init(_ differences: Set<Person.Difference>) {
        failureReasons = Person.Difference.allCases.filter(differences.contains).compactMap(\.reason)
    }
}

extension Person.Difference {
    /// `nil` for data that can change during a person's life.
    fileprivate var reason: IdentityFinding.Reason? {
        switch self {
        case .ssn: .ssn
        case .dob: .birthDate
        case .name: .name
        case .address, .email: nil
        }
    }
}
