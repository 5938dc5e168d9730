/// A file of ours that is missing at its path or was replaced.
package enum LostFile: Sendable, Equatable {
    /// The lock: a second server may run on the same data.
    case lock(path: String)
    /// The database or its write-ahead log: data written now is lost when the process ends.
    case database(path: String)
}

/// The files that the server has opened, by device and inode, to detect whether they are still at their paths.
struct OwnFiles: Sendable {
    private let lock: (path: String, file: FileIdentity?)
    private let database: [(path: String, file: FileIdentity)]

    /// Call when the database is open and has its write-ahead log.
    init(in directory: DataDirectory) {
        lock = (directory.lockPath, directory.lockIdentity)
        database = [directory.databasePath, directory.databasePath + "-wal"].compactMap { path in
            FileIdentity(of: path).map { (path, $0) }
        }
    }

    /// Costs three look-ups of names; opens no file.
    func lost() -> LostFile? {
        if FileIdentity(of: lock.path) != lock.file { return .lock(path: lock.path) }
        let lost = database.first { FileIdentity(of: $0.path) != $0.file }
        return lost.map { .database(path: $0.path) }
    }
}
