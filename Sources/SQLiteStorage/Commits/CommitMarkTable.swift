internal import Engine
internal import Possession
internal import Storage

/// A number of commits, and a checksum of their history.
struct CommitMark: Equatable {
    var commits: Int
    /// Checksum over all logs so far: each log adds its running checksum. Two databases with the same history have the
    /// same value.
    var chain: UInt64

    static let none = CommitMark(commits: 0, chain: 0)
    /// An upper bound for the number of commits: a larger number is damage.
    static let most = 1 << 60

    /// The mark of commit number `commits`, which follows the log position `log`.
    func next(commits: Int, after log: LogPosition) -> CommitMark {
        var sum = Mixing(chain)
        for word in [UInt64(commits), log.salts, log.checksum] { sum.add(word) }
        return CommitMark(commits: commits, chain: sum.value)
    }
}

/// Table `commit_mark` (migration 0005): one row with the number of the commit that wrote it.
///
/// It is written with each commit. A database therefore records up to which commit it is complete, even if its log is
/// lost.
enum CommitMarkTable {
    private enum SQL {
        /// A database from an earlier version, or one that is being created, does not have this table.
        static let isThere: Statement = """
            SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'commit_mark'
            """
        static let find: Statement = "SELECT commits, chain FROM commit_mark WHERE number = 1"
        static let save: Statement = """
            INSERT INTO commit_mark (number, commits, chain) VALUES (1, ?1, ?2)
              ON CONFLICT (number) DO UPDATE SET commits = excluded.commits, chain = excluded.chain
            """
    }

    static func isThere(_ connection: SQLiteConnection) throws(StorageFault) -> Bool {
        try connection.first(SQL.isThere) { (row) throws(StorageFault) in try row.integer("1") } != nil
    }

    static func find(_ connection: SQLiteConnection) throws(StorageFault) -> CommitMark {
        guard try isThere(connection) else { return .none }
        return try connection.first(SQL.find) { (row) throws(StorageFault) in
            CommitMark(
                commits: try row.count(0...CommitMark.most, "commit_mark.commits"),
                chain: UInt64(bitPattern: try row.integer("commit_mark.chain")))
        } ?? .none
    }

    static func save(_ mark: CommitMark, _ connection: SQLiteConnection) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.integer(mark.commits)
            $0.integer(Int64(bitPattern: mark.chain))
        }
    }
}
