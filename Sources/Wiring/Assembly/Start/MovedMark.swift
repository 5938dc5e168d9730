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
        try SmallFile.write([], to: path(in: directory))
    }
}
