#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A value that several threads share, protected by a lock.
///
/// The lock is a pthread mutex, because the thread sanitizer understands it; it does not see the futex of
/// `Synchronization.Mutex` and reports false races. Hold it only for a few instructions, and never across an `await` or
/// a call into other code.
package final class Locked<State>: @unchecked Sendable {
    // Sendable: `state` is used only while `mutex` is held. The mutex also ensures that no two changes overlap; the
    // runtime check for that cost a third of the instructions of a lock, so it is off.
    @exclusivity(unchecked) @usableFromInline var state: State
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

    /// Runs `body` with the state while no other thread has access.
    ///
    /// Inlinable, because a session takes about 400 locks, and a generic call of another module passes the state and the
    /// result by their metadata.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
}
