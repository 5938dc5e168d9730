/// Keeps by which links tenants let one another see what they know of a number.
package protocol DomainStore: Sendable {
    /// The tenant's name towards other tenants; `fresh` becomes it when it has none yet. It never changes.
    func domainID(of client: ClientID, fresh: DomainID) async throws(StorageFault) -> DomainID

    /// Every link and every request the tenant has a part in, oldest request first. Tenants that may no longer call are
    /// left out.
    func links(of client: ClientID) async throws(StorageFault) -> [DomainLink]

    /// Asks another tenant for a link, by the rules of `LinkConsent`.
    /// - Parameter fresh: for a caller that has no domain id yet.
    func requestLink(
        from client: ClientID, to domain: DomainID, scopes: [String], fresh: DomainID, at now: Timestamp
    ) async throws(StorageFault) -> LinkRequestOutcome

    /// Agrees to a request of another tenant, by the rules of `LinkConsent`; agreeing twice keeps the first time.
    func acceptLink(
        from domain: DomainID, to client: ClientID, scopes: [String]?, at now: Timestamp
    ) async throws(StorageFault) -> LinkConsent.AcceptOutcome

    /// Ends a link, or takes a request back. `false`: there is none between these two, or the tenant is neither of them.
    /// - Parameters:
    ///   - from: who asked for it; `nil`: the tenant itself.
    ///   - to: who was asked; `nil`: the tenant itself.
    func removeLink(from: DomainID?, to: DomainID?, by client: ClientID) async throws(StorageFault) -> Bool

    /// The active identities of the same number at linked tenants, by domain. `nil`: the tenant has no such identity.
    func linkedIdentities(_ id: HolderID, of client: ClientID) async throws(StorageFault) -> [LinkedIdentity]?

    /// The attributes of the tenant's identity, and of the active ones of the same number at tenants it has a standing
    /// link to, as far as their names are among the link's scopes; its own first. `nil`: the tenant has no such identity.
    /// - Parameter fresh: for a tenant that has no domain id yet.
    func attributes(
        of id: HolderID, of client: ClientID, fresh: DomainID
    ) async throws(StorageFault) -> [IssuedAttribute]?
}

package enum LinkRequestOutcome: Sendable, Equatable {
    case requested
    case unknownDomain
    case ownDomain
    /// The link stands already, with other scopes.
    case alreadyLinked
    /// The tenant has asked for `DomainLink.Limit.perDomain` already.
    case tooMany
    /// It has asked this one for `DomainLink.Limit.requests` different sets of scopes already.
    case tooManyRequests
}
