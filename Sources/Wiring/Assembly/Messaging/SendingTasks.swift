internal import Locks
internal import Engine
internal import Possession

/// Runs sends beside the calls that asked for them. A call waits for its carrier for a limited time, and then continues
/// without its answer.
final class SendingTasks: BackgroundWork {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastNumber = 0
        var isClosed = false
        /// Callers that wait for the last task.
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private let wait: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - wait: how long a call waits.
    ///   - sleep: returns after a time; throws when its task is cancelled.
    init(
        wait: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.wait = wait
        self.sleep = sleep
    }

    /// The number of running sends.
    var count: Int { state.withLock { $0.tasks.count } }

    func run<Value: Sendable>(
        isWaitedFor: Bool, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let promise = Promise<Value>()
        let isBegun = state.withLock { state -> Bool in
            guard !state.isClosed else { return false }
            state.lastNumber += 1
            let number = state.lastNumber
            state.tasks[number] = Task.detached {
                promise.fulfil(await work())
                self.end(number)
            }
            return true
        }
        // The process is ending and could not send later, so send now.
        guard isBegun else { return await work() }
        guard isWaitedFor else { return nil }
        let (wait, sleep) = (wait, sleep)
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await promise.value }
            group.addTask {
                try? await sleep(wait)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    func pause(_ time: Duration) async {
        guard time > .zero else { return }
        try? await sleep(time)
    }

    private func end(_ number: Int) {
        let closing = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.tasks[number] = nil
            guard state.tasks.isEmpty else { return [] }
            defer { state.closing = [] }
            return state.closing
        }
        for one in closing { one.resume() }
    }

    /// Waits `grace` for running sends, then cancels the rest, and returns once all have ended. Messages that no
    /// carrier has are left to the next process.
    func close(within grace: Duration = .zero) async {
        state.withLock { $0.isClosed = true }
        if grace > .zero {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.untilEmpty() }
                group.addTask { [sleep] in try? await sleep(grace) }
                await group.next()
                // Cancel the sends: this also wakes the task that waits for them.
                for task in self.state.withLock({ Array($0.tasks.values) }) { task.cancel() }
                group.cancelAll()
            }
        }
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
        await untilEmpty()
    }

    private func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state -> Bool in
                guard !state.tasks.isEmpty else { return true }
                state.closing.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}

/// A value that is set later. One caller waits for it, or gives up.
private final class Promise<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case empty
        case waiting(CheckedContinuation<Value?, Never>)
        case full(Value)
        case abandoned
    }

    private let state = Locked(State.empty)

    func fulfil(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .waiting(let continuation):
                state = .full(value)
                return continuation
            case .empty:
                state = .full(value)
                return nil
            case .full, .abandoned: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// The value; `nil`: the caller's task was cancelled first.
    var value: Value? {
        get async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let known = state.withLock { state -> Value?? in
                        switch state {
                        case .full(let value): return .some(value)
                        case .abandoned: return .some(nil)
                        case .empty, .waiting:
                            state = .waiting(continuation)
                            return nil
                        }
                    }
                    if let known { continuation.resume(returning: known) }
                }
            } onCancel: {
                let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
                    switch state {
                    case .waiting(let continuation):
                        state = .abandoned
                        return continuation
                    case .empty:
                        state = .abandoned
                        return nil
                    case .full, .abandoned: return nil
                    }
                }
                waiting?.resume(returning: nil)
            }
        }
    }
}
