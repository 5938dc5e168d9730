/// Work that may continue after the call that started it.
package protocol BackgroundWork: Sendable {
    /// Runs `work`. If it takes too long, or `isWaitedFor` is `false`, the caller gets `nil` and `work` continues.
    func run<Value: Sendable>(isWaitedFor: Bool, _ work: @escaping @Sendable () async -> Value) async -> Value?

    /// Returns after a time, or when its task is cancelled.
    func pause(_ time: Duration) async
}

extension BackgroundWork {
    /// Runs `work` and waits for it for a limited time.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        await run(isWaitedFor: true, work)
    }
}

/// Always waits for the work to end.
package struct WorkInCall: BackgroundWork {
    package init() {}

    package func run<Value: Sendable>(
        isWaitedFor: Bool, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? { await work() }

    package func pause(_ time: Duration) async {}
}
