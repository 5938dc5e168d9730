/// When the writer moves pages from the WAL to the database, and when it leaves that for later.
///
/// A reader, also one of another process, keeps the pages it may still look at in the WAL (sqlite.org/wal.html section
/// 6). Nobody waits for it: the WAL grows meanwhile, and the next try comes when it has grown by a quarter or after a
/// pause that doubles. A value: pages and monotonic nanoseconds go in.
struct CheckpointPlan {
    /// The first and the longest pause after a try that left pages in the WAL.
    private static let pauses: ClosedRange<UInt64> = 1_000_000_000...8_000_000_000

    private let limits: StorageLimits
    private var pause = CheckpointPlan.pauses.lowerBound
    /// The next try comes with so many pages, or at that time.
    private var next: (pages: Int, at: UInt64)?
    /// Since when readers keep pages in it.
    private(set) var heldSince: UInt64?

    init(limits: StorageLimits) { self.limits = limits }

    /// Checkpoint to make with so many pages in the WAL now; `nil`: none.
    func mode(pages: Int, at now: UInt64) -> Connection.Checkpoint? {
        guard pages >= limits.pagesBeforeCheckpoint else { return nil }
        if let next, pages < next.pages, now < next.at { return nil }
        return pages >= limits.pagesBeforeRestart ? .restart : .passive
    }

    /// Takes note of a try that emptied the WAL.
    mutating func emptied() {
        next = nil
        heldSince = nil
        pause = CheckpointPlan.pauses.lowerBound
    }

    /// Takes note of a try that did not.
    /// - Parameter isHeld: because of a reader.
    mutating func left(pages: Int, at now: UInt64, isHeld: Bool) {
        heldSince = isHeld ? heldSince ?? now : nil
        next = (pages + max(limits.pagesBeforeCheckpoint, pages) / 4 + 1, now &+ pause)
        pause = min(pause * 2, CheckpointPlan.pauses.upperBound)
    }
}
