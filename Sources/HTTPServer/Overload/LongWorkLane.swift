internal import Dispatch
internal import Locks

/// Runs the requests of routes that do long work (`Route.isLong`) on one thread beside the loops.
///
/// A call with a thousand items is read, checked and written here, so that no other request waits for it (ABU-11). The
/// thread has a lower priority than the loops: it gets a tenth of a busy processor and all of an idle one.
final class LongWorkLane: TaskExecutor, @unchecked Sendable {
    // Sendable: mutable state is locked; the semaphore is thread-safe.

    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
        var isStopped = false
    }

    private let state = Locked(State())
    /// Signalled once for each job, and once to stop.
    private let signal = DispatchSemaphore(value: 0)

    /// Whether the thread runs; the first call starts it. `false`: the system has no thread to give, and the loop does
    /// the work.
    func isReady() -> Bool {
        state.withLock { state in
            if !state.hasThread && !state.isStopped { state.hasThread = BackgroundThread.start(.low) { self.run() } }
            return state.hasThread && !state.isStopped
        }
    }

    /// Ends the thread after the submitted work has run.
    func stop() {
        state.withLock { $0.isStopped = true }
        signal.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        signal.signal()
    }

    private func run() {
        while true {
            signal.wait()
            let (jobs, isStopped) = state.withLock { state in
                let jobs = state.jobs
                state.jobs.removeAll(keepingCapacity: true)
                return (jobs, state.isStopped)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if jobs.isEmpty && isStopped { return }
        }
    }
}
