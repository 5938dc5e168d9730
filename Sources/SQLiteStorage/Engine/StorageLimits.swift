/// Every limit of the store, with its unit.
package struct StorageLimits: Sendable {
    /// Transactions that share one commit. A larger batch would hardly make a commit cheaper, but the first transaction
    /// would wait longer.
    package var transactionsPerBatch = 512
    /// Transactions that may wait; the next one is refused at once (OVL-01).
    package var waitingTransactions = 8192
    /// A transaction that has waited longer is refused: its caller has given up (OVL-01).
    package var longestWait: Duration = .seconds(1)
    /// Pages (4 KiB) in the WAL at which the writer moves them to the database after a batch: 8 MiB.
    package var pagesBeforeCheckpoint = 2048
    /// Pages at which the writer restarts the WAL as soon as no reader uses it: 40 MiB, so that it stays below 64
    /// (DUR-10).
    package var pagesBeforeRestart = 10240
    /// Minimum time between two truncations of the WAL; erasures in between share the next one.
    package var truncationGap: Duration = .milliseconds(100)
    /// Bytes that a probe writes after the disk was full, before space is reported as available: more than any one
    /// change.
    package var probeBytes = 64 * 1024
    /// Sessions that one sweep removes, and digests and history rows of each kind. A transaction of a few milliseconds.
    package var rowsPerSweep = 200
    /// Limit of stored webhook data for one API client, in bytes as migration 0023 counts them
    /// (`webhooks.maxBytesPerClient`).
    package var webhookBytesPerClient = 64 * 1024 * 1024
    /// Rows that one step of re-encryption with a new sealing key reads, and writes in one transaction: about 2 ms of
    /// the writer.
    package var rowsPerReseal = 64
    /// Imported people that a look-up considers for one credential. A value that more people share does not identify a
    /// person by itself. Each candidate costs one row read and one decryption.
    package var peoplePerCredential = 64
    /// How long an answer of `probe` is reused before another row is written.
    package var probeInterval: Duration = .seconds(1)
    /// Bytes. A file up to this size is checked before the start; a larger file after it, in the background (DUR-19).
    package var bytesCheckedAtStart = 16 * 1024 * 1024
    /// The longest single read of a check, because it keeps pages in the WAL.
    package var longestCheckStep: Duration = .seconds(2)
    /// Rows per read of a table that would take longer than that: about 10 ms.
    package var rowsPerCheckStep = 5000
    /// Pause between two reads, so that the WAL can be reset.
    package var pauseBetweenCheckSteps: Duration = .milliseconds(20)
    /// Readers kept open for callers outside an event loop.
    package var idleReaders = 4

    package init() {}
}
