internal import Possession

/// Table `number_history` (migration 0001): sends and wrong codes, by the number's blind index.
struct NumberHistoryTable: Sendable {
    private enum SQL {
        static let newest: StaticString = """
            SELECT at_ms FROM number_history WHERE number_index = ?1 AND kind = ?2 AND at_ms > ?3
              ORDER BY at_ms DESC LIMIT ?4
            """
        static let insert: StaticString = "INSERT INTO number_history (number_index, kind, at_ms) VALUES (?1, ?2, ?3)"
        static let erase: StaticString = "DELETE FROM number_history WHERE number_index = ?1"
        /// Looks at the first rows only: they were added first, so none behind them is due before them.
        static let sweep: StaticString = """
            DELETE FROM number_history WHERE at_ms <= ?1 AND id IN (SELECT id FROM number_history ORDER BY id LIMIT ?2)
            """
    }

    let sealing: Sealing
    let limit: Int

    /// Forgets a number; how many entries there were.
    static func erase(_ number: [UInt8], _ connection: Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.erase) { $0.blob(number) }
        return connection.changes
    }

    /// What happened to the number after `start`; of a longer history the newest part.
    func history(
        of number: PhoneNumber, after start: Timestamp, _ connection: Connection
    ) throws(StorageFault) -> NumberHistory {
        let index = sealing.blindIndex(number)
        return NumberHistory(
            sends: try newest(.send, index, start, connection),
            wrongCodes: try newest(.wrongCode, index, start, connection))
    }

    /// Oldest first. Each kind has a limit of its own: many sends must not push wrong codes out of sight.
    private func newest(
        _ kind: NumberHistory.Kind, _ index: [UInt8], _ start: Timestamp, _ connection: Connection
    ) throws(StorageFault) -> [Timestamp] {
        try connection.all(SQL.newest) {
            $0.blob(index)
            $0.text(kind.rawValue)
            $0.time(start)
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            try row.time("number_history.at_ms")
        }.reversed()
    }

    func append(_ entries: [NumberHistory.Entry], _ connection: Connection) throws(StorageFault) {
        for entry in entries {
            try connection.run(SQL.insert) {
                $0.blob(sealing.blindIndex(entry.number))
                $0.text(entry.kind.rawValue)
                $0.time(entry.at)
            }
        }
    }

    /// The number of rows removed.
    static func sweep(upTo end: Timestamp, limit: Int, _ connection: Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.sweep) {
            $0.time(end)
            $0.integer(limit)
        }
        return connection.changes
    }
}
