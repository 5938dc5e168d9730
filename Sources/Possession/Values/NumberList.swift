/// A list of numbers that a tenant keeps for its own verifications.
package enum NumberList: String, Sendable, CaseIterable {
    /// The tenant knows them: they get its messages although it has blocked them.
    case allowed
    /// They get no message of the tenant.
    case blocked

    /// Entries of one list of a tenant.
    package static let most = 10_000
    /// Entries that one look at a list tells, the newest ones.
    package static let mostTold = 1000
}

/// An entry of such a list.
package struct ListedNumber: Sendable, Equatable {
    package let number: PhoneNumber
    package let since: Timestamp

    package init(_ number: PhoneNumber, since: Timestamp) {
        self.number = number
        self.since = since
    }
}
