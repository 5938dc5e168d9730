internal import Locks

/// Limits that an operator set for one API client, in place of the server's. `nil`: the server's limit.
package struct TenantLimits: Sendable, Equatable {
    /// Requests a second (ABU-01); 0: no limit.
    package var requestsPerSecond: Int?
    /// Maximum cost of its messages in 24 hours, in the currency of the budgets, or maximum messages; 0: only the
    /// server's budget limits it.
    package var budgetPerDay: Int?
    /// Its messages that may go unanswered (docs/limits.md); 0: no limit.
    package var unansweredPerNetwork: Int?
    package var unansweredPerPrefix: Int?
    package var unansweredPerCountry: Int?
    /// The line types its messages may go to; `nil`: as the server allows.
    package var lineTypes: [NumberKind]?

    package init() {}

    /// The numeric limits, with their bounds.
    package static let figures: [Figure] = [
        Figure(path: \.requestsPerSecond, bounds: 0...1_000_000),
        Figure(path: \.budgetPerDay, bounds: 0...200_000),
        Figure(path: \.unansweredPerNetwork, bounds: 0...100_000),
        Figure(path: \.unansweredPerPrefix, bounds: 0...100_000),
        Figure(path: \.unansweredPerCountry, bounds: 0...1_000_000),
    ]

    package struct Figure: Sendable {
        package let path: any WritableKeyPath<TenantLimits, Int?> & Sendable
        package let bounds: ClosedRange<Int>
    }
}

/// The current limits of all API clients that have limits of their own. Read for every message.
package final class OwnLimits: Sendable {
    private let known = Locked<[ClientID: TenantLimits]>([:])

    package init() {}

    /// Replaces all known limits.
    package func replace(with limits: [ClientID: TenantLimits]) {
        known.withLock { $0 = limits.filter { $0.value != TenantLimits() } }
    }

    package subscript(_ tenant: ClientID) -> TenantLimits? {
        known.withLock { $0.isEmpty ? nil : $0[tenant] }
    }

    package var isEmpty: Bool { known.withLock { $0.isEmpty } }
}

extension OwnLimits: Equatable {
    /// Compares identity, because the contents change.
    package static func == (one: OwnLimits, other: OwnLimits) -> Bool { one === other }
}

extension Limits {
    /// The limits over sessions of an API client; `nil` if they are not enforced.
    package func overSessions(of tenant: ClientID) -> OverSessions? {
        guard let overSessions, let own = own[tenant] else { return overSessions }
        return overSessions.with(own)
    }
}

extension Limits.OverSessions {
    fileprivate func with(_ own: TenantLimits) -> Limits.OverSessions {
        var limits = self
        if let budget = own.budgetPerDay { limits.spend.perTenantPerDay = budget * SpendGuard.unit }
        limits.sizes = BucketSizes(
            address: Int(sizes.address.start), network: own.unansweredPerNetwork ?? Int(sizes.network.start),
            prefix: own.unansweredPerPrefix ?? Int(sizes.prefix.start),
            country: own.unansweredPerCountry ?? Int(sizes.country.start))
        return limits
    }
}
