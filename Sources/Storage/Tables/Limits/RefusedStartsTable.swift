package import Engine
package import Possession
package import Records

/// Table `refused_starts` (migration 0034).
package struct RefusedStartsTable: RefusedStartStore {
    private enum SQL {
        static let count: Statement = """
            SELECT count(*) FROM refused_starts WHERE client_id = ?1 AND product = ?2
            """
        static let removeOldest: Statement = """
            DELETE FROM refused_starts WHERE correlation_id =
              (SELECT correlation_id FROM refused_starts WHERE client_id = ?1 AND product = ?2
                 ORDER BY correlation_id LIMIT 1)
            """
        static let insert: Statement = """
            INSERT INTO refused_starts (correlation_id, client_id, product, number_index, reason, start_sealed)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        static let newest: Statement = """
            SELECT correlation_id, reason, start_sealed FROM refused_starts
              WHERE client_id = ?1 AND product = ?2 AND correlation_id < ?3 ORDER BY correlation_id DESC LIMIT ?4
            """
        static let newestOfNumber: Statement = """
            SELECT correlation_id, reason, start_sealed FROM refused_starts
              WHERE client_id = ?1 AND product = ?2 AND correlation_id < ?3 AND number_index = ?5
              ORDER BY correlation_id DESC LIMIT ?4
            """
        static let find: Statement = """
            SELECT correlation_id, reason, start_sealed FROM refused_starts
              WHERE correlation_id = ?3 AND client_id = ?1 AND product = ?2
            """
        static let removeOld: Statement = """
            DELETE FROM refused_starts WHERE correlation_id IN
              (SELECT correlation_id FROM refused_starts WHERE correlation_id < ?1 ORDER BY correlation_id LIMIT ?2)
            """
        static let erase: Statement = "DELETE FROM refused_starts WHERE number_index = ?1"
        static let eraseOfClient: Statement = """
            DELETE FROM refused_starts WHERE number_index = ?1 AND client_id = ?2
            """
    }

    private let database: Database
    private let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    package func note(_ start: RefusedStart, of tenant: ClientID) async throws(StorageFault) {
        let index = sealing.blindIndex(start.number)
        let sealed = try SealedRefusedStart(start).sealed(with: sealing, row: start.id)
        try await database.transaction(locking: LockName("refused_starts", of: tenant)) {
            (connection) throws(StorageFault) in
            let count = try connection.first(SQL.count) {
                $0.text(tenant.text)
                $0.text(start.product.text)
            } _: { (row) throws(StorageFault) in
                try row.integer("count")
            }
            if count ?? 0 >= RefusedStart.most {
                try connection.run(SQL.removeOldest) {
                    $0.text(tenant.text)
                    $0.text(start.product.text)
                }
            }
            try connection.run(SQL.insert) {
                $0.identifier(start.id)
                $0.text(tenant.text)
                $0.text(start.product.text)
                $0.blob(index)
                $0.text(start.reason)
                $0.blob(sealed)
            }
        }
    }

    package func refusedStarts(
        of tenant: ClientID, product: ProductName, number: PhoneNumber?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [RefusedStart] {
        let sealing = sealing
        let index = number.map { sealing.blindIndex($0) }
        let end = before ?? CorrelationID(high: .max, low: .max)
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(index == nil ? SQL.newest : SQL.newestOfNumber) {
                $0.text(tenant.text)
                $0.text(product.text)
                $0.identifier(end)
                $0.integer(max(0, most))
                if let index { $0.blob(index) }
            } _: { (row) throws(StorageFault) in
                try RefusedStart(&row, product, sealing)
            }
        }
    }

    package func refusedStart(
        _ id: CorrelationID, of tenant: ClientID, product: ProductName
    ) async throws(StorageFault) -> RefusedStart? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) {
                $0.text(tenant.text)
                $0.text(product.text)
                $0.identifier(id)
            } _: { (row) throws(StorageFault) in
                try RefusedStart(&row, product, sealing)
            }
        }
    }

    package func sweepRefusedStarts(before end: Timestamp) async throws(StorageFault) -> Int {
        let limit = database.limits.rowsPerSweep
        let removed = try await database.transaction { (connection) throws(StorageFault) -> Int in
            try connection.run(SQL.removeOld) {
                $0.identifier(CorrelationID(earliestAt: end))
                $0.integer(limit)
            }
            return connection.changes
        }
        // After the last sweep of a round, so that erased data does not remain in the WAL (DAT-05).
        if (1..<limit).contains(removed) { await database.removeDeletedData() }
        return removed
    }

    /// Erases the refused starts of a number at one tenant, or at all of them; returns how many.
    static func erase(_ index: [UInt8], at client: ClientID?, _ connection: any Connection) throws(StorageFault) -> Int
    {
        if let client {
            try connection.run(SQL.eraseOfClient) {
                $0.blob(index)
                $0.text(client.text)
            }
        } else {
            try connection.run(SQL.erase) { $0.blob(index) }
        }
        return connection.changes
    }
}

extension RefusedStart {
    fileprivate init(_ row: inout Row, _ product: ProductName, _ sealing: Sealing) throws(StorageFault) {
        let id: CorrelationID = try row.identifier("refused_starts.correlation_id")
        let reason = try row.text("refused_starts.reason")
        let start = try SealedRefusedStart(try row.blob("refused_starts.start_sealed"), with: sealing, row: id)
        self.init(
            id: id, product: product, number: start.number, reason: reason, reference: start.reference,
            address: start.address)
    }
}
