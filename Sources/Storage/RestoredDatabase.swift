package import Engine
package import Possession
package import Records

/// Removes from a restored database everything that may have been used since the backup was made. Runs before the
/// server serves any request (DUR-18, TOK-11).
package struct RestoredDatabase: Sendable {
    /// How many items were removed or blocked.
    package struct Taken: Sendable, Equatable {
        package let messages: Int
        package let replies: Int
        /// Activations that were active and are now blocked.
        package let activations: Int
    }

    /// Result of opening sealed values.
    package struct Opened: Sendable, Equatable {
        package fileprivate(set) var values = 0
        /// How many values could not be opened, by column.
        package fileprivate(set) var damaged: [String: Int] = [:]
    }

    private let database: Database
    private let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    /// Removes the signing keys (the next start makes new ones), the secrets of temporary keys, and the replies kept
    /// for retries. Queued messages are not sent, and no message is sent again. Activations are blocked until an
    /// operator unblocks them: a signature that was used since the backup was made would be accepted again. For the
    /// same reason the memory of used names is emptied, which refuses those from before. Time continues from `now`.
    package func takeBack(now: Timestamp) async throws(StorageFault) -> Taken {
        let taken = try await database.transaction(isLong: true) { [database] (connection) throws(StorageFault) in
            try SigningKeysTable.removeAll(connection)
            try TemporarySecretsTable.removeAll(connection)
            try UsedNamesTable.removeAll(connection)
            let messages = try MessagesTable.finishAll(as: .expired, connection)
            try MessagesTable.forgetAllKept(connection)
            try MessagesTable.forgetAllDue(connection)
            let replies = try ReplayedRepliesTable.removeAll(connection)
            try database.continueTime(from: now, connection)
            let activations = try ActivationsTable.blockAll(for: .restored, at: now, connection)
            return Taken(messages: messages, replies: replies, activations: activations)
        }
        await database.removeDeletedData()
        return taken
    }

    /// Opens up to `limit` values of each sealed column, the newest ones if the key orders them. A value that does not
    /// open is damaged or was sealed with another key. Signing keys have their own sealer and are checked by its owner.
    package func openSealed(atMost limit: Int) async throws(StorageFault) -> Opened {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            var opened = Opened()
            for column in SealedColumn.all where column.binding == .row {
                for row in try column.someRows(limit: limit, connection) {
                    guard let sealed = row.sealed else { continue }
                    do throws(StorageFault) {
                        _ = try sealing.open(sealed, column.rowContext(row.key))
                        opened.values += 1
                    } catch {
                        guard case .corrupt = error else { throw error }
                        opened.damaged["\(column.name)", default: 0] += 1
                    }
                }
            }
            return opened
        }
    }
}
