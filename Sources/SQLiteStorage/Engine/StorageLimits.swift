/// Every bound of the store, with its unit.
package struct StorageLimits: Sendable {
    /// Transactions that share one commit. More would not make a commit much cheaper, only the wait of the first one
    /// longer.
    package var transactionsPerBatch = 512
    /// Transactions that may wait; the next one is refused at once (OVL-01).
    package var waitingTransactions = 8192
    /// A transaction that has waited longer is not started: its caller has given up (OVL-01).
    package var longestWait: Duration = .seconds(1)
    /// Pages (4 KiB) in the WAL from which the writer moves them to the database after a batch: 8 MiB.
    package var pagesBeforeCheckpoint = 2048
    /// Pages from which it makes the WAL start again as soon as no reader is at it: 40 MiB, so that it stays below 64
    /// (DUR-10).
    package var pagesBeforeRestart = 10240
    /// Least time between two truncations of the WAL: what is erased in between shares the next.
    package var truncationGap: Duration = .milliseconds(100)
    /// Bytes that a probe writes after the disk was full, before it is believed to have room: more than any one change.
    package var probeBytes = 64 * 1024
    /// Sessions one sweep removes, and digests and history rows it removes of each kind. A transaction of a few
    /// milliseconds.
    package var rowsPerSweep = 200
    /// Most stored of webhooks for one API client, in bytes as migration 0023 counts them (`webhooks.maxBytesPerClient`).
    package var webhookBytesPerClient = 64 * 1024 * 1024
    /// Rows that one step of a change of the sealing key reads, and writes in one transaction: some 2 ms of the writer.
    package var rowsPerReseal = 64
    /// Imported people that a look-up considers by one of their credentials. A value that more of them have finds nobody by
    /// itself. Each is a row that is read and opened.
    package var peoplePerCredential = 64
    /// How long an answer of `probe` stands before another row is written.
    package var probeInterval: Duration = .seconds(1)
    /// A file up to this size is checked before the start; a larger one after it, in the background (DUR-19).
    package var bytesCheckedAtStart = 16 * 1024 * 1024
    /// How long one read of a check may last, as it keeps pages in the WAL.
    package var longestCheckStep: Duration = .seconds(2)
    /// Rows in one read of a table that takes longer than that: some 10 ms.
    package var rowsPerCheckStep = 5000
    /// Between two reads, so that the WAL can start again.
    package var pauseBetweenCheckSteps: Duration = .milliseconds(20)
    /// Readers kept open for callers that run on no loop.
    package var idleReaders = 4

    package init() {}
}
