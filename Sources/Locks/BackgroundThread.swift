#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Threads for long work at low priority, or for work that only waits.
package enum BackgroundThread {
    /// The priority of a thread when the processors are busy (setpriority(2)).
    package enum Priority: Int32, Sendable {
        /// About a tenth of another thread's time.
        case low = 10
        /// Normal priority, for a thread that only waits for an answer from outside.
        case equal = 0
        /// For work on which no other thread depends.
        case least = 19
    }

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body` on a new thread. `false`: the system has no thread to give, and `body` never runs. The caller does
    /// not run it, because it may be a loop.
    package static func start(_ priority: Priority, _ body: @escaping @Sendable () -> Void) -> Bool {
        let job = Unmanaged.passRetained(
            Job {
                // On Linux the priority applies to the thread.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, priority.rawValue)
                body()
            })
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                context.map { Unmanaged<Job>.fromOpaque($0) }?.takeRetainedValue().body()
                return nil
            }, job.toOpaque())
        guard failure == 0 else {
            job.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Blocks the calling thread, which must be a background thread.
    package static func pause(milliseconds: Int64) {
        usleep(UInt32(clamping: milliseconds * 1000))
    }
}
