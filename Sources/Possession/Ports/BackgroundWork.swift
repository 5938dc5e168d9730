/// Work that may go on after the call that began it.
package protocol BackgroundWork: Sendable {
    /// Runs `work`. If it takes too long, or is not waited for, the caller gets `nil` and `work` goes on.
    func run<Value: Sendable>(isWaitedFor: Bool, _ work: @escaping @Sendable () async -> Value) async -> Value?

    /// Returns after a time, or when its task is cancelled.
    func pause(_ time: Duration) async
}

extension BackgroundWork {
    /// Runs `work`, and waits for it a while.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        await run(isWaitedFor: true, work)
    }
}

/// Waits for the work, however long it takes.
package struct WorkInCall: BackgroundWork {
    package init() {}

    package func run<Value: Sendable>(
        isWaitedFor: Bool, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? { await work() }

    package func pause(_ time: Duration) async {}
}
