package import Possession
package import Records

/// Takes out of a database that was restored from a backup all that must not stay in it: anything that may have been used
/// since the backup was made. It does so before anybody is served (DUR-18, TOK-11).
package struct RestoredDatabase: Sendable {
    /// How many there were of what was taken out.
    package struct Taken: Sendable, Equatable {
        package let messages: Int
        package let replies: Int
        /// Active ones, which are blocked now.
        package let activations: Int
    }

    /// Result of a look at sealed values.
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

    /// Removes the signing keys, so that the next start makes others, the secrets of temporary keys, and the replies to retries.
    /// Messages that wait are not sent, and none is sent again. Activations are blocked until an operator unblocks them: a signature
    /// that was used since the backup was made would match again. Time goes on from `now`.
    package func takeBack(now: Timestamp) async throws(StorageFault) -> Taken {
        let taken = try await database.transaction { (connection) throws(StorageFault) in
            try SigningKeysTable.removeAll(connection)
            try TemporarySecretsTable.removeAll(connection)
            let messages = try MessagesTable.settleAll(as: .expired, connection)
            try MessagesTable.forgetAllKept(connection)
            try MessagesTable.forgetAllDue(connection)
            let replies = try ReplayedRepliesTable.removeAll(connection)
            try ClockMarkTable.save(ClockMark(latest: now), connection)
            let activations = try ActivationsTable.blockAll(for: .restored, at: now, connection)
            return Taken(messages: messages, replies: replies, activations: activations)
        }
        await database.truncateLog()
        return taken
    }

    /// Opens up to so many values of each sealed column, the newest where that can be told. One that does not open is damaged, or its key is another one.
    /// Signing keys have a sealer of their own, and are looked at by those who have it.
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
