/// Counters of the writer since the start, for the metrics page.
package struct DatabaseStatistics: Sendable, Equatable {
    /// Commits, and the transactions in them; the second over the first is what group commit gains.
    package var batches = 0
    package var transactions = 0
    /// Transactions that were rolled back: alone, or with a commit that the engine refused.
    package var rolledBack = 0
    /// Transactions that were not carried out, by reason.
    package var refusals: [WriteRefusal: Int] = [:]
    /// All of them.
    package var refused: Int { refusals.values.reduce(0, +) }
    /// A write found no room, and no large one has gone through since.
    package var isDiskFull = false
    /// Batches by size: index `n` counts those of up to 2^n transactions, the last one all others.
    package var batchSizes = [Int](repeating: 0, count: 10)
    /// Time spent in COMMIT, that is mostly in fsync.
    package var commitSeconds = 0.0
    /// Checkpoints, and the time they took the writer.
    package var checkpoints = 0
    package var checkpointSeconds = 0.0
    /// Bytes of the WAL after the last commit.
    package var logBytes = 0
    /// Since when, in monotonic nanoseconds, checkpoints leave pages in the WAL: a reader keeps them. `nil`: they do not.
    var logHeldSince: UInt64?
    /// How long that has been so; 0 while it is not.
    package var logHeldSeconds = 0.0
    /// Commits since the last one that could be noted in `holdfast.commits`.
    package var unnotedCommits = 0
    /// Transactions waiting now, and the most that ever waited.
    package var waiting = 0
    package var mostWaiting = 0

    mutating func count(batchOf size: Int) {
        batches += 1
        transactions += size
        var bucket = 0
        while bucket < batchSizes.count - 1 && size > 1 << bucket { bucket += 1 }
        batchSizes[bucket] += 1
    }
}
