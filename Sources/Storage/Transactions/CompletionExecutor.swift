/// The executor on which a task resumes after its commit. `EventLoop` implements it.
///
/// An executor runs on one thread at a time. A batch of results reaches it in one hop, and the transactions it submits
/// in one turn reach the writer together.
package protocol CompletionExecutor: AnyObject, Sendable {
    /// Runs all of `batch`, in order, on this executor. Called from the writer.
    func resume(batch: [@Sendable () -> Void])
    /// Runs `work` once when the current turn ends. Called on this executor.
    func atTurnEnd(_ work: @escaping @Sendable () -> Void)
}
