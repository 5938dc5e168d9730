internal import Administration
internal import Glibc

/// A folder for the unencrypted copy of a database: mode 0700, used by one process at a time, and removed after the
/// work.
///
/// Files left by a killed process are removed when the next process begins.
final class WorkFolder: Sendable {
    let path: String
    private let lock: Int32

    /// The names of all files that it may contain.
    private static let names = [
        "holdfast.db", "holdfast.db-journal", "holdfast.db-wal", "holdfast.db-shm", "holdfast.commits", "holdfast.lock",
        "mode", "mode.new", "first-start", lockName,
    ]
    private static let lockName = "work.lock"

    /// Makes the folder, or takes over one that no process is using.
    init(_ path: String, _ signals: EndingSignals) throws(StartFault) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Folder.fault(path, "cannot be made") }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw .failed("\(path) is no directory of ours")
        }
        guard chmod(path, 0o700) == 0 else { throw Folder.fault(path, "cannot be kept to its owner") }
        lock = open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw Folder.fault(path, "cannot be written") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw .failed("another backup or restore is at work in \(path)")
        }
        signals.onEnd { Self.remove(path) }
        for name in Self.names where name != Self.lockName { unlink(path + "/" + name) }
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    var databasePath: String { path + "/holdfast.db" }
    var witnessPath: String { path + "/holdfast.commits" }

    /// Removes the folder and its files.
    func remove() { Self.remove(path) }

    /// Tries repeatedly: when a signal ends the process, its work continues meanwhile and may make a file again.
    private static func remove(_ path: String) {
        for _ in 0..<100 {
            for name in names { unlink(path + "/" + name) }
            if rmdir(path) == 0 || errno != ENOTEMPTY { return }
        }
    }
}
