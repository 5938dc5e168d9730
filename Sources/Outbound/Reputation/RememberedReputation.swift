internal import Locks
package import Engine
package import Possession

/// Asks about a number once for each session: a session that sends, sends again and takes codes costs one question. A
/// caller that asks while the answer is pending waits for it. Only in memory: after a restart the question is asked
/// again.
package final class RememberedReputation: ReputationSource {
    /// The lifetime of a session.
    private static let lifetime = Duration.seconds(900)
    /// Life of a failed answer, so that a client that retries often costs few questions.
    private static let pause = Duration.seconds(10)

    fileprivate struct Key: Hashable, Sendable {
        let session: CorrelationID
        let number: PhoneNumber
    }

    fileprivate typealias Answer = Result<Reputation, ReputationFault>

    fileprivate enum Entry: Sendable {
        case asking([CheckedContinuation<Void, Never>])
        case answered(Answer, until: ContinuousClock.Instant)
    }

    fileprivate struct State: Sendable {
        var entries: [Key: Entry] = [:]
        /// Keys of answers, in the order of arrival.
        var order: [Key] = []
        var oldest = 0
    }

    private enum Turn {
        case answered(Answer)
        case mine
        case wait
    }

    private let base: any ReputationSource
    private let capacity: Int
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: number of answers that are kept; beyond it the oldest is dropped.
    ///   - instant: measures the life of answers.
    package init(
        _ base: any ReputationSource, capacity: Int = 10_000,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.base = base
        self.capacity = capacity
        self.instant = instant
    }

    package func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
        guard let session = query.session else { return try await base.standing(query) }
        let key = Key(session: session, number: query.number)
        while true {
            switch turn(key) {
            case .answered(let answer): return try answer.get()
            case .wait: await untilAnswered(key)
            case .mine:
                let answer: Answer
                do throws(ReputationFault) { answer = .success(try await base.standing(query)) } catch {
                    answer = .failure(error)
                }
                keep(answer, for: key)
                return try answer.get()
            }
        }
    }

    private func turn(_ key: Key) -> Turn {
        let now = instant()
        return state.withLock { state in
            switch state.entries[key] {
            case .answered(let answer, let until) where now < until: return .answered(answer)
            case .asking: return .wait
            case .answered, nil:
                state.entries[key] = .asking([])
                return .mine
            }
        }
    }

    private func untilAnswered(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard case .asking(var waiting) = state.entries[key] else { return false }
                waiting.append(continuation)
                state.entries[key] = .asking(waiting)
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }

    private func keep(_ answer: Answer, for key: Key) {
        let now = instant()
        let lifetime: Duration? =
            switch answer {
            case .success, .failure(.notCovered): Self.lifetime
            case .failure(.timeout), .failure(.resting), .failure(.failed): Self.pause
            // The caller has disconnected without a result: the next caller asks again.
            case .failure(.cancelled): nil
            }
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            var waiting: [CheckedContinuation<Void, Never>] = []
            if case .asking(let all) = state.entries[key] { waiting = all }
            state.entries[key] = lifetime.map { .answered(answer, until: now.advanced(by: $0)) }
            if lifetime != nil { state.noteOrder(of: key, at: now, capacity: capacity) }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension RememberedReputation.State {
    /// Drops the oldest answers: expired ones, and those beyond the capacity.
    fileprivate mutating func noteOrder(
        of key: RememberedReputation.Key, at now: ContinuousClock.Instant, capacity: Int
    ) {
        order.append(key)
        while oldest < order.count {
            let isTooMany = order.count - oldest > capacity
            let next = order[oldest]
            switch entries[next] {
            case .answered(_, let until) where now >= until || isTooMany: entries[next] = nil
            // It is being asked again, and will be recorded again.
            case .asking, nil: break
            case .answered: return compact()
            }
            oldest += 1
        }
        compact()
    }

    private mutating func compact() {
        guard oldest > 1024, oldest * 2 > order.count else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}
