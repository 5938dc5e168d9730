/// A file of ours that is not at its place any more.
package enum LostFile: Sendable, Equatable {
    /// The lock: a second server may run on the data.
    case lock(path: String)
    /// The database, or its write-ahead log: what is written now is gone when the process ends.
    case database(path: String)
}

/// Which files the server has opened, by device and inode, to find out whether they are still at their places.
struct OwnFiles: Sendable {
    private let lock: (path: String, file: FileIdentity?)
    private let database: [(path: String, file: FileIdentity)]

    /// Once the database is open and has its write-ahead log.
    init(in directory: DataDirectory) {
        lock = (directory.lockPath, directory.lockIdentity)
        database = [directory.databasePath, directory.databasePath + "-wal"].compactMap { path in
            FileIdentity(of: path).map { (path, $0) }
        }
    }

    /// Three looks at names, no file is opened.
    func lost() -> LostFile? {
        if FileIdentity(of: lock.path) != lock.file { return .lock(path: lock.path) }
        let lost = database.first { FileIdentity(of: $0.path) != $0.file }
        return lost.map { .database(path: $0.path) }
    }
}
