package import Possession
package import Records

/// Tables `limit_counts` and `closed_prefixes` (migrations 0004 and 0007) for operators and for guesses that belong to no session; sessions count in it
/// inside their own transactions.
package struct LimitCountsTable: LimitStore {
    private let database: Database
    private let rows: TallyRows

    /// - Parameter mostInARow: as `SessionsTable` has it.
    package init(_ database: Database, sealing: Sealing, mostInARow: Int, audit: AuditTable? = nil) {
        self.database = database
        rows = TallyRows(sealing: sealing, mostInARow: mostInARow, audit: audit?.rows)
    }

    package func count<R: Sendable>(
        _ keys: [LimitKey], _ rule: @escaping @Sendable (inout LimitTallies) -> R
    ) async throws(StorageFault) -> R {
        let rows = rows
        return try await database.transaction { (connection) throws(StorageFault) in
            var tallies = try rows.load(keys, connection)
            let result = rule(&tallies)
            try rows.save(tallies, connection)
            return result
        }
    }

    package func tallies(_ keys: [LimitKey]) async throws(StorageFault) -> [LimitKey: LimitTally] {
        try await database.read { (connection) throws(StorageFault) in
            var found: [LimitKey: LimitTally] = [:]
            for key in keys { found[key] = try rows.find(key, connection) }
            return found
        }
    }

    package func closedPrefixes(limit: Int) async throws(StorageFault) -> [ClosedPrefix] {
        try await database.read { (connection) throws(StorageFault) in
            try TallyRows.closed(limit: limit, connection)
        }
    }

    package func forgetTallies(_ keys: [LimitKey]) async throws(StorageFault) -> Int {
        let sealing = rows.sealing
        return try await database.transaction { (connection) throws(StorageFault) in
            try TallyRows.remove(keys, sealing: sealing, connection)
        }
    }
}
