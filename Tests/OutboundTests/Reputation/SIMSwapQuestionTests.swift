import HTTPServer
import Outbound
import Engine
import Possession
import StrictJSON
import Testing

/// Questions of backends about the SIM of a number, which go to the operators.
@Suite(.timeLimit(.minutes(60))) struct SIMSwapQuestionTests {
    private typealias Fixed = ReputationFixture

    private static let dated = Script.Step.answer(200, #"{"latestSimChange":"2025-12-31T10:00:00Z"}"#)

    private static func ask(
        _ source: CAMARAReputation, _ script: Script, _ question: SIMSwapQuestion
    ) async -> Result<SIMSwapAnswer, ReputationFault> {
        do throws(ReputationFault) {
            return .success(
                try await source.simSwap(
                    question, of: Fixture.number, by: script.clock.now.advanced(by: .seconds(3))))
        } catch { return .failure(error) }
    }

    private static func ask(
        _ answer: Script.Step, _ question: SIMSwapQuestion,
        _ change: (inout ReputationOperatorSettings) -> Void = { _ in }
    ) async -> Result<SIMSwapAnswer, ReputationFault> {
        let script = Script([Fixed.token, answer])
        return await ask(Fixed.adapter(script, change), script, question)
    }

    @Test func `asks for the hours that the backend named`() async throws {
        let script = Script([Fixed.token, .answer(200, #"{"swapped":true}"#)])
        let answer = await Self.ask(Fixed.adapter(script), script, .within(hours: 2400))
        #expect(answer == .success(.swapped(true)))
        #expect(try JSONObject.parse(script.requests[1].body) == ["maxAge": 2400, "phoneNumber": "+12001004016"])
    }

    @Test func `asks for a date with a token of its own, and keeps both`() async throws {
        let script = Script([
            Fixed.token, Fixed.clean, Fixed.token, Self.dated, Fixed.clean, Self.dated,
        ])
        let adapter = Fixed.adapter(script)
        let date = SIMSwapAnswer.last(Timestamp(seconds: 1_767_175_200))
        for _ in 0..<2 {
            #expect(await Self.ask(adapter, script, .within(hours: 24)) == .success(.swapped(false)))
            #expect(await Self.ask(adapter, script, .last) == .success(date))
        }
        #expect(
            script.requests.map(\.url).filter { $0.hasSuffix("/token") }.count == 2
                && script.requests[3].url == "https://api.operator.example/sim-swap/v2/retrieve-date")
        let form = String(decoding: script.requests[2].body, as: UTF8.self)
        #expect(form.contains("scope=dpv%3AFraudPreventionAndDetection%20sim-swap%3Aretrieve-date&"))
    }

    @Test func `an operator without check is asked for its date`() async {
        let change: (inout ReputationOperatorSettings) -> Void = { $0.simSwapCall = .retrieveDate }
        #expect(await Self.ask(Self.dated, .within(hours: 25), change) == .success(.swapped(true)))
        #expect(await Self.ask(Self.dated, .within(hours: 24), change) == .success(.swapped(false)))
        let untold = Script.Step.answer(200, #"{"latestSimChange":null,"monitoredPeriod":1}"#)
        #expect(await Self.ask(untold, .within(hours: 24), change) == .success(.swapped(false)))
        #expect(await Self.ask(untold, .within(hours: 25), change) == .success(.untold(monitoredDays: 1)))
        #expect(await Self.ask(untold, .last, change) == .success(.untold(monitoredDays: 1)))
    }

    @Test func `says where the operator may not look back so far, and where nobody can be asked`() async {
        let far = Script.Step.answer(400, #"{"status":400,"code":"OUT_OF_RANGE","message":"30 days"}"#)
        #expect(await Self.ask(far, .within(hours: 2400)) == .success(.untold(monitoredDays: nil)))
        #expect(await Self.ask(.answer(422, "{}"), .last) == .failure(.notCovered))
        #expect(await Self.ask(.answer(404, "{}"), .within(hours: 1)) == .failure(.notCovered))
        let none = Script([])
        let adapter = Fixed.adapter(none) {
            $0.simSwapURL = nil
            $0.recyclingURL = "https://api.operator.example/number-recycling/v0.2"
        }
        #expect(await Self.ask(adapter, none, .last) == .failure(.notCovered) && none.requests.isEmpty)
    }

    @Test(arguments: [#"{"latestSimChange":"9999-12-31T23:59:59-23:00"}"#, #"{"latestSimChange":7}"#, "{}"])
    func `a date that cannot be told on is none`(body: String) async {
        guard case .failure(.failed) = await Self.ask(.answer(200, body), .last) else {
            Issue.record("\(body) was taken")
            return
        }
    }

    @Test func `the next operator is asked where one does not know the number`() async throws {
        let first = Script([Fixed.token, .answer(404, "{}")])
        let second = Script([Fixed.token, Self.dated])
        let directory = ReputationDirectory(
            [(Fixed.adapter(first), ["+1200"]), (Fixed.adapter(second), ["+1"])], timeout: .seconds(3),
            instant: { first.clock.now })
        let answer = try await directory.simSwap(.last, of: Fixture.number)
        #expect(answer == .last(Timestamp(seconds: 1_767_175_200)))
    }
}
