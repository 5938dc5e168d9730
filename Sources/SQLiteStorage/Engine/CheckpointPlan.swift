internal import Storage

/// Decides when the writer moves pages from the WAL to the database.
///
/// A reader, even in another process, keeps the pages it may still read in the WAL (sqlite.org/wal.html section 6). The
/// writer does not wait for it: the WAL grows meanwhile, and the next try comes when it has grown by a quarter, or
/// after a pause that doubles. A value type: pages and monotonic nanoseconds go in.
struct CheckpointPlan {
    /// The first and the longest pause after a try that left pages in the WAL.
    private static let pauses: ClosedRange<UInt64> = 1_000_000_000...8_000_000_000

    private let limits: SQLiteLimits
    private var pause = CheckpointPlan.pauses.lowerBound
    /// The next try comes at this number of pages, or at this time.
    private var next: (pages: Int, at: UInt64)?
    /// Since when readers keep pages in the WAL.
    private(set) var heldSince: UInt64?

    init(limits: SQLiteLimits) { self.limits = limits }

    /// The checkpoint to make for this number of pages in the WAL; `nil`: none.
    func mode(pages: Int, at now: UInt64) -> SQLiteConnection.Checkpoint? {
        guard pages >= limits.pagesBeforeCheckpoint else { return nil }
        if let next, pages < next.pages, now < next.at { return nil }
        return pages >= limits.pagesBeforeRestart ? .restart : .passive
    }

    /// Records a try that emptied the WAL.
    mutating func emptied() {
        next = nil
        heldSince = nil
        pause = CheckpointPlan.pauses.lowerBound
    }

    /// Records a try that left pages in the WAL.
    /// - Parameter isHeld: a reader keeps them.
    mutating func left(pages: Int, at now: UInt64, isHeld: Bool) {
        heldSince = isHeld ? heldSince ?? now : nil
        next = (pages + max(limits.pagesBeforeCheckpoint, pages) / 4 + 1, now &+ pause)
        pause = min(pause * 2, CheckpointPlan.pauses.upperBound)
    }
}
