package import Possession

/// Stores links by which tenants let each other see their data about a number.
package protocol DomainStore: Sendable {
    /// The tenant's id for other tenants. If it has none yet, `fresh` is stored. It never changes.
    func domainID(of client: ClientID, fresh: DomainID) async throws(StorageFault) -> DomainID

    /// Every link and request in which the tenant takes part, the oldest request first. Links with revoked tenants are
    /// left out.
    func links(of client: ClientID) async throws(StorageFault) -> [DomainLink]

    /// Asks another tenant for a link, by the rules of `LinkConsent`.
    /// - Parameter fresh: for a caller that has no domain id yet.
    func requestLink(
        from client: ClientID, to domain: DomainID, scopes: [String], fresh: DomainID, at now: Timestamp
    ) async throws(StorageFault) -> LinkRequestOutcome

    /// Accepts a request of another tenant, by the rules of `LinkConsent`. Accepting twice keeps the first time.
    func acceptLink(
        from domain: DomainID, to client: ClientID, scopes: [String]?, at now: Timestamp
    ) async throws(StorageFault) -> LinkConsent.AcceptOutcome

    /// Ends a link, or withdraws or declines a request. `false`: there is none between these two, or the tenant is
    /// neither of them.
    /// - Parameters:
    ///   - from: the tenant that requested it; `nil`: the caller.
    ///   - to: the tenant that was asked; `nil`: the caller.
    func removeLink(from: DomainID?, to: DomainID?, by client: ClientID) async throws(StorageFault) -> Bool

    /// The active identities of the same number at linked tenants, by domain. `nil`: the tenant has no such identity.
    func linkedIdentities(_ id: HolderID, of client: ClientID) async throws(StorageFault) -> [LinkedIdentity]?

    /// The attributes of the tenant's identity, and of active identities of the same number at tenants with an accepted
    /// link, if the link's scopes include their names; its own first. `nil`: the tenant has no such identity.
    /// - Parameter fresh: for a tenant that has no domain id yet.
    func attributes(
        of id: HolderID, of client: ClientID, fresh: DomainID
    ) async throws(StorageFault) -> [IssuedAttribute]?
}

package enum LinkRequestOutcome: Sendable, Equatable {
    case requested
    case unknownDomain
    case ownDomain
    /// The link already exists with other scopes.
    case alreadyLinked
    /// The tenant already has `DomainLink.Limit.perDomain` requests.
    case tooMany
    /// The tenant has already requested `DomainLink.Limit.requests` different sets of scopes from this domain.
    case tooManyRequests
}
