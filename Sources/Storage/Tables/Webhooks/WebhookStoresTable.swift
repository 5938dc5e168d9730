internal import Engine
internal import Possession

/// Table `webhook_stores` (migration 0023): how much webhook data is stored for each tenant, and the removal of the
/// oldest when that is too much. Triggers keep the count for every added or removed row.
enum WebhookStoresTable {
    private enum SQL {
        static let bytes: Statement = "SELECT bytes FROM webhook_stores WHERE client_id = ?1"
        /// The oldest event at any failing endpoint of the tenant, regardless of its delivery state.
        static let oldestAtFailing: Statement = """
            SELECT (SELECT d.event_id FROM webhook_deliveries d WHERE d.endpoint_id = p.endpoint_id
                      ORDER BY d.event_id LIMIT 1) AS first_id
              FROM webhook_endpoints p
              WHERE p.client_id = ?1 AND (p.failures >= ?2 OR p.stop IN ('failing', 'gone'))
              ORDER BY first_id NULLS LAST LIMIT 1
            """
        static let oldest: Statement = """
            SELECT event_id FROM webhook_events WHERE client_id = ?1 ORDER BY event_id LIMIT 1
            """
        static let session: Statement = "SELECT correlation_id FROM webhook_events WHERE event_id = ?1"
        static let removeAtFailing: Statement = """
            DELETE FROM webhook_deliveries WHERE event_id = ?1 AND endpoint_id IN
              (SELECT endpoint_id FROM webhook_endpoints
                 WHERE client_id = ?2 AND (failures >= ?3 OR stop IN ('failing', 'gone')))
              RETURNING endpoint_id, state
            """
        static let removeEverywhere: Statement = """
            DELETE FROM webhook_deliveries WHERE event_id = ?1 RETURNING endpoint_id, state
            """
        static let note: Statement = "UPDATE webhook_stores SET removed = removed + ?2 WHERE client_id = ?1"
        static let noted: Statement =
            "SELECT client_id, removed FROM webhook_stores WHERE removed > 0 ORDER BY client_id"
        static let forget: Statement = "UPDATE webhook_stores SET removed = removed - ?2 WHERE client_id = ?1"
    }

    /// Events that a transaction may remove in addition to two for each that it stores, so that a store far over its
    /// limit shrinks with each transaction.
    private static let leastRemoved = 16

    /// Removes the oldest events of a tenant until its stored data is within the limit: first those of its failing
    /// endpoints, then the oldest of all. An event that waits for a healthy endpoint stays for that endpoint in the
    /// first step. Called in the transaction that has stored `new` events; removes not many more than that.
    static func makeRoom(for client: ClientID, after new: Int, _ connection: any Connection) throws(StorageFault) {
        let most = connection.limits.webhookBytesPerClient
        guard try bytes(of: client, connection) > most else { return }
        var lost = 0
        for _ in 0..<(leastRemoved + 2 * new) {
            if let event = try oldest(of: client, atFailing: true, connection) {
                lost += try remove(event, of: client, everywhere: false, connection)
            } else if let event = try oldest(of: client, atFailing: false, connection) {
                lost += try remove(event, of: client, everywhere: true, connection)
            } else {
                break
            }
            if try bytes(of: client, connection) <= most { break }
        }
        guard lost > 0 else { return }
        try connection.run(SQL.note) {
            $0.text(client.text)
            $0.integer(lost)
        }
    }

    /// Bytes of webhook data stored for a tenant.
    static func bytes(of client: ClientID, _ connection: any Connection) throws(StorageFault) -> Int {
        try connection.first(SQL.bytes) {
            $0.text(client.text)
        } _: { (row) throws(StorageFault) in
            Int(try row.integer("webhook_stores.bytes"))
        } ?? 0
    }

    private static func oldest(
        of client: ClientID, atFailing failing: Bool, _ connection: any Connection
    ) throws(StorageFault) -> WebhookEventID? {
        try connection.first(failing ? SQL.oldestAtFailing : SQL.oldest) {
            $0.text(client.text)
            if failing { $0.integer(WebhookRules.failuresOfFailing) }
        } _: { (row) throws(StorageFault) in
            try row.optionalIdentifier("webhook_events.event_id")
        } ?? nil
    }

    /// Removes an event's deliveries at failing endpoints, and the event itself unless another endpoint waits for it.
    /// - Parameter everywhere: at all endpoints.
    /// - Returns: how many pending deliveries were removed.
    private static func remove(
        _ event: WebhookEventID, of client: ClientID, everywhere: Bool, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        let removed = try connection.all(everywhere ? SQL.removeEverywhere : SQL.removeAtFailing) {
            $0.identifier(event)
            if !everywhere {
                $0.text(client.text)
                $0.integer(WebhookRules.failuresOfFailing)
            }
        } _: { (row) throws(StorageFault) -> (WebhookEndpointID, WebhookDelivery.State) in
            (try row.identifier("webhook_deliveries.endpoint_id"), try row.choice("webhook_deliveries.state"))
        }
        let waited = removed.filter { $0.1 == .pending }.map(\.0)
        let session: CorrelationID? =
            waited.isEmpty
            ? nil
            : try connection.first(SQL.session) {
                $0.identifier(event)
            } _: { (row) throws(StorageFault) in
                try row.optionalIdentifier("webhook_events.correlation_id")
            } ?? nil
        try WebhookEventsTable.removeIfNobodyWaits(for: event, connection)
        if let session {
            for endpoint in waited { try WebhookDeliveriesTable.letGo(of: session, at: endpoint, connection) }
        }
        return waited.count
    }

    // MARK: Lost deliveries

    /// Tenants that have lost deliveries since `forgetLost`, with their number.
    static func lost(_ connection: any Connection) throws(StorageFault) -> [ClientID: Int] {
        let rows = try connection.all(SQL.noted.locking) { (row) throws(StorageFault) in
            (try row.clientID("webhook_stores.client_id"), Int(try row.integer("webhook_stores.removed")))
        }
        return Dictionary(rows) { first, _ in first }
    }

    static func forgetLost(_ lost: [ClientID: Int], _ connection: any Connection) throws(StorageFault) {
        for (client, count) in lost {
            try connection.run(SQL.forget) {
                $0.text(client.text)
                $0.integer(count)
            }
        }
    }
}
