package import Storage

/// Limits of the SQLite engine, with their units, and those of the stores on it.
package struct SQLiteLimits: Sendable {
    package var storage = StorageLimits()
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
