internal import Locks
package import Engine
package import Possession
package import Records

/// Table `webhook_endpoints` (migration 0010), and access to the deliveries and events of its endpoints.
package final class WebhookEndpointsTable: WebhookStore {
    private enum SQL {
        static let all: Statement = """
            SELECT endpoint_id, client_id, endpoint_sealed, created_at_ms, stop, stopped_at_ms, failing_since_ms, failures
              FROM webhook_endpoints ORDER BY endpoint_id
            """
        static let ofClient: Statement = """
            SELECT endpoint_id, client_id, endpoint_sealed, created_at_ms, stop, stopped_at_ms, failing_since_ms, failures
              FROM webhook_endpoints WHERE client_id = ?1 ORDER BY endpoint_id
            """
        static let find: Statement = """
            SELECT endpoint_id, client_id, endpoint_sealed, created_at_ms, stop, stopped_at_ms, failing_since_ms, failures
              FROM webhook_endpoints WHERE endpoint_id = ?1
            """
        static let count: Statement = "SELECT count(*) FROM webhook_endpoints WHERE client_id = ?1"
        static let save: Statement = """
            INSERT INTO webhook_endpoints
              (endpoint_id, client_id, endpoint_sealed, created_at_ms, stop, stopped_at_ms, failing_since_ms, failures)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
              ON CONFLICT (endpoint_id) DO UPDATE SET
                endpoint_sealed = excluded.endpoint_sealed, stop = excluded.stop,
                stopped_at_ms = excluded.stopped_at_ms, failing_since_ms = excluded.failing_since_ms,
                failures = excluded.failures
            """
        /// Does not open the sealed columns, so that a damaged endpoint can be removed too.
        static let stop: Statement = """
            UPDATE webhook_endpoints
              SET stop = coalesce(stop, 'by_hand'), stopped_at_ms = coalesce(stopped_at_ms, ?3)
              WHERE endpoint_id = ?1 AND (?2 IS NULL OR client_id = ?2)
              RETURNING client_id
            """
        static let remove: Statement = """
            DELETE FROM webhook_endpoints WHERE endpoint_id = ?1 AND (?2 IS NULL OR client_id = ?2)
            """
    }

    let database: Database
    let sealing: Sealing
    /// The active endpoints of each tenant that has one: changes of sessions read them within their transaction. Each
    /// change of an endpoint reads its tenant's endpoints again.
    private let known = Locked(Known())
    private struct Known {
        var subscriptions: [ClientID: [WebhookSubscription]] = [:]
        var ofServer = ServerSubscriptions()
        var reads = 0
        /// Number of the read that filled the cache for all tenants, and of a later read for single tenants.
        var lastFullRead = 0
        var lastReadOf: [ClientID: Int] = [:]
        /// Tenants with a stored change that could not be read yet.
        var behind: Set<ClientID> = []
        var damaged: Set<WebhookEndpointID> = []
        /// Endpoints that want a session's events in order. An endpoint never changes this.
        var inOrder: Set<WebhookEndpointID> = []

        mutating func beginRead() -> Int {
            reads += 1
            return reads
        }

        /// Stores the result of reading one tenant's endpoints, unless a later read has already stored its own.
        mutating func learn(_ found: WebhookEndpointList, of client: ClientID, read: Int) {
            guard read > max(self.lastFullRead, lastReadOf[client] ?? 0) else { return }
            lastReadOf[client] = read
            behind.remove(client)
            let active = found.endpoints.filter(\.isActive).map(WebhookSubscription.init)
            subscriptions[client] = active.isEmpty ? nil : active
            let ofServer = active.filter(\.seesServer)
            self.ofServer[client] = ofServer.isEmpty ? nil : ofServer
            inOrder.formUnion(found.endpoints.filter { $0.ordering == .session }.map(\.id))
        }
    }

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    // MARK: Subscriptions

    package var hasSubscriptions: Bool { known.withLock { !$0.subscriptions.isEmpty } }

    package func subscriptions(of client: ClientID) -> [WebhookSubscription] {
        known.withLock { $0.subscriptions[client] ?? [] }
    }

    package var serverSubscriptions: ServerSubscriptions { known.withLock { $0.ofServer } }

    /// Endpoints that cannot be read, and therefore get no events.
    package var damagedEndpoints: Int { known.withLock { $0.damaged.count } }

    private func isInOrder(_ endpoint: WebhookEndpointID) -> Bool {
        known.withLock { $0.inOrder.contains(endpoint) }
    }

    /// Reads all subscriptions, at the start and when another server has changed some. A damaged endpoint does not
    /// affect the others.
    package func learn() async throws(StorageFault) {
        let read = known.withLock { $0.beginRead() }
        let found = try await webhookEndpoints(of: nil)
        let ofClients = Dictionary(grouping: found.endpoints, by: \.clientID)
        known.withLock { known in
            for client in Set(ofClients.keys).union(known.subscriptions.keys) {
                known.learn(WebhookEndpointList(ofClients[client] ?? []), of: client, read: read)
            }
            known.damaged = Set(found.damaged)
            known.lastFullRead = max(known.lastFullRead, read)
            known.lastReadOf = known.lastReadOf.filter { $0.value > read }
        }
    }

    /// Reads one tenant's subscriptions, after a change of its endpoints.
    private func learn(_ client: ClientID) async throws(StorageFault) {
        let read = known.withLock { $0.beginRead() }
        let found = try await webhookEndpoints(of: client)
        known.withLock { $0.learn(found, of: client, read: read) }
    }

    /// A durable change is valid even if it cannot be read back now.
    private func learnOfChange(_ client: ClientID) async {
        do { try await learn(client) } catch { known.withLock { _ = $0.behind.insert(client) } }
    }

    // MARK: Endpoints

    package func webhookEndpoints(of client: ClientID?) async throws(StorageFault) -> WebhookEndpointList {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            var list = WebhookEndpointList()
            let rows = try connection.all(client == nil ? SQL.all : SQL.ofClient) {
                if let client { $0.text(client.text) }
            } _: { (row) throws(StorageFault) -> (WebhookEndpointID, WebhookEndpoint?) in
                let id: WebhookEndpointID = try row.identifier("webhook_endpoints.endpoint_id")
                do throws(StorageFault) { return (id, try Self.decode(id, &row, sealing)) } catch {
                    guard case .corrupt = error else { throw error }
                    return (id, nil)
                }
            }
            for (id, endpoint) in rows {
                if let endpoint { list.endpoints.append(endpoint) } else { list.damaged.append(id) }
            }
            return list
        }
    }

    package func webhookEndpoint(_ id: WebhookEndpointID) async throws(StorageFault) -> WebhookEndpoint? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try Self.find(id, sealing, connection)
        }
    }

    package func add(_ endpoint: WebhookEndpoint, most: Int) async throws(StorageFault) -> Bool {
        let sealed = try endpoint.sealed(with: sealing)
        let isAdded = try await database.transaction(
            changing: .webhookEndpoints, locking: LockName("webhook_endpoints", of: endpoint.clientID)
        ) { (connection) throws(StorageFault) in
            let count =
                try connection.first(SQL.count) {
                    $0.text(endpoint.clientID.text)
                } _: { (row) throws(StorageFault) in
                    Int(try row.integer("webhook_endpoints.client_id"))
                } ?? 0
            guard count < most else { return false }
            try Self.save(endpoint, sealed, connection)
            return true
        }
        if isAdded { await learnOfChange(endpoint.clientID) }
        return isAdded
    }

    package func updateWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?,
        _ change: @escaping @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) async throws(StorageFault) -> WebhookEndpoint? {
        let sealing = sealing
        let changed = try await database.transaction(changing: .webhookEndpoints) {
            (connection) throws(StorageFault) -> Changed? in
            guard let endpoint = try Self.find(id, sealing, connection), client == nil || endpoint.clientID == client
            else { return nil }
            return try Self.apply(change, to: endpoint, sealing, connection)
        }
        if let changed, changed.isAnother { await learnOfChange(changed.endpoint.clientID) }
        return changed?.endpoint
    }

    package func removeWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        let limit = database.limits.rowsPerSweep
        // First stop new events; then remove the endpoint's rows, some at a time, so that other changes run in between.
        let owners = try await database.transaction(changing: .webhookEndpoints) { (connection) throws(StorageFault) in
            try connection.all(SQL.stop) {
                $0.identifier(id)
                $0.text(client?.text)
                $0.time(now)
            } _: { (row) throws(StorageFault) in
                // A damaged endpoint gets no events anyway.
                ClientID(try row.text("webhook_endpoints.client_id"))
            }
        }
        guard let owner = owners.first else { return false }
        if let owner { await learnOfChange(owner) }
        var removed = limit
        while removed == limit {
            removed = try await database.transaction { (connection) throws(StorageFault) in
                try WebhookDeliveriesTable.remove(at: id, most: limit, connection)
            }
        }
        let isRemoved = try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.remove) {
                $0.identifier(id)
                $0.text(client?.text)
            }
            return connection.changes == 1
        }
        known.withLock { known in
            known.inOrder.remove(id)
            known.damaged.remove(id)
        }
        return isRemoved
    }

    private struct Changed {
        let endpoint: WebhookEndpoint
        /// Whether a changed endpoint was stored.
        let isAnother: Bool

        var isStopped: Bool { isAnother && !endpoint.isActive }
    }

    private static func apply(
        _ change: (inout WebhookEndpoint) -> [NewWebhookEvent], to endpoint: WebhookEndpoint, _ sealing: Sealing,
        _ connection: any Connection
    ) throws(StorageFault) -> Changed {
        var changed = endpoint
        let told = change(&changed)
        if changed != endpoint { try save(changed, try changed.sealed(with: sealing), connection) }
        try WebhookEventsTable.add(told, sealing: sealing, connection)
        return Changed(endpoint: changed, isAnother: changed != endpoint)
    }

    private static func find(
        _ id: WebhookEndpointID, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> WebhookEndpoint? {
        try connection.first(SQL.find.locking) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try decode(row.identifier("webhook_endpoints.endpoint_id"), &row, sealing)
        }
    }

    static func save(
        _ endpoint: WebhookEndpoint, _ sealed: [UInt8], _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.identifier(endpoint.id)
            $0.text(endpoint.clientID.text)
            $0.blob(sealed)
            $0.time(endpoint.createdAt)
            $0.text(endpoint.stop?.rawValue)
            $0.time(endpoint.stoppedAt)
            $0.time(endpoint.failingSince)
            $0.integer(endpoint.failures)
        }
    }

    /// The columns after the ID.
    private static func decode(
        _ id: WebhookEndpointID, _ row: inout Row, _ sealing: Sealing
    ) throws(StorageFault) -> WebhookEndpoint {
        let clientID = try row.clientID("webhook_endpoints.client_id")
        let sealed = try row.blob("webhook_endpoints.endpoint_sealed")
        let columns = WebhookEndpoint.Columns(
            clientID: clientID, createdAt: try row.time("webhook_endpoints.created_at_ms"),
            stop: try row.optionalChoice("webhook_endpoints.stop"),
            stoppedAt: try row.optionalTime("webhook_endpoints.stopped_at_ms"),
            failingSince: try row.optionalTime("webhook_endpoints.failing_since_ms"),
            failures: try row.count(0...1_000_000, "webhook_endpoints.failures"))
        return try WebhookEndpoint(id, columns, sealed: sealed, with: sealing)
    }

    // MARK: Events and deliveries

    package func addEvents(_ events: [NewWebhookEvent]) async throws(StorageFault) {
        guard !events.isEmpty else { return }
        let sealing = sealing
        try await database.transaction { (connection) throws(StorageFault) in
            try WebhookEventsTable.add(events, sealing: sealing, connection)
        }
    }

    package func ping(_ ping: NewWebhookEvent, ifFewerThan most: Int) async throws(StorageFault) -> Bool {
        let sealing = sealing
        return try await database.transaction(locking: LockName("pings")) { (connection) throws(StorageFault) in
            for endpoint in ping.endpoints
            where try WebhookDeliveriesTable.pending(at: endpoint, most: most, connection) >= most { return false }
            try WebhookEventsTable.add([ping], sealing: sealing, connection)
            return true
        }
    }

    package func waitingWebhooks() async throws(StorageFault) -> [WebhookEndpointID: Timestamp] {
        for client in known.withLock({ $0.behind }) { try await learn(client) }
        return try await database.read { (connection) throws(StorageFault) in
            Dictionary(try WebhookDeliveriesTable.waiting(connection)) { first, _ in first }
        }
    }

    package func oldestWaitingWebhook() async throws(StorageFault) -> Timestamp? {
        try await database.read { (connection) throws(StorageFault) in try WebhookDeliveriesTable.oldest(connection) }
    }

    package func storeResult(
        of delivery: WebhookDelivery, standing: (@Sendable (inout WebhookEndpoint) -> [NewWebhookEvent])?
    ) async throws(StorageFault) -> WebhookEndpoint? {
        let sealing = sealing
        let letsGo = delivery.state != .pending && isInOrder(delivery.endpoint)
        let changed = try await database.transaction { (connection) throws(StorageFault) -> Changed? in
            try WebhookDeliveriesTable.save(delivery, connection)
            if letsGo {
                try WebhookDeliveriesTable.letGo(behind: delivery.event.id, at: delivery.endpoint, connection)
            }
            guard let standing, let endpoint = try Self.find(delivery.endpoint, sealing, connection) else { return nil }
            let changed = try Self.apply(standing, to: endpoint, sealing, connection)
            if changed.isStopped { try CacheVersions.raise(.webhookEndpoints, connection) }
            return changed
        }
        // An endpoint that only fails still gets events.
        if let changed, changed.isStopped {
            await learnOfChange(changed.endpoint.clientID)
        }
        return changed?.endpoint
    }

    package func webhookDeliveries(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(StorageFault) -> [WebhookDelivery] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try WebhookDeliveriesTable.list(
                at: endpoint, of: client, in: state, limit: limit, sealing: sealing, connection)
        }
    }

    // MARK: Upkeep

    package func dropWebhooks(
        at endpoint: WebhookEndpointID, over most: Int
    ) async throws(StorageFault) -> [WebhookEventType: Int] {
        let limit = database.limits.rowsPerSweep
        var dropped: [WebhookEventType: Int] = [:]
        // Counts and searches outside the writer: it is called often, and there is almost never anything to drop.
        while true {
            let excess = try await database.read { (connection) throws(StorageFault) in
                let count = try WebhookDeliveriesTable.pending(at: endpoint, most: most + limit, connection)
                guard count > most, try WebhookDeliveriesTable.hasNoisy(at: endpoint, connection) else { return 0 }
                return count - most
            }
            guard excess > 0 else { return dropped }
            let letsGo = isInOrder(endpoint)
            let some = try await database.transaction { (connection) throws(StorageFault) in
                let some = try WebhookDeliveriesTable.dropNoisy(at: endpoint, most: excess, connection)
                if letsGo {
                    for (event, _) in some {
                        try WebhookDeliveriesTable.letGo(behind: event, at: endpoint, connection)
                    }
                }
                return some
            }
            guard !some.isEmpty else { return dropped }
            for (_, type) in some { dropped[type, default: 0] += 1 }
        }
    }

    package func sweepWebhooks(before end: Timestamp) async throws(StorageFault) -> Int {
        let limit = database.limits.rowsPerSweep
        let removed = try await database.transaction { (connection) throws(StorageFault) in
            try WebhookEventsTable.sweep(before: end, limit: limit, connection)
        }
        // As after a sweep of sessions: removed data must also leave the WAL (DAT-05).
        if removed > 0, removed < limit { await database.removeDeletedData() }
        return removed
    }

    /// Searches outside the writer: it is called often, and there is almost never a removed webhook.
    package func takeRemovedWebhooks() async throws(StorageFault) -> [ClientID: Int] {
        let isAny = try await database.read { (connection) throws(StorageFault) in
            try !WebhookStoresTable.lost(connection).isEmpty
        }
        guard isAny else { return [:] }
        return try await database.transaction { (connection) throws(StorageFault) in
            let lost = try WebhookStoresTable.lost(connection)
            try WebhookStoresTable.forgetLost(lost, connection)
            return lost
        }
    }
}
