/// Why a transaction was not carried out: the reasons of `holdfast_writer_refused_total`.
package enum WriteRefusal: String, Sendable, CaseIterable {
    /// Too many waited.
    case queueFull = "queue_full"
    /// It waited too long, so that its caller had given up.
    case late
    /// The file system, or the engine's own limit of pages, had no room.
    case diskFull = "disk_full"
    /// Another process held the database for writing, longer than the writer waits for that.
    case locked
    /// The engine failed, or nothing is written any more.
    case failed
}
