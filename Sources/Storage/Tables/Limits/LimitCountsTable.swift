package import Engine
package import Possession
package import Records

/// Tables `limit_counts` and `scarce_places` (migrations 0004 and 0022), for operators and for guesses without a
/// session; sessions are counted inside their own transactions.
package struct LimitCountsTable: LimitStore {
    private let database: Database
    private let rows: TallyRows

    package init(_ database: Database, sealing: Sealing, limits: LiveLimits, audit: AuditTable? = nil) {
        self.database = database
        rows = TallyRows(sealing: sealing, limits: limits, audit: audit?.rows)
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

    package func scarcePlaces(limit: Int) async throws(StorageFault) -> [ExhaustedPlace] {
        try await database.read { (connection) throws(StorageFault) in
            try TallyRows.scarcePlaces(limit: limit, connection)
        }
    }

    package func forgetTallies(_ keys: [LimitKey]) async throws(StorageFault) -> Int {
        let sealing = rows.sealing
        return try await database.transaction { (connection) throws(StorageFault) in
            try TallyRows.remove(keys, sealing: sealing, connection)
        }
    }
}
