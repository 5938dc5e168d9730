package import Engine
package import Possession
internal import Records

/// Due deliveries of an endpoint, and replays of events.
extension WebhookEndpointsTable {
    /// The most pages of deliveries that are read for one answer.
    private static let mostLooks = 25

    /// If the endpoint wants order, deliveries that wait for an earlier one of their session are held back when they
    /// are read, so that the next read skips them.
    package func dueWebhooks(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>
    ) async throws(StorageFault) -> DueWebhooks {
        let (sealing, page) = (sealing, database.limits.rowsPerSweep)
        var (looks, unreadable) = (0, 0)
        while true {
            let found = try await database.read { (connection) throws(StorageFault) in
                try WebhookDeliveriesTable.due(
                    at: endpoint, now: now, limit: limit, besides: besides, page: page, sealing: sealing, connection)
            }
            let isSettled = found.unreadable.isEmpty && found.blocked.isEmpty
            unreadable += found.unreadable.count
            // Other endpoints wait meanwhile: the rest is read later.
            guard !isSettled, looks < Self.mostLooks else {
                return DueWebhooks(
                    found.deliveries, nextAt: isSettled ? found.nextAt : now, unreadable: unreadable)
            }
            looks += 1
            try await database.transaction { (connection) throws(StorageFault) in
                for event in found.unreadable {
                    try WebhookDeliveriesTable.giveUp(event, at: endpoint.id, connection)
                    try WebhookDeliveriesTable.letGo(behind: event, at: endpoint.id, connection)
                }
                try WebhookDeliveriesTable.hold(found.blocked, at: endpoint.id, connection)
            }
        }
    }

    package func replayWebhooks(
        _ what: WebhookReplay, to endpoint: WebhookEndpointID?, of client: ClientID?, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int {
        switch what {
        case .event(let event):
            return try await database.transaction { (connection) throws(StorageFault) in
                try WebhookDeliveriesTable.replay(event, to: endpoint, of: client, at: now, connection)
            }
        case .missed(let since):
            let endpoints = try await webhookEndpoints(of: client).endpoints.map(\.id).filter {
                endpoint == nil || $0 == endpoint
            }
            var count = 0
            for endpoint in endpoints {
                count += try await replayMissed(by: endpoint, since: since, limit: limit - count, at: now)
            }
            return count
        }
    }

    /// Finds the events outside the writer, which then changes one page of them at a time.
    private func replayMissed(
        by endpoint: WebhookEndpointID, since: Timestamp, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int {
        let page = database.limits.rowsPerSweep
        var count = 0
        var last = WebhookEventID(bits: 0)
        while count < limit {
            let (after, most) = (last, min(page, limit - count))
            let missed = try await database.read { (connection) throws(StorageFault) in
                try WebhookDeliveriesTable.missed(
                    by: endpoint, since: since, after: after, limit: most, connection)
            }
            guard let end = missed.last else { break }
            last = end
            count += try await database.transaction { (connection) throws(StorageFault) in
                try WebhookDeliveriesTable.replay(missed, to: endpoint, at: now, connection)
            }
        }
        return count
    }
}
