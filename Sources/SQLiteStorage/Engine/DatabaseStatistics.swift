package import Storage

/// Counters of the writer since the start, for the metrics page.
package struct DatabaseStatistics: Sendable, Equatable {
    /// Commits, and the transactions in them. The ratio shows the gain of group commit.
    package var batches = 0
    package var transactions = 0
    /// Transactions that were rolled back: individually, or with a commit that SQLite refused.
    package var rolledBack = 0
    /// Transactions that were refused, by reason.
    package var refusals: [WriteRefusal: Int] = [:]
    /// Sum over all reasons.
    package var refused: Int { refusals.values.reduce(0, +) }
    /// A write found no space, and no large write has succeeded since.
    package var isDiskFull = false
    /// Batches by size: index `n` counts those of up to 2^n transactions, the last one all others.
    package var batchSizes = [Int](repeating: 0, count: 10)
    /// Time spent in COMMIT, mostly in fsync.
    package var commitSeconds = 0.0
    /// Checkpoints, and the writer's time for them.
    package var checkpoints = 0
    package var checkpointSeconds = 0.0
    /// Bytes of the WAL after the last commit.
    package var logBytes = 0
    /// Since when, in monotonic nanoseconds, checkpoints leave pages in the WAL because a reader keeps them. `nil`:
    /// they do not.
    var logHeldSince: UInt64?
    /// For how long; 0 if no reader keeps pages.
    package var logHeldSeconds = 0.0
    /// Commits since the last one that was recorded in `holdfast.commits`.
    package var unnotedCommits = 0
    /// Transactions waiting now, and the maximum so far.
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
