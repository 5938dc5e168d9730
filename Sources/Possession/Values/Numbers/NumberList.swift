/// A list of numbers that a tenant keeps for its own verifications.
package enum NumberList: String, Sendable, CaseIterable {
    /// Numbers that get the tenant's messages even if the tenant has blocked them.
    case allowed
    /// Numbers that get no messages of the tenant.
    case blocked

    /// Maximum entries in one list of a tenant.
    package static let most = 10_000
    /// Maximum entries that one read of a list returns, the newest ones.
    package static let mostRead = 1000
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
