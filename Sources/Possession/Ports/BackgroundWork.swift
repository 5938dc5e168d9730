/// Work that may go on after the call that began it.
package protocol BackgroundWork: Sendable {
    /// Runs `work`. If it takes too long, the caller gets `nil` and `work` goes on.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value?
}

/// Waits for the work, however long it takes.
package struct WorkInCall: BackgroundWork {
    package init() {}

    package func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? { await work() }
}
