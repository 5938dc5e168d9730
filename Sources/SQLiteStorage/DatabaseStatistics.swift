/// Counters of the writer since the start, for the metrics page.
package struct DatabaseStatistics: Sendable, Equatable {
    /// Commits, and the transactions in them; the second over the first is what group commit gains.
    package var batches = 0
    package var transactions = 0
    /// Transactions that were rolled back alone.
    package var rolledBack = 0
    /// Transactions refused because too many waited, or they waited too long.
    package var refused = 0
    /// Batches by size: index `n` counts those of up to 2^n transactions, the last one all others.
    package var batchSizes = [Int](repeating: 0, count: 10)
    /// Time spent in COMMIT, that is mostly in fsync.
    package var commitSeconds = 0.0
    /// Checkpoints, and the time they took the writer.
    package var checkpoints = 0
    package var checkpointSeconds = 0.0
    /// Bytes of the WAL after the last commit.
    package var logBytes = 0
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
