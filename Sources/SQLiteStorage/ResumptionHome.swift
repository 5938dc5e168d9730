/// Where a waiting task continues after its commit: an event loop, seen by the store as no more than this.
///
/// One home runs on one thread at a time. A batch of results reaches it in one hop, and what it submits in one turn
/// reaches the writer together.
package protocol ResumptionHome: AnyObject, Sendable {
    /// Runs all of `batch`, in order, on the home. Called from the writer.
    func resume(batch: [@Sendable () -> Void])
    /// Runs `work` once when the current turn ends. Called on the home.
    func atTurnEnd(_ work: @escaping @Sendable () -> Void)
}
