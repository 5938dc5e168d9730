package import Possession
package import Records

/// What must not stay in a database that was restored from a backup: whatever may have been used since the backup was
/// made is taken from it, before anybody is served (DUR-18, TOK-11).
package struct RestoredDatabase: Sendable {
    private enum SQL {
        /// The newest rows of each sealed column, with what their ciphertext is bound to.
        static let sealed: [(column: StaticString, query: StaticString)] = [
            (
                "sessions.record_sealed",
                "SELECT correlation_id, record_sealed FROM sessions ORDER BY correlation_id DESC LIMIT ?1"
            ),
            (
                "identities.number_sealed",
                "SELECT prove_id, number_sealed FROM identities ORDER BY prove_id DESC LIMIT ?1"
            ),
            (
                "identities.attributes_sealed",
                """
                SELECT prove_id, attributes_sealed FROM identities WHERE attributes_sealed IS NOT NULL
                  ORDER BY prove_id DESC LIMIT ?1
                """
            ),
            (
                "device_keys.key_sealed",
                "SELECT device_index, key_sealed FROM device_keys ORDER BY device_index LIMIT ?1"
            ),
            (
                "people.number_sealed",
                "SELECT person_id, number_sealed FROM people ORDER BY person_id DESC LIMIT ?1"
            ),
            (
                "people.person_sealed",
                "SELECT person_id, person_sealed FROM people ORDER BY person_id DESC LIMIT ?1"
            ),
            (
                "test_numbers.entry_sealed",
                "SELECT number_index, entry_sealed FROM test_numbers ORDER BY number_index LIMIT ?1"
            ),
            (
                "webhook_endpoints.endpoint_sealed",
                "SELECT endpoint_id, endpoint_sealed FROM webhook_endpoints ORDER BY endpoint_id LIMIT ?1"
            ),
            (
                "webhook_events.event_sealed",
                "SELECT event_id, event_sealed FROM webhook_events ORDER BY event_id DESC LIMIT ?1"
            ),
        ]
    }

    /// How many there were of what was taken out.
    package struct Taken: Sendable, Equatable {
        package let messages: Int
        package let replies: Int
    }

    /// What came of a look at sealed values.
    package struct Opened: Sendable, Equatable {
        package fileprivate(set) var values = 0
        /// Those that did not open, by column.
        package fileprivate(set) var damaged: [String: Int] = [:]
    }

    private let database: Database
    private let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Removes the signing keys, so that the next start makes others, and the replies to retries. Messages that wait are
    /// not sent. Time goes on from `now`.
    package func takeBack(now: Timestamp) async throws(StorageFault) -> Taken {
        let taken = try await database.transaction { (connection) throws(StorageFault) in
            try SigningKeysTable.removeAll(connection)
            let messages = try MessagesTable.settleAll(as: .expired, connection)
            let replies = try ReplayedRepliesTable.removeAll(connection)
            try ClockMarkTable.save(now, connection)
            return Taken(messages: messages, replies: replies)
        }
        await database.truncateLog()
        return taken
    }

    /// Opens up to so many values of each sealed column, the newest first. One that does not open is damaged, or its key
    /// is another one.
    package func openSealed(atMost limit: Int) async throws(StorageFault) -> Opened {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            var opened = Opened()
            for (column, query) in SQL.sealed {
                let rows = try connection.all(query, { $0.integer(limit) }) { (row) throws(StorageFault) in
                    (key: try row.blob(column), sealed: try row.blob(column))
                }
                for row in rows {
                    do throws(StorageFault) {
                        _ = try sealing.open(row.sealed, SealingContext(column, row: row.key).bytes)
                        opened.values += 1
                    } catch {
                        guard case .corrupt = error else { throw error }
                        opened.damaged[column.description, default: 0] += 1
                    }
                }
            }
            return opened
        }
    }
}
