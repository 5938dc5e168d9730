/// Why a transaction was refused: the reasons of `holdfast_writer_refused_total`.
package enum WriteRefusal: String, Sendable, CaseIterable {
    /// Too many transactions were waiting.
    case queueFull = "queue_full"
    /// It waited too long, so its caller had given up.
    case late
    /// The file system, or the database's own limit, had no space.
    case diskFull = "disk_full"
    /// It waited too long for a lock of another process or transaction.
    case locked
    /// The database could not be reached.
    case unreachable
    /// The database failed, or writes have stopped.
    case failed
}
