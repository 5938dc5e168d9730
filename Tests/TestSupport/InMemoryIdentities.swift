internal import Engine
internal import Possession

/// Identities, domains and links of `InMemoryStore`; the rules are those of the ports.
struct InMemoryIdentities {
    struct Row {
        let client: ClientID
        let number: PhoneNumber
        var enrolledAt: Timestamp?
        var isActive = true
        /// A person has proven the number.
        var isProven = false
        var references = Identity.References()
        var attributes: [IdentityAttribute] = []
    }

    struct Link {
        let from: ClientID
        let to: ClientID
        var consent = LinkConsent()
    }

    var rows: [HolderID: Row] = [:]
    var domains: [ClientID: DomainID] = [:]
    var links: [Link] = []

    mutating func findOrAdd(_ number: PhoneNumber, of client: ClientID, fresh: HolderID) -> HolderID {
        if let known = rows.first(where: { $0.value.client == client && $0.value.number == number }) {
            return known.key
        }
        rows[fresh] = Row(client: client, number: number)
        return fresh
    }

    func enrolled(_ id: HolderID, of client: ClientID) -> Row? {
        rows[id].flatMap { $0.client == client && $0.enrolledAt != nil ? $0 : nil }
    }

    func identity(_ id: HolderID, of client: ClientID) -> Identity? {
        guard let row = enrolled(id, of: client), let enrolledAt = row.enrolledAt else { return nil }
        return Identity(
            id: id, number: row.number, isActive: row.isActive, createdAt: enrolledAt, references: row.references)
    }

    mutating func enrol(
        _ enrolment: Enrolment, of client: ClientID, fresh: HolderID, at now: Timestamp
    ) -> EnrolmentOutcome {
        guard let number = number(of: enrolment.subject, for: client) else { return .unknownIdentity }
        let known = rows.first { $0.value.client == client && $0.value.number == number }?.value
        let attributes = (known?.attributes ?? []).merging(enrolment.attributes)
        guard attributes.count <= Identity.Limit.attributes else { return .tooManyAttributes }
        let id = findOrAdd(number, of: client, fresh: fresh)
        guard var row = rows[id] else { return .unknownIdentity }
        row.enrolledAt = row.enrolledAt ?? now
        row.references = row.references.replaced(by: enrolment.references)
        row.attributes = attributes
        rows[id] = row
        return .enrolled(id)
    }

    private func number(of subject: Enrolment.Subject, for client: ClientID) -> PhoneNumber? {
        switch subject {
        case .number(let number): return number
        case .identity(let id, nil): return enrolled(id, of: client)?.number
        case .identity(let id, let domain?):
            guard let owner = domains.first(where: { $0.value == domain })?.key, let row = enrolled(id, of: owner),
                row.isActive, owner == client || areLinked(owner, client),
                rows.values.contains(where: { $0.client == client && $0.number == row.number })
                    || DomainLink.covers(DomainLink.numberScope, scopes(from: client, to: owner))
            else { return nil }
            return row.number
        }
    }

    private func areLinked(_ one: ClientID, _ other: ClientID) -> Bool {
        links.contains {
            $0.consent.requests.contains { $0.state == .standing }
                && ($0.from == one && $0.to == other || $0.from == other && $0.to == one)
        }
    }

    /// Scopes of the standing link that one asked another for.
    func scopes(from: ClientID, to: ClientID) -> [String] {
        links.first { $0.from == from && $0.to == to }?.consent.requests.first { $0.state == .standing }?.scopes ?? []
    }

    mutating func changeConsent<R>(from: ClientID, to: ClientID, _ change: (inout LinkConsent) -> R) -> R {
        if !links.contains(where: { $0.from == from && $0.to == to }) { links.append(Link(from: from, to: to)) }
        let index = links.firstIndex { $0.from == from && $0.to == to } ?? 0
        return change(&links[index].consent)
    }

    mutating func domainID(of client: ClientID, fresh: DomainID) -> DomainID {
        let id = domains[client] ?? fresh
        domains[client] = id
        return id
    }

    /// The active identities of the same number at linked tenants.
    func linked(_ id: HolderID, of client: ClientID) -> [(id: HolderID, row: Row, domain: DomainID)] {
        guard let own = enrolled(id, of: client) else { return [] }
        return rows.compactMap { id, row in
            guard row.number == own.number, row.enrolledAt != nil, row.isActive, areLinked(row.client, client),
                let domain = domains[row.client]
            else { return nil }
            return (id, row, domain)
        }.sorted { $0.domain < $1.domain }
    }
}
