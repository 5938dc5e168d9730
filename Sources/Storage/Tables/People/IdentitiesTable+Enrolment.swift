package import Engine
package import Possession
internal import Records

/// Enrolment, which reads and writes one identity after the other in one transaction.
extension IdentitiesTable {
    private enum SQL {
        static let known: Statement = """
            SELECT prove_id, attributes_sealed, enrolled_at_ms IS NOT NULL
              FROM identities WHERE client_id = ?1 AND number_index = ?2
            """
        static let enrol: Statement = """
            UPDATE identities
              SET enrolled_at_ms = coalesce(enrolled_at_ms, ?2), attributes_sealed = ?3
              WHERE prove_id = ?1
            """
        static let ownNumber: Statement = """
            SELECT prove_id, number_sealed FROM identities
              WHERE prove_id = ?1 AND client_id = ?2 AND enrolled_at_ms IS NOT NULL
            """
        /// An active identity of the tenant that owns this domain, if it is linked with the caller; whether the caller
        /// already knows its number; and the scopes of the link that the caller requested.
        static let linkedNumber: Statement = """
            SELECT i.prove_id, i.number_sealed,
                   EXISTS (SELECT 1 FROM identities own
                             WHERE own.client_id = ?2 AND own.number_index = i.number_index),
                   (SELECT scopes FROM domain_links
                      WHERE from_client_id = ?2 AND to_client_id = d.client_id AND state = 'standing')
              FROM domains d
              JOIN tenants t ON t.client_id = d.client_id AND t.revoked_at_ms IS NULL
              JOIN identities i ON i.client_id = d.client_id AND i.prove_id = ?1
              WHERE d.pcid = ?3 AND i.enrolled_at_ms IS NOT NULL AND i.is_active = 1
                AND (d.client_id = ?2
                     OR EXISTS (SELECT 1 FROM domain_links l
                                  WHERE l.accepted_at_ms IS NOT NULL
                                    AND ((l.from_client_id = ?2 AND l.to_client_id = d.client_id)
                                         OR (l.from_client_id = d.client_id AND l.to_client_id = ?2))))
            """
    }

    package func enrol(
        _ enrolments: [Enrolment], of client: ClientID, fresh: [HolderID], telling teller: WebhookEventFactory?,
        at now: Timestamp
    ) async throws(StorageFault) -> [EnrolmentOutcome] {
        precondition(enrolments.count == fresh.count, "every enrolment has an id to use")
        let sealing = sealing
        // Two batches could lock the same identities in opposite order.
        let name = enrolments.count > 1 ? LockName("enrolments", of: client) : nil
        return try await database.transaction(isLong: enrolments.count > 1, locking: name) {
            (connection) throws(StorageFault) in
            var outcomes: [EnrolmentOutcome] = []
            var news: [WebhookNews] = []
            for (enrolment, fresh) in zip(enrolments, fresh) {
                let turn = Turn(client: client, now: now, sealing: sealing, connection: connection)
                outcomes.append(try turn.enrol(enrolment, fresh: fresh, &news))
            }
            if let teller { try WebhookEventsTable.add(teller.events(news), sealing: sealing, connection) }
            return outcomes
        }
    }

    private struct Turn {
        let client: ClientID
        let now: Timestamp
        let sealing: Sealing
        let connection: any Connection

        func enrol(
            _ enrolment: Enrolment, fresh: HolderID, _ news: inout [WebhookNews]
        ) throws(StorageFault) -> EnrolmentOutcome {
            guard let number = try number(of: enrolment.subject) else { return .unknownIdentity }
            let index = sealing.blindIndex(number)
            let (stored, known, isEnrolled) = try known(index)
            let attributes = known.attributes.merging(enrolment.attributes)
            // Checked before any write: a refused item must not leave a row.
            guard attributes.count <= Identity.Limit.attributes else { return .tooManyAttributes }
            let id = stored ?? fresh
            if stored == nil {
                try IdentitiesTable.add(id, number, index, of: client, isProven: false, sealing: sealing, connection)
            }
            var details = SealedDetails()
            details.references = known.references.replaced(by: enrolment.references)
            details.attributes = attributes
            let sealed = try details.sealed(with: sealing, for: id)
            try connection.run(SQL.enrol) {
                $0.identifier(id)
                $0.time(now)
                $0.blob(sealed)
            }
            if !isEnrolled {
                news.append(.identity(.identityEnrolled, id, number: number, at: now))
            } else if let changes = details.changes(since: known) {
                news.append(.identity(.identityChanged, id, number: number, changes: changes, at: now))
            }
            return .enrolled(id)
        }

        private func known(
            _ index: [UInt8]
        ) throws(StorageFault) -> (id: HolderID?, SealedDetails, isEnrolled: Bool) {
            try connection.first(SQL.known.locking) {
                $0.text(client.text)
                $0.blob(index)
            } _: { (row) throws(StorageFault) in
                let id: HolderID = try row.identifier("identities.prove_id")
                let details = try SealedDetails(
                    try row.optionalBlob("identities.attributes_sealed"), with: sealing, for: id)
                return (id: id, details, isEnrolled: try row.flag("identities.enrolled_at_ms"))
            } ?? (id: nil, SealedDetails(), isEnrolled: false)
        }

        private func number(of subject: Enrolment.Subject) throws(StorageFault) -> PhoneNumber? {
            switch subject {
            case .number(let number):
                number
            case .identity(let id, at: nil):
                try connection.first(SQL.ownNumber) {
                    $0.identifier(id)
                    $0.text(client.text)
                } _: { (row) throws(StorageFault) in
                    try IdentitiesTable.number(&row, sealing)
                }
            case .identity(let id, let domain?):
                try connection.first(SQL.linkedNumber) {
                    $0.identifier(id)
                    $0.text(client.text)
                    $0.identifier(domain)
                } _: { (row) throws(StorageFault) -> PhoneNumber? in
                    let number = try IdentitiesTable.number(&row, sealing)
                    let isKnown = try row.flag("identities.number_index")
                    let scopes = try row.optionalText("domain_links.scopes").map(DomainsTable.entries) ?? []
                    return isKnown || DomainLink.covers(DomainLink.numberScope, scopes) ? number : nil
                } ?? nil
            }
        }
    }
}

extension SealedDetails {
    /// Names of the changed parts; `nil`: none.
    fileprivate func changes(since before: SealedDetails) -> [String]? {
        var changes: [String] = []
        if references != before.references { changes.append("references") }
        if attributes != before.attributes { changes.append("attributes") }
        return changes.isEmpty ? nil : changes
    }
}
