import Dispatch

/// Runs a test that blocks, as one with a client socket does, beside the pool. That has one thread a core: a test that
/// waits on one of them holds up all others, and what it waits for as well.
package final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    /// For a task beside a test that blocks: both threads of the pool may be held by such tests.
    package init() {}

    /// Runs `body`, and what it awaits, on a thread of its own.
    package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await withTaskExecutorPreference(OwnThread(), operation: body)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
