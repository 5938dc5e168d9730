/// A place in a write-ahead log, right behind a commit.
///
/// The engine gives each log new salts when it starts again from its beginning, so a log is known by them. Its running
/// checksum covers every page that was changed since then.
struct LogPosition: Equatable {
    /// Both salts of the log.
    var salts: UInt64
    /// Frames up to here: one for each changed page of each commit.
    var frames: Int
    /// Both sums of the engine's running checksum, after the last frame.
    var checksum: UInt64
    var commits: Int

    /// No commit is in a log: everything is in the database's file.
    static let none = LogPosition(salts: 0, frames: 0, checksum: 0, commits: 0)

    var isNone: Bool { frames == 0 }
}

/// A log whose every frame was moved to the database's file, and is durable there.
struct MovedLog: Equatable {
    var salts: UInt64
    /// So many it had. A log with more of the same salts has gone on since.
    var frames: Int

    static let none = MovedLog(salts: 0, frames: 0)
}
