import Locks
import Outbound
import Engine
import Possession
import Testing

@Suite struct ReputationDirectoryTests {
    private typealias Fixed = ReputationFixture
    private typealias Answer = Result<Reputation, ReputationFault>

    /// Answers as it was told, and notes who was asked.
    private struct Told: ReputationOperator {
        let name: String
        let answer: Answer
        let asked: Locked<[String]>
        let isAvailable = true

        func standing(
            _ query: ReputationQuery, by deadline: ContinuousClock.Instant
        ) async throws(ReputationFault) -> Reputation {
            asked.withLock { $0.append(name) }
            return try answer.get()
        }
    }

    private let asked = Locked<[String]>([])

    private func directory(_ operators: [(String, [String], Answer)]) -> ReputationDirectory {
        ReputationDirectory(
            operators.map { (Told(name: $0, answer: $2, asked: asked), $1) }, timeout: .seconds(3))
    }

    private let good = Answer.success(Reputation())
    private let unknown = Answer.failure(.notCovered)

    @Test func `asks the longest prefix first, and hands a number on that has moved`() async {
        let directory = directory([
            ("all", ["+"], good), ("one", ["+1"], unknown), ("area", ["+44", "+1200"], unknown),
            ("other", ["+49"], good),
        ])
        #expect(await Fixed.ask(directory) == good)
        #expect(asked.withLock { $0 } == ["area", "one", "all"])
    }

    @Test func `takes the first of two that serve the same numbers`() async {
        let directory = directory([("a", ["+1"], .success(Fixed.swapped)), ("b", ["+1"], good)])
        #expect(await Fixed.ask(directory) == .success(Fixed.swapped))
        #expect(asked.withLock { $0 } == ["a"])
    }

    @Test func `covers no number that begins in another way`() async {
        #expect(await Fixed.ask(directory([("a", ["+49", "+2001"], good)])) == unknown)
        #expect(asked.withLock { $0 }.isEmpty)
    }

    @Test func `goes on behind an operator that fails, and tells of it when nobody else knows`() async {
        let broken = Answer.failure(.failed(reason: "operator a: token: 503"))
        #expect(await Fixed.ask(directory([("a", ["+1"], broken), ("b", ["+1"], good)])) == good)
        #expect(await Fixed.ask(directory([("a", ["+1"], broken), ("b", ["+1"], unknown)])) == broken)
        let resting = Answer.failure(.resting)
        #expect(await Fixed.ask(directory([("a", ["+1"], resting), ("b", ["+1"], broken)])) == resting)
    }

    @Test(arguments: [ReputationFault.timeout, .cancelled])
    func `asks nobody after the time is over, or the caller has gone`(fault: ReputationFault) async {
        #expect(await Fixed.ask(directory([("a", ["+1"], .failure(fault)), ("b", ["+1"], good)])) == .failure(fault))
        #expect(asked.withLock { $0 } == ["a"])
    }

    @Test func `asks four at most`() async {
        #expect(await Fixed.ask(directory((0..<9).map { ("\($0)", ["+1"], unknown) })) == unknown)
        #expect(asked.withLock { $0 } == ["0", "1", "2", "3"])
    }
}
