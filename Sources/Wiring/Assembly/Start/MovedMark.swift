internal import Administration
internal import Glibc

/// Records in a data directory that its SQLite database was copied to a PostgreSQL, so that no server changes both.
enum MovedMark {
    private static func path(in directory: String) -> String { directory + "/moved" }

    /// - Throws: `.configuration`: the database was copied.
    static func check(in directory: String) throws(StartFault) {
        guard FirstStart.exists(path(in: directory)) else { return }
        throw .configuration(
            "the database of \(directory) was copied to PostgreSQL: set database.url; to go back, remove \(path(in: directory)), and changes since the copy are lost"
        )
    }

    static func write(in directory: String) throws(StartFault) {
        let path = path(in: directory)
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed("\(path) cannot be written: \(String(cString: strerror(errno)))") }
        fsync(file)
        close(file)
        try? Folder.sync(directory)
    }
}
