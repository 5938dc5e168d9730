#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A value that several threads share, behind a lock.
///
/// The lock is a pthread mutex, because the thread sanitizer understands it; it does not see the futex of
/// `Synchronization.Mutex` and reports races that are not there. Hold it for a few instructions only, and never over
/// an `await` or a call into other code.
package final class Locked<State>: @unchecked Sendable {
    // Sendable: `state` is touched with `mutex` held, and nowhere else. That no two changes overlap, the mutex sees to:
    // the check at run time beside it was a third of the instructions of a lock.
    @exclusivity(unchecked) private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let failure = pthread_mutex_init(mutex, nil)
        precondition(failure == 0, "a mutex cannot be made")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the state while no other thread has it.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
