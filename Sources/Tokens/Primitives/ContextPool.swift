internal import Locks
import Engine
import Possession

/// Prepared OpenSSL contexts that threads share: as many as were ever in use at once.
///
/// Preparing one (fetching the algorithm, setting the key) costs several times as much as a short digest.
final class ContextPool: @unchecked Sendable {
    // Sendable because only the thread that took a context out uses it; `idle` has its own lock.
    private let idle = Locked<[Idle]>([])
    private struct Idle: @unchecked Sendable {
        // Sendable because only the thread that took it out of the pool uses it.
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
