/// Identifies a tenant for other tenants: `pcid`. Its client id stays private.
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

/// A link between two tenants, as one of them sees it.
///
///     asked --the other side accepts--> standing --either side ends it--> gone
///       \--either side withdraws or declines it--> gone
///
/// While it is accepted, each side sees which active identities both have. The scopes say what else the requesting side
/// sees of the other: attributes with these names, and, with `phoneNumber`, numbers that it does not know yet. The
/// other direction needs a link that the other side requests.
package struct DomainLink: Sendable, Equatable {
    package enum Limit {
        /// Maximum links and requests that one tenant may have requested.
        package static let perDomain = 100
        package static let scopes = 20
        package static let scopeCharacters = 64
        /// Maximum requests with different scopes to one domain.
        package static let requests = LinkConsent.maxRequests
    }

    /// The scope that reveals a number.
    package static let numberScope = "phoneNumber"

    /// Whether a name is among the scopes, byte for byte.
    package static func covers(_ name: String, _ scopes: [String]) -> Bool {
        scopes.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    package let other: Domain
    /// Whether the other tenant requested it.
    package let isFromOther: Bool
    /// Names of attributes, or `phoneNumber`.
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
    /// Name of the tenant for other tenants.
    package var domainName: String { rules.displayName ?? id.text }
}
