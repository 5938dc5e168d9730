internal import Administration
internal import Glibc

/// Distinguishes a first start, which makes the database, from a later start, which must find it.
///
/// The file `first-start` exists from before the mode's mark until the database is complete. So after a crash during
/// the first start the directory can be started again. A directory with a mode, without that file and without a
/// database has lost its database.
enum FirstStart {
    private static func mark(_ directory: String) -> String { directory + "/first-start" }

    /// Whether the database may be made now. Call it before anything else is put into the directory.
    static func begin(in directory: String, database: String) throws(StartFault) -> Bool {
        if exists(mark(directory)) { return true }
        guard !exists(ModeMark.path(in: directory)), !exists(database) else { return false }
        let file = open(mark(directory), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .failed("\(mark(directory)) cannot be written: \(String(cString: strerror(errno)))")
        }
        fsync(file)
        close(file)
        try? Folder.sync(directory)
        return true
    }

    /// Call it once the database is complete and on the disk.
    static func end(in directory: String) {
        guard unlink(mark(directory)) == 0 else { return }
        try? Folder.sync(directory)
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
