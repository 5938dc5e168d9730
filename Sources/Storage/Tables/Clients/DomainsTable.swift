package import Engine
package import Possession
package import Records

/// Tables `domains` and `domain_links` (migration 0002), and the part of `identities` that the links show to a tenant.
package struct DomainsTable: DomainStore {
    private enum SQL {
        static let find: Statement = "SELECT pcid FROM domains WHERE client_id = ?1"
        static let addDomain: Statement = "INSERT INTO domains (client_id, pcid) VALUES (?1, ?2)"
        static let owner: Statement = """
            SELECT d.client_id FROM domains d
              JOIN tenants t ON t.client_id = d.client_id AND t.revoked_at_ms IS NULL
              WHERE d.pcid = ?1
            """
        static let links: Statement = """
            SELECT d.pcid, coalesce(t.display_name, t.client_id), l.from_client_id <> ?1, l.scopes, l.requested_at_ms,
                   l.accepted_at_ms
              FROM (SELECT * FROM domain_links WHERE from_client_id = ?1 AND state <> 'withdrawn'
                    UNION ALL SELECT * FROM domain_links WHERE to_client_id = ?1 AND state <> 'withdrawn') l
              JOIN tenants t ON t.revoked_at_ms IS NULL
                AND t.client_id = CASE l.from_client_id WHEN ?1 THEN l.to_client_id ELSE l.from_client_id END
              JOIN domains d ON d.client_id = t.client_id
              ORDER BY l.requested_at_ms, d.pcid, l.number
            """
        static let requests: Statement = """
            SELECT number, scopes, state, requested_at_ms, accepted_at_ms FROM domain_links
              WHERE from_client_id = ?1 AND to_client_id = ?2 ORDER BY number
            """
        static let count: Statement = """
            SELECT count(DISTINCT to_client_id) FROM domain_links WHERE from_client_id = ?1 AND state <> 'withdrawn'
            """
        static let insert: Statement = """
            INSERT INTO domain_links
              (from_client_id, to_client_id, number, scopes, state, requested_at_ms, accepted_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        static let remove: Statement = "DELETE FROM domain_links WHERE from_client_id = ?1 AND to_client_id = ?2"
        static let enrolled: Statement = """
            SELECT attributes_sealed FROM identities
              WHERE prove_id = ?1 AND client_id = ?2 AND enrolled_at_ms IS NOT NULL
            """
        /// The active identities of one number at the tenants that are linked with the caller's tenant.
        static let linked: Statement = """
            SELECT i.prove_id, d.pcid, coalesce(t.display_name, t.client_id)
              FROM identities own
              JOIN (SELECT to_client_id AS peer FROM domain_links
                      WHERE from_client_id = ?2 AND accepted_at_ms IS NOT NULL
                    UNION SELECT from_client_id FROM domain_links
                      WHERE to_client_id = ?2 AND accepted_at_ms IS NOT NULL) l ON true
              JOIN identities i ON i.client_id = l.peer AND i.number_index = own.number_index
                AND i.enrolled_at_ms IS NOT NULL AND i.is_active = 1
              JOIN tenants t ON t.client_id = l.peer AND t.revoked_at_ms IS NULL
              JOIN domains d ON d.client_id = l.peer
              WHERE own.prove_id = ?1 AND own.client_id = ?2 AND own.enrolled_at_ms IS NOT NULL
              ORDER BY d.pcid
            """
        /// The identities among them whose tenants agreed to a link that the caller requested, with the agreed scopes.
        static let shown: Statement = """
            SELECT i.prove_id, d.pcid, i.attributes_sealed, l.scopes
              FROM identities own
              JOIN domain_links l ON l.from_client_id = ?2 AND l.state = 'standing'
              JOIN identities i ON i.client_id = l.to_client_id AND i.number_index = own.number_index
                AND i.enrolled_at_ms IS NOT NULL AND i.is_active = 1
              JOIN tenants t ON t.client_id = l.to_client_id AND t.revoked_at_ms IS NULL
              JOIN domains d ON d.client_id = l.to_client_id
              WHERE own.prove_id = ?1 AND own.client_id = ?2 AND own.enrolled_at_ms IS NOT NULL
              ORDER BY d.pcid
            """
    }

    private let database: Database
    private let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Links change rarely: one transaction at a time changes any of them.
    private static let lock = LockName("domain_links")

    // MARK: Domains

    package func domainID(of client: ClientID, fresh: DomainID) async throws(StorageFault) -> DomainID {
        try await database.transaction { (connection) throws(StorageFault) in
            try DomainsTable.findOrAdd(client, fresh: fresh, connection)
        }
    }

    private static func findOrAdd(
        _ client: ClientID, fresh: DomainID, _ connection: any Connection
    ) throws(StorageFault) -> DomainID {
        let found: DomainID? = try connection.first(SQL.find) {
            $0.text(client.text)
        } _: { (row) throws(StorageFault) in
            try row.identifier("domains.pcid")
        }
        if let found { return found }
        try connection.run(SQL.addDomain.claiming) {
            $0.text(client.text)
            $0.identifier(fresh)
        }
        return fresh
    }

    /// The tenant with this domain ID; `nil`: no such tenant, or it may not call.
    private static func owner(_ id: DomainID, _ connection: any Connection) throws(StorageFault) -> ClientID? {
        try connection.first(SQL.owner) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try row.clientID("domains.client_id")
        }
    }

    // MARK: Links

    package func links(of client: ClientID) async throws(StorageFault) -> [DomainLink] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.links) {
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                let id: DomainID = try row.identifier("domains.pcid")
                return DomainLink(
                    other: Domain(id: id, name: try row.text("tenants.display_name")),
                    isFromOther: try row.flag("domain_links.from_client_id"),
                    scopes: DomainsTable.entries(try row.text("domain_links.scopes")),
                    requestedAt: try row.time("domain_links.requested_at_ms"),
                    acceptedAt: try row.optionalTime("domain_links.accepted_at_ms"))
            }
        }
    }

    package func requestLink(
        from client: ClientID, to domain: DomainID, scopes: [String], fresh: DomainID, at now: Timestamp
    ) async throws(StorageFault) -> LinkRequestOutcome {
        guard scopes.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(10) }) else {
            throw .corrupt("domain_links.scopes")
        }
        return try await database.transaction(locking: Self.lock) { (connection) throws(StorageFault) in
            guard let other = try DomainsTable.owner(domain, connection) else { return .unknownDomain }
            guard other != client else { return .ownDomain }
            var consent = try DomainsTable.consent(from: client, to: other, connection)
            let wasSeen = consent.isSeen
            switch consent.ask(scopes, at: now) {
            case .alreadyLinked: return .alreadyLinked
            case .tooMany: return .tooManyRequests
            case .asked: break
            }
            if !wasSeen, try DomainsTable.linkCount(of: client, connection) >= DomainLink.Limit.perDomain {
                return .tooMany
            }
            _ = try DomainsTable.findOrAdd(client, fresh: fresh, connection)
            try DomainsTable.save(consent, from: client, to: other, connection)
            return .requested
        }
    }

    private static func linkCount(of client: ClientID, _ connection: any Connection) throws(StorageFault) -> Int {
        let count = try connection.first(SQL.count) {
            $0.text(client.text)
        } _: { (row) throws(StorageFault) in
            try row.count(0...Int.max, "domain_links.from_client_id")
        }
        return count ?? 0
    }

    package func acceptLink(
        from domain: DomainID, to client: ClientID, scopes: [String]?, at now: Timestamp
    ) async throws(StorageFault) -> LinkConsent.AcceptOutcome {
        try await database.transaction(locking: Self.lock) { (connection) throws(StorageFault) in
            guard let other = try DomainsTable.owner(domain, connection) else { return .unknown }
            let before = try DomainsTable.consent(from: other, to: client, connection)
            var consent = before
            let outcome = consent.accept(scopes, at: now)
            if consent != before { try DomainsTable.save(consent, from: other, to: client, connection) }
            return outcome
        }
    }

    package func removeLink(
        from: DomainID?, to: DomainID?, by client: ClientID
    ) async throws(StorageFault) -> Bool {
        try await database.transaction(locking: Self.lock) { (connection) throws(StorageFault) in
            let ends = try [from, to].map { (end) throws(StorageFault) -> ClientID? in
                guard let end else { return client }
                return try DomainsTable.owner(end, connection)
            }
            guard let asker = ends[0], let asked = ends[1], asker == client || asked == client else { return false }
            var consent = try DomainsTable.consent(from: asker, to: asked, connection)
            guard asker == client ? consent.withdraw() : consent.decline() else { return false }
            try DomainsTable.save(consent, from: asker, to: asked, connection)
            return true
        }
    }

    // MARK: Consent

    private static func consent(
        from: ClientID, to: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> LinkConsent {
        LinkConsent(
            try connection.all(SQL.requests) {
                $0.text(from.text)
                $0.text(to.text)
            } _: { (row) throws(StorageFault) in
                LinkConsent.Request(
                    number: try row.count(1...Int.max - 1, "domain_links.number"),
                    scopes: entries(try row.text("domain_links.scopes")),
                    state: try row.choice("domain_links.state"),
                    requestedAt: try row.time("domain_links.requested_at_ms"),
                    acceptedAt: try row.optionalTime("domain_links.accepted_at_ms"))
            })
    }

    /// Replaces the stored requests of two tenants.
    private static func save(
        _ consent: LinkConsent, from: ClientID, to: ClientID, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.remove) {
            $0.text(from.text)
            $0.text(to.text)
        }
        for request in consent.requests {
            try connection.run(SQL.insert) {
                $0.text(from.text)
                $0.text(to.text)
                $0.integer(request.number)
                $0.text(request.scopes.joined(separator: "\n"))
                $0.text(request.state.rawValue)
                $0.time(request.requestedAt)
                $0.time(request.acceptedAt)
            }
        }
    }

    // MARK: Linked identities

    private struct Enrolled { let sealed: [UInt8]? }

    package func linkedIdentities(
        _ id: HolderID, of client: ClientID
    ) async throws(StorageFault) -> [LinkedIdentity]? {
        try await database.read { (connection) throws(StorageFault) in
            guard try DomainsTable.enrolled(id, of: client, connection) != nil else { return nil }
            return try DomainsTable.linked(id, of: client, connection)
        }
    }

    package func attributes(
        of id: HolderID, of client: ClientID, fresh: DomainID
    ) async throws(StorageFault) -> [IssuedAttribute]? {
        let sealing = sealing
        return try await database.transaction { (connection) throws(StorageFault) in
            guard let own = try DomainsTable.enrolled(id, of: client, connection) else { return nil }
            let domain = try DomainsTable.findOrAdd(client, fresh: fresh, connection)
            var found = try SealedDetails(own.sealed, with: sealing, for: id).attributes.map {
                IssuedAttribute($0, issuer: domain)
            }
            for shown in try DomainsTable.shown(id, of: client, connection) {
                found += try SealedDetails(shown.sealed, with: sealing, for: shown.id).attributes.filter {
                    DomainLink.covers($0.name, shown.scopes)
                }.map { IssuedAttribute($0, issuer: shown.domain) }
            }
            return found
        }
    }

    private static func enrolled(
        _ id: HolderID, of client: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> Enrolled? {
        try connection.first(SQL.enrolled) {
            $0.identifier(id)
            $0.text(client.text)
        } _: { (row) throws(StorageFault) in
            Enrolled(sealed: try row.optionalBlob("identities.attributes_sealed"))
        }
    }

    private static func linked(
        _ id: HolderID, of client: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> [LinkedIdentity] {
        try connection.all(SQL.linked) {
            $0.identifier(id)
            $0.text(client.text)
        } _: { (row) throws(StorageFault) in
            let id: HolderID = try row.identifier("identities.prove_id")
            let domain: DomainID = try row.identifier("domains.pcid")
            return LinkedIdentity(id: id, domain: Domain(id: domain, name: try row.text("tenants.display_name")))
        }
    }

    private typealias Shown = (id: HolderID, domain: DomainID, sealed: [UInt8]?, scopes: [String])

    private static func shown(
        _ id: HolderID, of client: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> [Shown] {
        try connection.all(SQL.shown) {
            $0.identifier(id)
            $0.text(client.text)
        } _: { (row) throws(StorageFault) in
            let id: HolderID = try row.identifier("identities.prove_id")
            let domain: DomainID = try row.identifier("domains.pcid")
            let sealed = try row.optionalBlob("identities.attributes_sealed")
            return (id, domain, sealed, entries(try row.text("domain_links.scopes")))
        }
    }

    /// The scopes of a stored list, one per line.
    static func entries(_ lines: String) -> [String] {
        lines.utf8.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }
}
