internal import Synchronization
internal import Storage

/// How fast the writer works, to estimate how long a change would wait. Called from any thread, for most requests.
final class WriterPace: Sendable {
    /// When the current batch began, in monotonic nanoseconds. 0: no batch is running.
    private let began = Atomic<UInt64>(0)
    /// How long a batch takes, in nanoseconds.
    private let took = Atomic<UInt64>(0)
    private let inBatch = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    func batchBegan(of count: Int, at now: UInt64) {
        inBatch.store(count, ordering: .relaxed)
        began.store(max(1, now), ordering: .relaxed)
    }

    /// Call when the batch is done and its callers have their answers. The writer may still have other work, such as a
    /// checkpoint, which does not count for the next batch.
    func batchEnded(at now: UInt64) {
        let elapsed = now &- min(now, began.load(ordering: .relaxed))
        let before = took.load(ordering: .relaxed)
        took.store(before == 0 ? elapsed : (before * 3 + elapsed) / 4, ordering: .relaxed)
        inBatch.store(0, ordering: .relaxed)
    }

    /// Call when the writer is idle.
    func rests() { began.store(0, ordering: .relaxed) }

    func waits(_ count: Int) { waiting.store(count, ordering: .relaxed) }

    /// Nanoseconds until a new change would begin.
    /// - Parameters:
    ///   - changesAtWork: changes that have reached the server and are not finished; some may not have reached the
    ///     writer yet.
    ///   - limit: transactions in a batch.
    func wait(behind changesAtWork: Int, limit: Int, at now: UInt64) -> UInt64 {
        let began = began.load(ordering: .relaxed)
        let took = took.load(ordering: .relaxed)
        let elapsed = began == 0 ? 0 : now &- min(now, began)
        // A batch that already takes longer than usual may take as long again.
        let rest = began == 0 ? 0 : elapsed < took ? took - elapsed : elapsed
        let ahead = max(waiting.load(ordering: .relaxed), changesAtWork - inBatch.load(ordering: .relaxed))
        return rest + UInt64(max(0, ahead) / limit) * max(took, elapsed)
    }
}
