import Outbound
import Testing

@Suite struct CircuitBreakerTests {
    /// One step of a test.
    enum Event: Sendable {
        /// A call begins and ends at once.
        case call(CircuitBreaker.Outcome)
        case seconds(Int)
        case isOpen
        case isClosed
    }

    /// The macro cannot look into a call that changes its receiver.
    private func enter(
        _ breaker: inout CircuitBreaker, _ now: CircuitBreaker.Instant
    ) throws -> CircuitBreaker.Permit {
        let permit = breaker.admit(at: now)
        return try #require(permit)
    }

    @Test(
        arguments: [
            ("closed at first", [.isClosed]),
            ("opens at the third failure", [.call(.failed), .call(.failed), .isClosed, .call(.failed), .isOpen]),
            (
                "counts failures in a row",
                [.call(.failed), .call(.failed), .call(.answered), .call(.failed), .call(.failed), .isClosed]
            ),
            (
                "does not count who went away",
                [.call(.failed), .call(.failed), .call(.abandoned), .isClosed, .call(.failed), .isOpen]
            ),
            ("stays open for 30 seconds", [.call(.failed), .call(.failed), .call(.failed), .seconds(29), .isOpen]),
            (
                "lets one through after 30 seconds and closes when it is answered",
                [
                    .call(.failed), .call(.failed), .call(.failed), .seconds(30), .isClosed, .call(.answered),
                    .call(.failed), .call(.failed), .isClosed, .call(.failed), .isOpen,
                ]
            ),
            (
                "opens again when the one fails",
                [
                    .call(.failed), .call(.failed), .call(.failed), .seconds(30), .call(.failed), .isOpen, .seconds(29),
                    .isOpen, .seconds(1), .isClosed,
                ]
            ),
            (
                "lets another try when the one went away",
                [.call(.failed), .call(.failed), .call(.failed), .seconds(30), .call(.abandoned), .isClosed]
            ),
        ] as [(String, [Event])])
    func `follows the table`(name: String, events: [Event]) throws {
        var breaker = CircuitBreaker(threshold: 3, pause: .seconds(30))
        var now = ContinuousClock.now
        for event in events {
            switch event {
            case .call(let outcome):
                let permit = try enter(&breaker, now)
                breaker.record(outcome, of: permit, at: now)
            case .seconds(let seconds): now = now.advanced(by: .seconds(seconds))
            case .isOpen:
                #expect(!breaker.admits(at: now), "\(name)")
                let permit = breaker.admit(at: now)
                #expect(permit == nil, "\(name)")
            case .isClosed: #expect(breaker.admits(at: now), "\(name)")
            }
        }
    }

    @Test func `lets only one through while it is half open`() throws {
        var breaker = CircuitBreaker(threshold: 1, pause: .seconds(1))
        let start = ContinuousClock.now
        let first = try enter(&breaker, start)
        breaker.record(.failed, of: first, at: start)
        let later = start.advanced(by: .seconds(1))
        let probe = try enter(&breaker, later)
        #expect(!breaker.admits(at: later.advanced(by: .seconds(1000))))
        let second = breaker.admit(at: later.advanced(by: .seconds(1000)))
        #expect(second == nil)
        breaker.record(.answered, of: probe, at: later)
        #expect(breaker.admits(at: later))
    }

    @Test func `does not listen to calls that began before it opened`() throws {
        var breaker = CircuitBreaker(threshold: 1, pause: .seconds(10))
        let start = ContinuousClock.now
        let permits = try (0..<3).map { _ in try enter(&breaker, start) }
        breaker.record(.failed, of: permits[0], at: start)
        breaker.record(.answered, of: permits[1], at: start)
        #expect(!breaker.admits(at: start.advanced(by: .seconds(9))))
        // A late failure does not make the pause longer.
        breaker.record(.failed, of: permits[2], at: start.advanced(by: .seconds(9)))
        #expect(breaker.admits(at: start.advanced(by: .seconds(10))))
    }

    @Test func `never opens with a threshold of 0`() throws {
        var breaker = CircuitBreaker(threshold: 0, pause: .seconds(1))
        let now = ContinuousClock.now
        for _ in 0..<100 {
            let permit = try enter(&breaker, now)
            breaker.record(.failed, of: permit, at: now)
        }
        #expect(breaker.admits(at: now))
    }
}
