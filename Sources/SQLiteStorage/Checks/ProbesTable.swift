internal import Engine
internal import Possession
internal import Records
internal import Storage

/// Table `probes` (migration 0005): one row, written to test whether a write succeeds.
enum ProbesTable {
    private enum SQL {
        static let write: Statement = """
            INSERT INTO probes (number, writes) VALUES (1, 1)
              ON CONFLICT (number) DO UPDATE SET writes = writes + 1, filler = NULL
            """
        static let read: Statement = "SELECT writes FROM probes WHERE number = 1"
        static let fill: Statement = "UPDATE probes SET filler = zeroblob(?1)"
    }

    /// - Parameter fillerBytes: additional bytes written with the row.
    static func write(fillerBytes: Int = 0, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.write)
        guard fillerBytes > 0 else { return }
        try connection.run(SQL.fill) { $0.integer(fillerBytes) }
    }

    /// - Throws: also when there is no row.
    static func read(_ connection: any Connection) throws(StorageFault) {
        let writes = try connection.first(SQL.read) { (row) throws(StorageFault) in try row.integer("probes.writes") }
        guard writes != nil else { throw .corrupt("probes.writes") }
    }
}
