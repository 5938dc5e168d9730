internal import Administration
internal import PostgresStorage

/// The file `timeline` in the data directory: the newest timeline of the PostgreSQL that this server has used. With it a
/// start knows a former primary.
///
///     7301234567890123456 00000002
enum TimelineMark {
    private static func path(in directory: String) -> String { directory + "/timeline" }

    /// `nil`: there is none.
    static func read(in directory: String) -> String? {
        SmallFile.read(path(in: directory)).map { String(decoding: $0, as: UTF8.self) }
    }

    static func write(_ timeline: String, in directory: String) throws(StartFault) {
        try SmallFile.write(Array("\(timeline)\n".utf8), to: path(in: directory))
    }
}
