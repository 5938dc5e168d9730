import Engine
import Possession
import Testing
@testable import Sandbox

/// The simulated operator's answers about users' SIMs.
@Suite(.timeLimit(.minutes(60))) struct ScriptedSIMSwapsTests {
    private static let readAt = Timestamp(seconds: 1_767_261_600)
    private static let number = PhoneNumber(e164: "+12015550123")!

    private static func user(_ script: String) throws(SandboxUsersFile.Mistakes) -> SandboxUser? {
        let json = #"""
            {"users":[{"number":"2015550123","name":"Ada","region":"NA","product":"unify"\#(script)}]}
            """#
        return try SandboxUsersFile(Array(json.utf8)).users.first
    }

    private static func ask(
        _ script: String, _ question: SIMSwapQuestion, later seconds: Int = 0
    ) async throws -> Result<SIMSwapAnswer, ReputationFault> {
        let users = SandboxUsers([try #require(try user(script))], readAt: readAt)
        let swaps = ScriptedSIMSwaps(users) { readAt.adding(.seconds(seconds)) }
        do throws(ReputationFault) { return .success(try await swaps.simSwap(question, of: number)) } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: [
            ("", 2400, false), (#","simSwap":{"hoursAgo":12}"#, 12, false), (#","simSwap":{"hoursAgo":12}"#, 13, true),
            (#","simSwap":{"hoursAgo":0}"#, 1, true), (#","simSwap":"no-sim""#, 2400, false),
            (#","simSwap":{"hoursAgo":12,"monitoredDays":30}"#, 24, true),
            (#","simSwap":{"hoursAgo":1000,"monitoredDays":30}"#, 720, false),
        ] as [(String, Int, Bool)])
    func `says whether there was a swap`(script: String, hours: Int, isSwapped: Bool) async throws {
        #expect(try await Self.ask(script, .within(hours: hours)) == .success(.swapped(isSwapped)))
    }

    @Test func `hours count from when the file was read`() async throws {
        let script = #","simSwap":{"hoursAgo":12}"#
        let date = SIMSwapAnswer.last(Self.readAt.adding(.seconds(-12 * 3600)))
        for seconds in [0, 3600, 90_000] {
            #expect(try await Self.ask(script, .last, later: seconds) == .success(date))
        }
        #expect(try await Self.ask(script, .within(hours: 24), later: 12 * 3600 - 1) == .success(.swapped(true)))
        #expect(try await Self.ask(script, .within(hours: 24), later: 12 * 3600) == .success(.swapped(false)))
    }

    @Test func `what the operator may not tell is not told`() async throws {
        let script = #","simSwap":{"hoursAgo":1000,"monitoredDays":30}"#
        #expect(try await Self.ask(script, .last) == .success(.untold(monitoredDays: 30)))
        #expect(try await Self.ask(script, .within(hours: 721)) == .success(.untold(monitoredDays: 30)))
        #expect(try await Self.ask(#","simSwap":"no-sim""#, .last) == .success(.untold(monitoredDays: nil)))
        #expect(try await Self.ask("", .last) == .success(.last(ScriptedSIMSwaps.activation)))
        #expect(try await Self.ask(#","simSwap":"not-applicable""#, .last) == .failure(.notCovered))
        #expect(try await Self.ask(#","simSwap":"unavailable""#, .within(hours: 1)) == .failure(.timeout))
    }

    @Test(arguments: [
        (
            #""never""#,
            "users[0].simSwap: must be one of no-sim, not-applicable, unavailable, or an object with hoursAgo, monitoredDays or both"
        ),
        (
            "{}",
            "users[0].simSwap: must be one of no-sim, not-applicable, unavailable, or an object with hoursAgo, monitoredDays or both"
        ),
        (#"{"hoursAgo":-1}"#, "users[0].simSwap.hoursAgo: must be a whole number from 0 to 876000"),
        (
            #"{"hoursAgo":1,"monitoredDays":0}"#,
            "users[0].simSwap.monitoredDays: must be a whole number from 1 to 36500"
        ),
    ])
    func `a mistake is named with its place`(value: String, mistake: String) {
        #expect(throws: SandboxUsersFile.Mistakes(all: [mistake])) { try Self.user(#","simSwap":\#(value)"#) }
    }
}
