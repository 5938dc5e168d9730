import Locks
import Outbound
import Engine
import Possession
import Testing

@Suite(.timeLimit(.minutes(60))) struct RememberedReputationTests {
    private typealias Fixed = ReputationFixture
    private typealias Answer = Result<Reputation, ReputationFault>

    /// Answers one question after another, each when the test lets it.
    private final class Counted: ReputationSource {
        let answers: Locked<[Answer]>
        let count = Locked(0)
        /// Passed by every question.
        let gate: @Sendable () async -> Void

        init(_ answers: [Answer], gate: @escaping @Sendable () async -> Void = {}) {
            self.answers = Locked(answers)
            self.gate = gate
        }

        func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
            count.withLock { $0 += 1 }
            await gate()
            let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            return try answer.get()
        }
    }

    private static let good = Answer.success(Reputation())
    private let clock = FixedInstant()

    private func remembered(_ base: Counted, capacity: Int = 100) -> RememberedReputation {
        RememberedReputation(base, capacity: capacity, instant: { [clock] in clock.now })
    }

    private func session(_ number: UInt64) -> CorrelationID { CorrelationID(high: 7, low: number) }

    @Test(
        arguments: [
            (good, 900), (.success(Fixed.swapped), 900), (.failure(.notCovered), 900), (.failure(.timeout), 10),
            (.failure(.resting), 10), (.failure(.failed(reason: "r")), 10),
        ] as [(Answer, Int)])
    private func `asks once for a session, for as long as the answer holds`(answer: Answer, seconds: Int) async {
        let base = Counted([answer])
        let source = remembered(base)
        for _ in 0..<3 { #expect(await Fixed.ask(source, session: session(1)) == answer) }
        clock.advance(.seconds(seconds - 1))
        _ = await Fixed.ask(source, session: session(1))
        #expect(base.count.withLock { $0 } == 1)
        clock.advance(.seconds(1))
        #expect(await Fixed.ask(source, session: session(1)) == answer)
        #expect(base.count.withLock { $0 } == 2)
    }

    @Test func `asks for each session, each number, and each call without a session`() async {
        let base = Counted([Self.good])
        let source = remembered(base)
        for _ in 0..<2 {
            _ = await Fixed.ask(source, session: session(1))
            _ = await Fixed.ask(source, session: session(2))
            _ = await Fixed.ask(source, session: session(2), number: Fixture.other)
        }
        #expect(base.count.withLock { $0 } == 3)
        for _ in 0..<2 { _ = await Fixed.ask(source) }
        #expect(base.count.withLock { $0 } == 5)
    }

    @Test func `learns nothing from a caller who has gone`() async {
        let base = Counted([.failure(.cancelled), .success(Fixed.swapped)])
        let source = remembered(base)
        #expect(await Fixed.ask(source, session: session(1)) == .failure(.cancelled))
        #expect(await Fixed.ask(source, session: session(1)) == .success(Fixed.swapped))
    }

    @Test func `lets those wait who ask while the answer is on its way`() async {
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let base = Counted([Self.good]) { for await _ in opened { break } }
        let source = remembered(base)
        await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<16 { group.addTask { await Fixed.ask(source, session: session(1)) } }
            while base.count.withLock({ $0 }) == 0 { await Task.yield() }
            open.finish()
            for await answer in group { #expect(answer == Self.good) }
        }
        #expect(base.count.withLock { $0 } == 1)
    }

    @Test func `keeps no more than it may, the newest`() async {
        let base = Counted([Self.good])
        let source = remembered(base, capacity: 2)
        for number in 1...3 as ClosedRange<UInt64> { _ = await Fixed.ask(source, session: session(number)) }
        #expect(base.count.withLock { $0 } == 3)
        for number in 2...3 as ClosedRange<UInt64> { _ = await Fixed.ask(source, session: session(number)) }
        #expect(base.count.withLock { $0 } == 3)
        _ = await Fixed.ask(source, session: session(1))
        #expect(base.count.withLock { $0 } == 4)
    }

    @Test func `stays right over thousands of sessions`() async {
        let base = Counted([Self.good])
        let source = remembered(base, capacity: 50)
        for number in 0..<5000 as Range<UInt64> {
            _ = await Fixed.ask(source, session: session(number))
            _ = await Fixed.ask(source, session: session(number))
            if number % 7 == 0 { clock.advance(.seconds(100)) }
        }
        #expect(base.count.withLock { $0 } == 5000)
    }
}
