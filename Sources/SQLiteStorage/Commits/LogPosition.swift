/// A position in a write-ahead log, directly after a commit.
///
/// SQLite gives the log new salts whenever it starts the log from the beginning, so the salts identify a log. Its
/// running checksum covers every page changed since then.
struct LogPosition: Equatable {
    /// Both salts of the log.
    var salts: UInt64
    /// Frames up to here: one for each changed page of each commit.
    var frames: Int
    /// Both sums of the engine's running checksum, after the last frame.
    var checksum: UInt64
    var commits: Int

    /// No commit is in a log: everything is in the database file.
    static let none = LogPosition(salts: 0, frames: 0, checksum: 0, commits: 0)

    var isNone: Bool { frames == 0 }
}

/// A log that was completely moved to the database file and is durable there.
struct MovedLog: Equatable {
    var salts: UInt64
    /// Its number of frames. A log with the same salts and more frames has continued since.
    var frames: Int

    static let none = MovedLog(salts: 0, frames: 0)
}
