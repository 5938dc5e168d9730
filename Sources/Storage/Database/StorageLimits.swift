/// Limits of the stores and their transactions, with their units.
package struct StorageLimits: Sendable {
    /// Transactions that share one commit. A larger batch would hardly make a commit cheaper, but the first transaction
    /// would wait longer.
    package var transactionsPerBatch = 512
    /// Transactions that may wait; the next one is refused at once (OVL-01).
    package var waitingTransactions = 8192
    /// A transaction that has waited longer is refused: its caller has given up (OVL-01).
    package var longestWait: Duration = .seconds(1)
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

    package init() {}
}
