package import Engine
package import Possession
package import Records

/// Removes all data of a number or an e-mail address from every table (DAT-10).
///
/// Identities, device keys, activations, people and limits are found by its blind index. Sessions have no such index: a
/// random index entry would cost every new session a page, for a rare request. So an erasure scans the sessions, the
/// replies kept for their retries and their queued messages, a page at a time; it opens sealed values and compares.
///
/// No session is missed: from before the scan until after the deletion, `NumbersBeingErased` prevents changes of
/// sessions with the number, at each server. Sessions that begin meanwhile are new and not part of the erasure, so it
/// does not matter whether their ids come before or after the place of the scan.
package struct Erasures: ErasureStore {
    private enum SQL {
        static let lastSession: Statement = """
            SELECT correlation_id FROM sessions ORDER BY correlation_id DESC LIMIT 1
            """
        /// The columns of `StoredSession`. A scan needs no place of the row, so that is 0.
        static let page: Statement = """
            SELECT 0, correlation_id, auth_id, client_id,
                   (SELECT key_digest FROM session_keys k
                      WHERE k.correlation_id = s.correlation_id AND k.kind = 'flow'),
                   otp_digest, record_sealed FROM sessions s
              WHERE correlation_id > ?1 AND correlation_id <= ?2 ORDER BY correlation_id LIMIT ?3
            """
        static let removeSession: Statement = "DELETE FROM sessions WHERE correlation_id = ?1"
    }

    private let database: Database
    private let sealing: Sealing
    private let orders: ErasureOrdersTable
    private let rounds = ErasureRounds()

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
        orders = ErasureOrdersTable(database, sealing: sealing)
    }

    package func erase(
        _ target: Target, at client: ClientID?, telling events: [NewWebhookEvent]
    ) async throws(StorageFault) -> ErasedRows {
        try await rounds.erase(ErasureOrder(target: target, client: client, events: events)) { orders in
            do throws(StorageFault) { return .success(try await run(orders)) } catch { return .failure(error) }
        }.get()
    }

    private func run(_ orders: [ErasureOrder]) async throws(StorageFault) -> [ErasedRows] {
        database.erasing.begin(orders)
        defer { database.erasing.end() }
        let outcome: ErasureRounds.Outcome
        do throws(StorageFault) {
            try await self.orders.add(orders)
            // Then the scan sees every earlier change, and every later change knows of the erasure.
            try await database.waitForEarlierTransactions()
            outcome = .success(try await eraseAll(orders))
        } catch { outcome = .failure(error) }
        await self.orders.removeEnded()
        return try outcome.get()
    }

    /// Reads what other servers are erasing. This server acknowledges the orders when this has returned, and a scan
    /// begins when all servers have.
    ///
    /// A change whose check did not find an order was submitted before the order was in memory, so it has ended when
    /// this returns, and the scan sees it. That includes a change whose COMMIT had no answer. A later check finds the
    /// order, and its change is not stored. A change that runs again checks again, and only its last run is committed.
    package func readOrders() async throws(StorageFault) {
        let ofOthers = try await orders.ordersOfOthers()
        database.erasing.replaceOrdersOfOthers(ofOthers)
        if !ofOthers.isEmpty { try await database.waitForEarlierTransactions() }
    }

    /// Removes orders of this server that a lost connection has left, and forgets those of servers that have ended.
    /// Call it every few seconds: until then changes of their numbers are refused.
    package func tend() async throws(StorageFault) { try await orders.tend() }

    private func eraseAll(_ orders: [ErasureOrder]) async throws(StorageFault) -> [ErasedRows] {
        let found = try await sessions(of: orders)
        var erased: [ErasedRows] = []
        for (order, sessions) in zip(orders, found) { erased.append(try await erase(order, sessions)) }
        // Deleted data is overwritten in the database and must also leave the WAL (DAT-05).
        if erased.contains(where: { !$0.data.isNothing }) { await database.removeDeletedData() }
        return erased
    }

    // MARK: Scanning the sessions

    /// The sessions of each order, in the same sequence as the orders.
    private func sessions(of orders: [ErasureOrder]) async throws(StorageFault) -> [[ErasedSession]] {
        let (sealing, limit) = (sealing, database.limits.rowsPerSweep)
        var found = orders.map { _ in [ErasedSession]() }
        let last = try await database.read { (connection) throws(StorageFault) -> CorrelationID? in
            try connection.first(SQL.lastSession) { (row) throws(StorageFault) -> CorrelationID in
                try row.identifier("sessions.correlation_id")
            }
        }
        guard let last else { return found }
        var after: CorrelationID?
        while true {
            let start = after
            let (end, page) = try await database.read { (connection) throws(StorageFault) in
                try Erasures.page(orders, from: start, to: last, limit, sealing, connection)
            }
            for (order, session) in page { found[order].append(session) }
            guard let end, end < last else { return found }
            after = end
            // A page is short; other tasks run before the next.
            await Task.yield()
        }
    }

    /// The matching sessions among the next rows, each with the index of its order, and the last row scanned; `nil`: no
    /// more rows.
    private static func page(
        _ orders: [ErasureOrder], from start: CorrelationID?, to last: CorrelationID, _ limit: Int, _ sealing: Sealing,
        _ connection: any Connection
    ) throws(StorageFault) -> (end: CorrelationID?, found: [(Int, ErasedSession)]) {
        let rows = try connection.all(SQL.page) {
            $0.position(start)
            $0.identifier(last)
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            try StoredSession(&row)
        }
        var found: [(Int, ErasedSession)] = []
        for record in rows.map(\.record) where orders.contains(where: { $0.covers(record.clientID) }) {
            let stored = try record.session(sealing)
            let replies = try ReplayedRepliesTable(sealing: sealing).targets(of: stored, connection)
            let messages = try MessagesTable.targets(of: record.correlationID, sealing, connection)
            let targets = stored.targets + replies + messages
            let session = ErasedSession(correlationID: record.correlationID, authID: record.authID)
            for (place, order) in orders.enumerated()
            where order.covers(record.clientID) && targets.contains(order.target) {
                found.append((place, session))
            }
        }
        return (rows.last?.record.correlationID, found)
    }

    // MARK: Deleting

    /// Sessions first, some at a time, because requests commit in between; then everything else in one step. If
    /// interrupted, the erasure can be requested again: the identity that names the number is removed last.
    private func erase(
        _ order: ErasureOrder, _ sessions: [ErasedSession]
    ) async throws(StorageFault) -> ErasedRows {
        var data = ErasedData()
        var rest = sessions[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(database.limits.rowsPerSweep))
            rest = rest.dropFirst(part.count)
            data.sessions += try await database.transaction { (connection) throws(StorageFault) in
                var removed = 0
                for session in part {
                    try connection.run(SQL.removeSession) { $0.identifier(session.correlationID) }
                    removed += connection.changes
                    try WebhookEventsTable.erase(session.correlationID, connection)
                }
                return removed
            }
        }
        let number = sealing.blindIndex(order.target)
        let client = order.client
        let sealing = sealing
        let others = try await database.transaction { (connection) throws(StorageFault) in
            var data = ErasedData()
            data.deviceKeys = try DeviceKeysTable.erase(number, at: client, connection)
            data.activations = try ActivationsTable.erase(number, at: client, connection)
            data.identities = try IdentitiesTable.erase(number, at: client, connection)
            data.listEntries =
                try ListedNumbersTable.erase(number, at: client, connection)
                + RefusedStartsTable.erase(number, at: client, connection)
            try WebhookEventsTable.erase(number, at: client, connection)
            if data.identities > 0 { try WebhookEventsTable.add(order.events, sealing: sealing, connection) }
            guard client == nil else { return data }
            data.people = try PeopleTable.erase(number, connection)
            for tenant in try TenantsTable.ids(connection) {
                let keys = NumberStanding.keys(of: order.target, at: tenant)
                data.limitEntries += try TallyRows.remove(keys, sealing: sealing, connection)
            }
            return data
        }
        data.deviceKeys = others.deviceKeys
        data.activations = others.activations
        data.identities = others.identities
        data.listEntries = others.listEntries
        data.people = others.people
        data.limitEntries = others.limitEntries
        return ErasedRows(data: data, sessions: sessions)
    }
}
