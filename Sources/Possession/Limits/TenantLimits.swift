internal import Locks

/// Limits that an operator gave one API client, in the place of the server's. `nil`: the server's own.
package struct TenantLimits: Sendable, Equatable {
    /// Requests a second (ABU-01); 0: any number.
    package var requestsPerSecond: Int?
    /// Most that its messages may cost in 24 hours, in the currency of the budgets, or most messages; 0: as much as the server's
    /// budget allows.
    package var budgetPerDay: Int?
    /// Messages of it that may go unanswered (docs/limits.md); 0: any number.
    package var unansweredPerNetwork: Int?
    package var unansweredPerPrefix: Int?
    package var unansweredPerCountry: Int?
    /// The lines that its messages may go to; `nil`: as the server says.
    package var lineTypes: [NumberKind]?

    package init() {}

    /// The figures among them, and what they may be.
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

/// The limits of those API clients that have some of their own, as they are now. Every message asks for them.
package final class OwnLimits: Sendable {
    private let known = Locked<[ClientID: TenantLimits]>([:])

    package init() {}

    /// Takes the place of all that was known.
    package func replace(with limits: [ClientID: TenantLimits]) {
        known.withLock { $0 = limits.filter { $0.value != TenantLimits() } }
    }

    package subscript(_ tenant: ClientID) -> TenantLimits? {
        known.withLock { $0.isEmpty ? nil : $0[tenant] }
    }

    package var isEmpty: Bool { known.withLock { $0.isEmpty } }
}

extension OwnLimits: Equatable {
    /// The same object: what is in it changes.
    package static func == (one: OwnLimits, other: OwnLimits) -> Bool { one === other }
}

extension Limits {
    /// The limits over sessions as they hold for an API client; `nil` where none are enforced.
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
