package import Engine
package import Possession

extension InMemoryStore: IdentityStore {
    package func number(of id: HolderID, of client: ClientID) async throws(StorageFault) -> PhoneNumber? {
        try withContent { content in
            content.identities.rows[id].flatMap { $0.client == client ? $0.number : nil }
        }
    }

    package func enrol(
        _ enrolments: [Enrolment], of client: ClientID, fresh: [HolderID], telling teller: WebhookEventFactory?,
        at now: Timestamp
    ) async throws(StorageFault) -> [EnrolmentOutcome] {
        try withContent { (content) throws(StorageFault) -> [EnrolmentOutcome] in
            if let planned = content.enrolmentFault {
                guard planned.callsBefore > 0 else { throw planned.fault }
                content.enrolmentFault?.callsBefore -= 1
            }
            var news: [WebhookNews] = []
            let outcomes = zip(enrolments, fresh).map { enrolment, fresh in
                let before = content.identities.rows
                let outcome = content.identities.enrol(enrolment, of: client, fresh: fresh, at: now)
                guard case .enrolled(let id) = outcome, let row = content.identities.rows[id] else { return outcome }
                guard let known = before[id], known.enrolledAt != nil else {
                    news.append(.identity(.identityEnrolled, id, number: row.number, at: now))
                    return outcome
                }
                var changes: [String] = []
                if known.references != row.references { changes.append("references") }
                if known.attributes != row.attributes { changes.append("attributes") }
                if !changes.isEmpty {
                    news.append(.identity(.identityChanged, id, number: row.number, changes: changes, at: now))
                }
                return outcome
            }
            if let teller { content.webhooks.add(teller.events(news)) }
            return outcomes
        }
    }

    package func identity(_ id: HolderID, of client: ClientID) async throws(StorageFault) -> Identity? {
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
        of client: ClientID, after: HolderID?, limit: Int, includingInactive: Bool
    ) async throws(StorageFault) -> [HolderID] {
        try withContent { content in
            let found = content.identities.rows.filter { id, row in
                row.client == client && row.enrolledAt != nil && (row.isActive || includingInactive)
                    && after.map { id > $0 } ?? true
            }
            return Array(found.keys.sorted().prefix(limit))
        }
    }

    package func setActive(
        _ isActive: Bool, _ id: HolderID, of client: ClientID, telling teller: WebhookEventFactory?
    ) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard let row = content.identities.enrolled(id, of: client) else { return false }
            if row.isActive != isActive, let teller {
                let news = WebhookNews.identity(.identityChanged, id, changes: ["active"], at: teller.now)
                content.webhooks.add(teller.events([news]))
            }
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
            content.identities.links.flatMap { link -> [DomainLink] in
                guard [link.from, link.to].contains(client) else { return [] }
                let other = link.from == client ? link.to : link.from
                guard let domain = Self.domain(of: other, content) else { return [] }
                return link.consent.requests.filter { $0.state != .withdrawn }.map {
                    DomainLink(
                        other: domain, isFromOther: link.from == other, scopes: $0.scopes, requestedAt: $0.requestedAt,
                        acceptedAt: $0.acceptedAt)
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
            let count = content.identities.links.count { $0.from == client && $0.to != other && $0.consent.isSeen }
            guard count < DomainLink.Limit.perDomain else { return .tooMany }
            _ = content.identities.domainID(of: client, fresh: fresh)
            return content.identities.changeConsent(from: client, to: other) { consent in
                switch consent.ask(scopes, at: now) {
                case .asked: .requested
                case .alreadyLinked: .alreadyLinked
                case .tooMany: .tooManyRequests
                }
            }
        }
    }

    package func acceptLink(
        from domain: DomainID, to client: ClientID, scopes: [String]?, at now: Timestamp
    ) async throws(StorageFault) -> LinkConsent.AcceptOutcome {
        try withContent { content in
            guard let other = Self.owner(of: domain, content) else { return .unknown }
            return content.identities.changeConsent(from: other, to: client) { $0.accept(scopes, at: now) }
        }
    }

    package func removeLink(from: DomainID?, to: DomainID?, by client: ClientID) async throws(StorageFault) -> Bool {
        try withContent { content in
            let asker = from.map { Self.owner(of: $0, content) } ?? client
            let asked = to.map { Self.owner(of: $0, content) } ?? client
            guard let asker, let asked, [asker, asked].contains(client) else { return false }
            return content.identities.changeConsent(from: asker, to: asked) {
                asker == client ? $0.withdraw() : $0.decline()
            }
        }
    }

    package func linkedIdentities(
        _ id: HolderID, of client: ClientID
    ) async throws(StorageFault) -> [LinkedIdentity]? {
        try withContent { content in
            guard content.identities.enrolled(id, of: client) != nil else { return nil }
            return content.identities.linked(id, of: client).compactMap { linked in
                Self.domain(of: linked.row.client, content).map { LinkedIdentity(id: linked.id, domain: $0) }
            }
        }
    }

    package func attributes(
        of id: HolderID, of client: ClientID, fresh: DomainID
    ) async throws(StorageFault) -> [IssuedAttribute]? {
        try withContent { content in
            guard let own = content.identities.enrolled(id, of: client) else { return nil }
            let domain = content.identities.domainID(of: client, fresh: fresh)
            let linked = content.identities.linked(id, of: client).filter {
                content.tenants[$0.row.client]?.revokedAt == nil
            }
            let identities = content.identities
            return own.attributes.map { IssuedAttribute($0, issuer: domain) }
                + linked.flatMap { linked in
                    let scopes = identities.scopes(from: client, to: linked.row.client)
                    return linked.row.attributes.filter { DomainLink.covers($0.name, scopes) }
                        .map { IssuedAttribute($0, issuer: linked.domain) }
                }
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

extension InMemoryStore.Content {
    func knows(_ number: PhoneNumber?, _ client: ClientID) -> Bool {
        identities.rows.values.contains { $0.client == client && $0.number == number && $0.isProven }
    }
}
