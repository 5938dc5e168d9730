internal import Locks
import Possession

/// Prepared OpenSSL contexts that threads take turns with: as many as were ever in use at once.
///
/// Preparing one (fetching the algorithm, setting the key) costs several times what a short digest does.
final class ContextPool: @unchecked Sendable {
    // Sendable because a context is used by the one thread that took it out; `idle` has its own lock.
    private let idle = Locked<[Idle]>([])
    private struct Idle: @unchecked Sendable {
        // Sendable because whoever takes it out of the pool is the only one that has it.
        let context: OpaquePointer
    }

    private let make: () throws(TokenFault) -> OpaquePointer
    private let free: (OpaquePointer) -> Void

    /// Neither closure may touch state that is not safe to use from any thread.
    init(make: @escaping () throws(TokenFault) -> OpaquePointer, free: @escaping (OpaquePointer) -> Void) {
        self.make = make
        self.free = free
    }

    deinit {
        for idle in idle.withLock({ $0 }) { free(idle.context) }
    }

    /// Lends one context. After a failure its state is unknown, so it is freed instead of kept.
    func withContext<Result>(
        _ body: (OpaquePointer) throws(TokenFault) -> Result
    ) throws(TokenFault) -> Result {
        let context: OpaquePointer
        if let idle = idle.withLock({ $0.popLast() }) { context = idle.context } else { context = try make() }
        do {
            let result = try body(context)
            idle.withLock { $0.append(Idle(context: context)) }
            return result
        } catch {
            free(context)
            throw error
        }
    }
}
