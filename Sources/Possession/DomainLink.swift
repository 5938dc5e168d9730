/// Names a tenant towards other tenants: `pcid`. Its client id is for itself alone.
package struct DomainID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A tenant as other tenants see it.
package struct Domain: Sendable, Equatable {
    package let id: DomainID
    /// The tenant's display name, else its client id.
    package let name: String

    package init(id: DomainID, name: String) {
        self.id = id
        self.name = name
    }
}

/// What one tenant sees of a link between itself and another.
///
///     asked --the other side agrees--> standing --either side ends it--> gone
///       \--either side takes it back--> gone
///
/// A standing link works both ways, whoever asked for it: both have agreed.
package struct DomainLink: Sendable, Equatable {
    package enum Limit {
        /// Links and requests that one tenant may have asked for.
        package static let perDomain = 100
        package static let scopes = 20
        package static let scopeCharacters = 64
    }

    package let other: Domain
    /// Whether the other tenant asked for it.
    package let isFromOther: Bool
    /// In the words of the tenants; the server only hands them on.
    package let scopes: [String]
    package let requestedAt: Timestamp
    /// `nil` while it is a request.
    package let acceptedAt: Timestamp?

    package init(
        other: Domain, isFromOther: Bool, scopes: [String], requestedAt: Timestamp, acceptedAt: Timestamp?
    ) {
        self.other = other
        self.isFromOther = isFromOther
        self.scopes = scopes
        self.requestedAt = requestedAt
        self.acceptedAt = acceptedAt
    }
}

extension Tenant {
    /// What other tenants are told it is called.
    package var domainName: String { rules.displayName ?? id.text }
}
