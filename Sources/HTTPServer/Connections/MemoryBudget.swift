internal import Synchronization

/// Memory that all connections hold, in and out, against one limit (OVL-08).
///
/// Loops report in steps, so that a small request does not touch shared state.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let heldBytes = Atomic<Int>(0)
    private let peakBytes = Atomic<Int>(0)
    private let refusedCount = Atomic<Int>(0)

    /// Bytes by which a loop's report may lag behind.
    static let step = 64 * 1024
    /// Bytes. A peak above this is worth returning to the system.
    private static let notablePeak = 8 * 1024 * 1024

    /// - Parameter limit: in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter delta: bytes taken, or given back when negative.
    func add(_ delta: Int) {
        let held = heldBytes.add(delta, ordering: .relaxed).newValue
        if held > peakBytes.load(ordering: .relaxed) { peakBytes.store(held, ordering: .relaxed) }
    }

    /// True when the budget is used up.
    /// - Parameter unreported: bytes that a loop holds and has not reported yet.
    func isUsedUp(unreported: Int) -> Bool {
        heldBytes.load(ordering: .relaxed) + unreported > limit
    }

    func noteRefused() { refusedCount.add(1, ordering: .relaxed) }

    var held: Int { max(0, heldBytes.load(ordering: .relaxed)) }
    var refused: Int { refusedCount.load(ordering: .relaxed) }

    /// True once after much was held and most of it was released: the allocator may still keep the memory.
    func hasSpareMemory() -> Bool {
        let peak = peakBytes.load(ordering: .relaxed)
        guard peak >= MemoryBudget.notablePeak, held < peak / 2 else { return false }
        peakBytes.store(held, ordering: .relaxed)
        return true
    }
}
