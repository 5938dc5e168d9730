internal import Engine
internal import Locks
internal import Possession
internal import Records

/// Table `erasure_orders` of PostgreSQL (migration 0003): the numbers and addresses that each server is erasing. For an
/// engine without such a table nothing is done.
///
/// If a server ends, its orders go with its row in `servers`.
struct ErasureOrdersTable: Sendable {
    private enum SQL {
        static let add: Statement = """
            INSERT INTO erasure_orders (server, number, target_index, client_id) VALUES (?1, ?2, ?3, ?4)
            """
        static let remove: Statement = "DELETE FROM erasure_orders WHERE server = ?1 AND number < ?2"
        static let ofOthers: Statement = """
            SELECT server, number, target_index, client_id FROM erasure_orders WHERE server <> ?1
            """
    }

    private struct Numbers: Sendable {
        /// The number of the next order of this server.
        var next: Int64 = 0
        /// Orders with a lower number have ended, and may be stored still; `nil`: none is.
        var ended: Int64?
        /// A call that adds orders has failed. Its orders may be stored later, if its COMMIT had no answer.
        var mayCome = false
    }

    private let database: Database
    private let sealing: Sealing
    private let numbers = Locked(Numbers())

    init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Stores the orders of a round. Returns when all servers know them.
    /// - Throws: they may be stored; call `removeEnded`.
    func add(_ orders: [ErasureOrder]) async throws(StorageFault) {
        guard let server = database.server else { return }
        let first = numbers.withLock { numbers in
            defer { numbers.next += Int64(orders.count) }
            return numbers.next
        }
        let rows = orders.map { (target: sealing.blindIndex($0.target), client: $0.client?.text) }
        do throws(StorageFault) {
            try await change { (connection) throws(StorageFault) in
                for (place, row) in rows.enumerated() {
                    try connection.run(SQL.add) {
                        $0.integer(server)
                        $0.integer(first + Int64(place))
                        $0.blob(row.target)
                        $0.text(row.client)
                    }
                }
            }
        } catch {
            numbers.withLock { $0.mayCome = true }
            throw error
        }
    }

    /// Removes all orders of this server, because its round has ended. If that fails, `tend` does it later.
    func removeEnded() async {
        numbers.withLock { $0.ended = $0.next }
        do throws(StorageFault) { try await remove() } catch {}
    }

    /// Removes orders that `removeEnded` has left, and lets this server forget those of servers that have ended.
    func tend() async throws(StorageFault) {
        try await remove()
        let known = database.erasing.ordersOfOthers
        guard !known.isEmpty else { return }
        let stored = try await ordersOfOthers()
        // An order that was known before this look, and is stored no more, never comes back.
        database.erasing.forget(known.filter { !stored.contains($0) })
    }

    func ordersOfOthers() async throws(StorageFault) -> [StoredErasureOrder] {
        guard let server = database.server else { return [] }
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.ofOthers) {
                $0.integer(server)
            } _: { (row) throws(StorageFault) in
                try StoredErasureOrder(&row)
            }
        }
    }

    private func remove() async throws(StorageFault) {
        let (stored, mayCome) = numbers.withLock { ($0.ended, $0.mayCome) }
        guard let server = database.server, let ended = stored else { return }
        // Otherwise an order could come after the removal, and stay until this server ends.
        if mayCome { try await database.waitForEarlierTransactions() }
        try await change { (connection) throws(StorageFault) in
            try connection.run(SQL.remove) {
                $0.integer(server)
                $0.integer(ended)
            }
        }
        numbers.withLock { numbers in
            if numbers.ended == ended { numbers.ended = nil }
            if numbers.next == ended { numbers.mayCome = false }
        }
    }

    /// The orders are no part of what an audited call changes: the call may find nothing to erase.
    private func change(
        _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Void
    ) async throws(StorageFault) {
        let database = database
        try await AuditScope.suspended { () async -> Result<Void, StorageFault> in
            do throws(StorageFault) {
                return .success(try await database.transaction(changing: .erasureOrders, body))
            } catch { return .failure(error) }
        }.get()
    }
}

extension StoredErasureOrder {
    fileprivate init(_ row: inout Row) throws(StorageFault) {
        server = try row.integer("erasure_orders.server")
        number = try row.integer("erasure_orders.number")
        targetIndex = try row.blob("erasure_orders.target_index")
        guard let text = try row.optionalText("erasure_orders.client_id") else {
            client = nil
            return
        }
        guard let id = ClientID(text) else { throw .corrupt("erasure_orders.client_id") }
        client = id
    }
}
