/// Stops calls to an operator that keeps failing, so that people need not wait for it. A value type without a clock.
///
///     closed --failures in a row--> open --pause over--> half-open: one call goes through
///        ^                           ^                       |  |
///        |                           +------- it failed -----+  |
///        +-------------------------- it was answered -----------+
package struct CircuitBreaker: Sendable, Equatable {
    package typealias Instant = ContinuousClock.Instant

    package enum Outcome: Sendable, Equatable {
        /// The operator works, whatever its answer was.
        case answered
        case failed
        /// The caller went away, so the outcome is unknown.
        case abandoned
    }

    /// Permission for one call. Its outcome counts only if the circuit's state has not changed since the call began.
    package struct Permit: Sendable, Equatable {
        fileprivate let generation: UInt64
    }

    private enum State: Sendable, Equatable {
        case closed(failures: Int)
        case open(until: Instant)
        case halfOpen
    }

    private let threshold: Int
    private let pause: Duration
    private var state = State.closed(failures: 0)
    private var generation: UInt64 = 0

    /// - Parameters:
    ///   - threshold: consecutive failures that open it; 0: it never opens.
    ///   - pause: how long it stays open.
    package init(threshold: Int, pause: Duration) {
        self.threshold = threshold
        self.pause = pause
    }

    /// False from the first opening until a test call has succeeded, also during that call.
    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether a call would be allowed.
    package func admits(at now: Instant) -> Bool {
        switch state {
        case .closed: true
        case .open(let until): now >= until
        case .halfOpen: false
        }
    }

    /// Allows one call, or refuses it. A caller with a permit must call `record` with the outcome.
    package mutating func admit(at now: Instant) -> Permit? {
        guard admits(at: now) else { return nil }
        if case .open = state { change(to: .halfOpen) }
        return Permit(generation: generation)
    }

    package mutating func record(_ outcome: Outcome, of permit: Permit, at now: Instant) {
        guard permit.generation == generation else { return }
        switch (state, outcome) {
        case (.closed, .answered): state = .closed(failures: 0)
        case (.closed(let failures), .failed):
            guard threshold > 0 else { return }
            if failures + 1 >= threshold {
                change(to: .open(until: now.advanced(by: pause)))
            } else {
                state = .closed(failures: failures + 1)
            }
        case (.halfOpen, .answered): change(to: .closed(failures: 0))
        case (.halfOpen, .failed): change(to: .open(until: now.advanced(by: pause)))
        // The next call may try at once.
        case (.halfOpen, .abandoned): change(to: .open(until: now))
        case (.closed, .abandoned), (.open, _): break
        }
    }

    private mutating func change(to state: State) {
        self.state = state
        generation += 1
    }
}
