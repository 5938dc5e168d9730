/// The executor on which a task resumes after its commit. `EventLoop` implements it.
///
/// One home runs on one thread at a time. A batch of results reaches it in one hop, and what it submits in one turn
/// reaches the writer together.
package protocol CompletionExecutor: AnyObject, Sendable {
    /// Runs all of `batch`, in order, on the home. Called from the writer.
    func resume(batch: [@Sendable () -> Void])
    /// Runs `work` once when the current turn ends. Called on the home.
    func atTurnEnd(_ work: @escaping @Sendable () -> Void)
}
