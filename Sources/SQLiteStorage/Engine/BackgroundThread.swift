internal import Glibc
internal import Possession

/// Long work that blocks, on a thread of its own that everything else goes before.
enum BackgroundThread {
    /// The lowest priority that a process may give (setpriority(2)).
    private static let leastPriority: Int32 = 19

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body`. `false`: the system has no thread to give, and `body` never runs. It is not run by the caller, who
    /// may be a loop.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let job = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                // On Linux the priority is the thread's own.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, BackgroundThread.leastPriority)
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
    static func pause(_ duration: Duration) {
        usleep(UInt32(clamping: duration.wholeMilliseconds * 1000))
    }
}
