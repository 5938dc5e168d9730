package import Possession

extension InMemoryStore: IdentityStore {
    package func number(of id: ProveID, of client: ClientID) async throws(StorageFault) -> PhoneNumber? {
        try withContent { content in
            content.identities.rows[id].flatMap { $0.client == client ? $0.number : nil }
        }
    }

    package func enrol(
        _ enrolments: [Enrolment], of client: ClientID, fresh: [ProveID], at now: Timestamp
    ) async throws(StorageFault) -> [EnrolmentOutcome] {
        try withContent { (content) throws(StorageFault) -> [EnrolmentOutcome] in
            if let planned = content.enrolmentFault {
                guard planned.callsBefore > 0 else { throw planned.fault }
                content.enrolmentFault?.callsBefore -= 1
            }
            return zip(enrolments, fresh).map { content.identities.enrol($0, of: client, fresh: $1, at: now) }
        }
    }

    package func identity(_ id: ProveID, of client: ClientID) async throws(StorageFault) -> Identity? {
        try withContent { content in content.identities.identity(id, of: client) }
    }

    package func identity(_ number: PhoneNumber, of client: ClientID) async throws(StorageFault) -> Identity? {
        try withContent { content in
            content.identities.rows.first { $0.value.client == client && $0.value.number == number }.flatMap {
                content.identities.identity($0.key, of: client)
            }
        }
    }

    package func identities(
        of client: ClientID, after: ProveID?, limit: Int, includingInactive: Bool
    ) async throws(StorageFault) -> [ProveID] {
        try withContent { content in
            let found = content.identities.rows.filter { id, row in
                row.client == client && row.enrolledAt != nil && (row.isActive || includingInactive)
                    && after.map { id > $0 } ?? true
            }
            return Array(found.keys.sorted().prefix(limit))
        }
    }

    package func setActive(_ isActive: Bool, _ id: ProveID, of client: ClientID) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard content.identities.enrolled(id, of: client) != nil else { return false }
            content.identities.rows[id]?.isActive = isActive
            return true
        }
    }
}

extension InMemoryStore: DomainStore {
    package func domainID(of client: ClientID, fresh: DomainID) async throws(StorageFault) -> DomainID {
        try withContent { content in content.identities.domainID(of: client, fresh: fresh) }
    }

    package func links(of client: ClientID) async throws(StorageFault) -> [DomainLink] {
        try withContent { content in
            content.identities.links.compactMap { link in
                guard [link.from, link.to].contains(client) else { return nil }
                let other = link.from == client ? link.to : link.from
                return Self.domain(of: other, content).map {
                    DomainLink(
                        other: $0, isFromOther: link.from == other, scopes: link.scopes, requestedAt: link.requestedAt,
                        acceptedAt: link.acceptedAt)
                }
            }
        }
    }

    package func requestLink(
        from client: ClientID, to domain: DomainID, scopes: [String], fresh: DomainID, at now: Timestamp
    ) async throws(StorageFault) -> LinkRequestOutcome {
        try withContent { content in
            guard let other = Self.owner(of: domain, content) else { return .unknownDomain }
            guard other != client else { return .ownDomain }
            if let index = content.identities.links.firstIndex(where: { $0.from == client && $0.to == other }) {
                let link = content.identities.links[index]
                guard link.acceptedAt == nil else { return link.scopes == scopes ? .requested : .alreadyLinked }
                content.identities.links[index].scopes = scopes
                return .requested
            }
            let count = content.identities.links.count { $0.from == client }
            guard count < DomainLink.Limit.perDomain else { return .tooMany }
            _ = content.identities.domainID(of: client, fresh: fresh)
            content.identities.links.append(
                .init(from: client, to: other, scopes: scopes, requestedAt: now, acceptedAt: nil))
            return .requested
        }
    }

    package func acceptLink(
        from domain: DomainID, to client: ClientID, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard let other = Self.owner(of: domain, content),
                let index = content.identities.links.firstIndex(where: { $0.from == other && $0.to == client })
            else { return false }
            content.identities.links[index].acceptedAt = content.identities.links[index].acceptedAt ?? now
            return true
        }
    }

    package func removeLink(from: DomainID?, to: DomainID?, by client: ClientID) async throws(StorageFault) -> Bool {
        try withContent { content in
            let asker = from.map { Self.owner(of: $0, content) } ?? client
            let asked = to.map { Self.owner(of: $0, content) } ?? client
            guard let asker, let asked, [asker, asked].contains(client),
                let index = content.identities.links.firstIndex(where: { $0.from == asker && $0.to == asked })
            else { return false }
            content.identities.links.remove(at: index)
            return true
        }
    }

    package func linkedIdentities(
        _ id: ProveID, of client: ClientID
    ) async throws(StorageFault) -> [LinkedIdentity]? {
        try withContent { content in
            guard content.identities.enrolled(id, of: client) != nil else { return nil }
            return content.identities.linked(id, of: client).compactMap { linked in
                Self.domain(of: linked.row.client, content).map { LinkedIdentity(id: linked.id, domain: $0) }
            }
        }
    }

    package func attributes(
        of id: ProveID, of client: ClientID, fresh: DomainID
    ) async throws(StorageFault) -> [IssuedAttribute]? {
        try withContent { content in
            guard let own = content.identities.enrolled(id, of: client) else { return nil }
            let domain = content.identities.domainID(of: client, fresh: fresh)
            let linked = content.identities.linked(id, of: client).filter {
                content.tenants[$0.row.client]?.revokedAt == nil
            }
            return own.attributes.map { IssuedAttribute($0, issuer: domain) }
                + linked.flatMap { linked in linked.row.attributes.map { IssuedAttribute($0, issuer: linked.domain) } }
        }
    }

    private static func owner(of domain: DomainID, _ content: Content) -> ClientID? {
        content.identities.domains.first { $0.value == domain && content.tenants[$0.key]?.revokedAt == nil }?.key
    }

    private static func domain(of client: ClientID, _ content: Content) -> Domain? {
        guard let tenant = content.tenants[client], tenant.revokedAt == nil,
            let id = content.identities.domains[client]
        else { return nil }
        return Domain(id: id, name: tenant.domainName)
    }
}
