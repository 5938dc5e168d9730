internal import Possession

/// Table `probes` (migration 0001): one row, written to find out whether a write succeeds.
enum ProbesTable {
    private enum SQL {
        static let write: StaticString = """
            INSERT INTO probes (number, writes) VALUES (1, 1)
              ON CONFLICT (number) DO UPDATE SET writes = writes + 1
            """
    }

    static func write(_ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.write)
    }
}
