internal import Locks
internal import Engine
internal import Possession

/// Collects waiting erasures, so that one scan of the sessions and one truncation of the WAL serve all of them. Only
/// one round runs at a time: callers cannot cause more work by asking more often.
///
/// A caller works for others for at most one round: the first caller of the next round leads it.
final class ErasureRounds: Sendable {
    typealias Outcome = Result<[ErasedRows], StorageFault>

    private enum Turn: Sendable {
        case lead
        case done(Result<ErasedRows, StorageFault>)
    }

    private struct Waiting {
        let order: ErasureOrder
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var isRunning = false
        var waiting: [Waiting] = []
    }

    private let state = Locked(State())

    /// Erasures that will be in the next round.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Joins a round; `run` does the work of the whole round and returns one result for each order, in order.
    func erase(
        _ order: ErasureOrder, _ run: @Sendable ([ErasureOrder]) async -> Outcome
    ) async -> Result<ErasedRows, StorageFault> {
        let turn = await withCheckedContinuation { continuation in
            let leads = state.withLock { state in
                if state.isRunning {
                    state.waiting.append(Waiting(order: order, continuation: continuation))
                    return false
                }
                state.isRunning = true
                return true
            }
            if leads { continuation.resume(returning: .lead) }
        }
        if case .done(let result) = turn { return result }
        let others = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        let outcome = await run([order] + others.map(\.order))
        let next = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: .lead)
        for (index, other) in others.enumerated() {
            other.continuation.resume(returning: .done(outcome.map { $0[index + 1] }))
        }
        return outcome.map { $0[0] }
    }
}
