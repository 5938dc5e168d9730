#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The folder with the database and everything else that must survive a restart, locked by this process.
///
/// Open it before any file is put into it. The folder gets mode 0700, the store's files in it 0600 (DAT-08).
package final class DataDirectory: Sendable {
    package let path: String
    private let lock: Int32

    /// Creates the folder if it is missing, and takes its lock. The system releases the lock when the process ends,
    /// also after a crash.
    /// - Throws: `.inUse` when another process holds it; `.directory` when it cannot be created or is open to other
    ///   users.
    package init(_ path: String) throws(OpeningFault) {
        self.path = path
        if mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .directory(path: path, reason: "cannot be made: \(SystemFiles.Refusal.last)")
        }
        try DataDirectory.narrow(path)
        lock = open(path + DataDirectory.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw .directory(path: path, reason: "cannot be written: \(SystemFiles.Refusal.last)")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            // All members are set, so `deinit` runs and closes the file.
            let refusal = SystemFiles.Refusal.last
            throw refusal.number == EWOULDBLOCK
                ? .inUse(path: path) : .directory(path: path, reason: "cannot be locked: \(refusal)")
        }
    }

    deinit {
        close(lock)
    }

    package var databasePath: String { DataDirectory.databasePath(in: path) }

    package static func databasePath(in directory: String) -> String { directory + "/holdfast.db" }

    var witnessPath: String { path + "/holdfast.commits" }

    /// Why a folder could not be opened or created here; `nil`: it could. Changes nothing, and does not check whether
    /// another process holds it.
    package static func defect(of path: String) -> OpeningFault? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let refusal = SystemFiles.Refusal.last
            guard refusal.number == ENOENT else {
                return .directory(path: path, reason: "cannot be looked at: \(refusal)")
            }
            let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            guard access(parent, W_OK | X_OK) == 0 else {
                return .directory(path: path, reason: "cannot be made: \(SystemFiles.Refusal.last)")
            }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .directory(path: path, reason: "is no directory") }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return .directory(path: path, reason: "cannot be used: \(SystemFiles.Refusal.last)")
        }
        do throws(OpeningFault) {
            try checkOwner(path, status)
            try checkContent(path, status)
        } catch { return error }
        return nil
    }

    /// Refuses root in the folder of another user: that user could not open the files that root makes.
    /// - Throws: `.directory`.
    private static func checkOwner(_ path: String, _ status: stat) throws(OpeningFault) {
        guard geteuid() == 0, status.st_uid != 0 else { return }
        throw .directory(
            path: path, reason: "belongs to user \(status.st_uid), and root runs this: run it as that user")
    }

    /// - Throws: `.directory` for a folder that other users can open and that contains foreign files.
    private static func checkContent(_ path: String, _ status: stat) throws(OpeningFault) {
        guard status.st_mode & 0o077 != 0 else { return }
        let names: [String]
        do { names = try SystemFiles.names(in: path) } catch {
            throw .directory(path: path, reason: "cannot be read: \(error)")
        }
        guard names.isEmpty || names.contains("holdfast.lock") else {
            throw .directory(path: path, reason: "is open to other users and holds other files; run chmod 700 on it")
        }
    }

    private static let lockName = "/holdfast.lock"
    var lockPath: String { path + DataDirectory.lockName }
    /// Identity of the locked file, even if another file now has its name.
    var lockIdentity: FileIdentity? { FileIdentity(of: lock) }

    /// Removes other users' access to the folder: silently if it is empty or already ours, otherwise it is refused,
    /// because it may belong to someone else.
    private static func narrow(_ path: String) throws(OpeningFault) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .directory(path: path, reason: "cannot be looked at: \(SystemFiles.Refusal.last)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .directory(path: path, reason: "is no directory") }
        try checkOwner(path, status)
        try checkContent(path, status)
        guard status.st_mode & 0o077 != 0 else { return }
        guard chmod(path, 0o700) == 0 else {
            throw .directory(
                path: path, reason: "is open to other users, and chmod 700 failed: \(SystemFiles.Refusal.last)")
        }
    }

    /// Restricts a file in the folder to its owner. By name, without opening it: closing a descriptor of a database
    /// file would drop SQLite's locks on it.
    static func restrict(_ file: String) throws(OpeningFault) {
        guard chmod(file, 0o600) == 0 else {
            throw .directory(path: file, reason: "chmod 600 failed: \(SystemFiles.Refusal.last)")
        }
    }
}
