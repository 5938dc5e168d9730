/// Stops asking an operator that keeps failing, so that people need not wait for it: a value without a clock.
///
///     closed --failures in a row--> open --pause over--> half-open: one call goes through
///        ^                           ^                       |  |
///        |                           +------- it failed -----+  |
///        +-------------------------- it was answered -----------+
package struct CircuitBreaker: Sendable, Equatable {
    package typealias Instant = ContinuousClock.Instant

    package enum Outcome: Sendable, Equatable {
        /// The operator did its work, whatever it said.
        case answered
        case failed
        /// The caller went away: it tells nothing.
        case abandoned
    }

    /// For one call. Its outcome counts only while the circuit is as it was when the call began.
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
    ///   - threshold: failures in a row that open it; 0: it never opens.
    ///   - pause: how long it stays open.
    package init(threshold: Int, pause: Duration) {
        self.threshold = threshold
        self.pause = pause
    }

    /// Nothing speaks against it. Between a pause and the call that tries, it is still not closed.
    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether a call would be let through.
    package func admits(at now: Instant) -> Bool {
        switch state {
        case .closed: true
        case .open(let until): now >= until
        case .halfOpen: false
        }
    }

    /// Lets one call through, or not. Whoever has a permit must `record` what came of it.
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
