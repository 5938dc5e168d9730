#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A thread for long work, that other threads of the process go before, or for work that only waits.
package enum BackgroundThread {
    /// How far behind others a thread stands when the processors are busy (setpriority(2)).
    package enum Priority: Int32, Sendable {
        /// About a tenth of what another thread gets.
        case low = 10
        /// As others: it waits for somebody outside.
        case equal = 0
        /// For work that nobody else needs.
        case least = 19
    }

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body`. `false`: the system has no thread to give, and `body` never runs. It is not run by the caller, who
    /// may be a loop.
    package static func start(_ priority: Priority, _ body: @escaping @Sendable () -> Void) -> Bool {
        let job = Unmanaged.passRetained(
            Job {
                // On Linux the priority is the thread's own.
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

    /// Holds up the calling thread, which is one of these.
    package static func pause(milliseconds: Int64) {
        usleep(UInt32(clamping: milliseconds * 1000))
    }
}
