package import Possession

/// Links between tenants, and the linked identities that each may see.
package struct Domains: Sendable {
    private let store: any DomainStore
    private let crypto: Engine.Cryptography
    private let now: Now

    package init(_ engine: Engine) {
        store = engine.stores.clients.domains
        crypto = engine.crypto
        now = engine.now
    }

    /// - Throws: `.overloaded`, `.internalFault`.
    package func domain(of tenant: Tenant) async throws(PlatformRefusal) -> Domain {
        do {
            let id = try await store.domainID(of: tenant.id, fresh: try crypto.fresh(DomainID.self, at: now()))
            return Domain(id: id, name: tenant.domainName)
        } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// - Throws: `.overloaded`, `.internalFault`.
    package func links(of tenant: Tenant) async throws(PlatformRefusal) -> [DomainLink] {
        do { return try await store.links(of: tenant.id) } catch { throw PlatformRefusal(fault: error) }
    }

    /// Requests a link from another tenant. Other scopes make a separate request beside pending ones. An accepted link
    /// keeps its scopes until either side ends it.
    /// - Throws: `.invalidField`, `.stepNotAllowed`, `.notFound`, `.overloaded`, `.internalFault`.
    package func requestLink(
        to domain: DomainID, scopes: [String], for tenant: Tenant
    ) async throws(PlatformRefusal) {
        let now = now()
        let outcome: LinkRequestOutcome
        do {
            outcome = try await store.requestLink(
                from: tenant.id, to: domain, scopes: scopes, fresh: try crypto.fresh(DomainID.self, at: now), at: now)
        } catch {
            throw PlatformRefusal(fault: error)
        }
        switch outcome {
        case .requested: return
        case .unknownDomain: throw .notFound(what: "domain")
        case .ownDomain: throw .invalidField(.domain, reason: "is the caller's own")
        case .alreadyLinked: throw .stepNotAllowed
        case .tooMany:
            throw .invalidField(.domain, reason: "would be one of more than \(DomainLink.Limit.perDomain) links")
        case .tooManyRequests:
            throw .invalidField(
                .scopes, reason: "would be one of more than \(DomainLink.Limit.requests) requests to this domain")
        }
    }

    /// Accepts the request with these scopes; `nil`: the only request.
    /// - Throws: `.invalidField`, `.notFound`, `.overloaded`, `.internalFault`.
    package func acceptLink(
        from domain: DomainID, scopes: [String]?, for tenant: Tenant
    ) async throws(PlatformRefusal) {
        let outcome: LinkConsent.AcceptOutcome
        do {
            outcome = try await store.acceptLink(from: domain, to: tenant.id, scopes: scopes, at: now())
        } catch {
            throw PlatformRefusal(fault: error)
        }
        switch outcome {
        case .accepted: return
        case .unknown: throw .notFound(what: "link request")
        case .scopesNeeded:
            throw .invalidField(.scopes, reason: "is missing; a request was taken back since, so name what is meant")
        }
    }

    /// Ends a link, or withdraws or declines a request; either side may. A side that is `nil` is the caller.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func removeLink(
        from: DomainID?, to: DomainID?, for tenant: Tenant
    ) async throws(PlatformRefusal) {
        let found: Bool
        do { found = try await store.removeLink(from: from, to: to, by: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard found else { throw .notFound(what: "link") }
    }

    // MARK: Linked data

    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func linkedIdentities(
        _ id: HolderID, for tenant: Tenant
    ) async throws(PlatformRefusal) -> [LinkedIdentity] {
        let found: [LinkedIdentity]?
        do { found = try await store.linkedIdentities(id, of: tenant.id) } catch { throw PlatformRefusal(fault: error) }
        guard let found else { throw .notFound(what: "identity") }
        return found
    }

    /// The attributes of an identity: the tenant's own, and those of other tenants in the scopes of links that it
    /// requested; all of them, or those with one name.
    /// - Throws: `.notFound` if the identity or the named attribute does not exist; `.overloaded`, `.internalFault`.
    package func attributes(
        _ id: HolderID, named name: String? = nil, for tenant: Tenant
    ) async throws(PlatformRefusal) -> [IssuedAttribute] {
        let found: [IssuedAttribute]?
        do {
            found = try await store.attributes(
                of: id, of: tenant.id, fresh: try crypto.fresh(DomainID.self, at: now()))
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let found else { throw .notFound(what: "identity") }
        guard let name else { return found }
        let named = found.filter { $0.attribute.name.utf8.elementsEqual(name.utf8) }
        guard !named.isEmpty else { throw .notFound(what: "attribute") }
        return named
    }
}
