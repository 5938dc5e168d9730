/// Why a transaction was refused: the reasons of `holdfast_writer_refused_total`.
package enum WriteRefusal: String, Sendable, CaseIterable {
    /// Too many transactions were waiting.
    case queueFull = "queue_full"
    /// It waited too long, so its caller had given up.
    case late
    /// The file system, or SQLite's own page limit, had no space.
    case diskFull = "disk_full"
    /// Another process locked the database for writing for longer than the writer waits.
    case locked
    /// SQLite failed, or writes have stopped.
    case failed
}
