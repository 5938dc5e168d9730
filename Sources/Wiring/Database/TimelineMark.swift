internal import Administration
internal import Glibc
internal import PostgresStorage

/// The file `timeline` in the data directory: the newest timeline of the PostgreSQL that this server has used. With it a
/// start knows a former primary.
///
///     7301234567890123456 00000002
enum TimelineMark {
    static func path(in directory: String) -> String { directory + "/timeline" }

    /// `nil`: there is none.
    /// - Throws: the file cannot be read.
    static func read(in directory: String) throws(StartFault) -> String? {
        let path = path(in: directory)
        guard let content = SmallFile.read(path) else {
            guard errno == ENOENT else { throw Folder.fault(path, "cannot be read") }
            return nil
        }
        return String(decoding: content, as: UTF8.self)
    }

    static func write(_ timeline: String, in directory: String) throws(StartFault) {
        try SmallFile.write(Array(timeline.utf8), to: path(in: directory))
    }
}
