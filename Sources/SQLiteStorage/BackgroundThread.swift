#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

internal import Possession

/// Long work that blocks, on a thread of its own that everything else goes before.
enum BackgroundThread {
    /// The lowest priority that a process may give (setpriority(2)).
    private static let leastPriority: Int32 = 19

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body`; runs it here when the system has no thread to give.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let job = Unmanaged.passRetained(Job(body))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let failure = pthread_create(
            &thread, nil,
            { context in
                #if canImport(Glibc)
                    // On Linux the priority is the thread's own; elsewhere it would be the process's.
                    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, BackgroundThread.leastPriority)
                    let job = context.map { Unmanaged<Job>.fromOpaque($0) }
                #else
                    let job: Unmanaged<Job>? = Unmanaged<Job>.fromOpaque(context)
                #endif
                job?.takeRetainedValue().body()
                return nil
            }, job.toOpaque())
        guard failure == 0 else { return job.takeRetainedValue().body() }
        #if canImport(Glibc)
            pthread_detach(thread)
        #else
            if let thread { pthread_detach(thread) }
        #endif
    }

    /// Holds up the calling thread, which is one of these.
    static func pause(_ duration: Duration) {
        usleep(UInt32(clamping: duration.wholeMilliseconds * 1000))
    }
}
