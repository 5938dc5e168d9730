import HTTPServer
import Outbound
import Engine
import Possession

/// Values that the tests of standings share.
enum ReputationFixture {
    static let day = Timestamp(seconds: 1_740_787_200)  // 2025-03-01
    static let session = CorrelationID(high: 1, low: 2)
    static let swapped = Reputation(failureReasons: [.init(code: "9135", text: "SIM swap under 24 hours ago")])
    static let recycled = Reputation(failureReasons: [.init(code: "9163", text: "number has a newer owner")])
    static let token = Script.Step.answer(
        200, #"{"access_token":"\#(Fixture.accessToken)","token_type":"Bearer","expires_in":300}"#)
    static let clean = Script.Step.answer(200, #"{"swapped":false}"#)

    static func settings(_ change: (inout ReputationOperatorSettings) -> Void = { _ in }) -> ReputationOperatorSettings
    {
        var settings = ReputationOperatorSettings(
            name: "example", tokenURL: "https://operator.example/token", clientID: "holdfast",
            simSwapURL: "https://api.operator.example/sim-swap/v2", prefixes: ["+1"])
        change(&settings)
        return settings
    }

    static func adapter(
        _ script: Script, _ change: (inout ReputationOperatorSettings) -> Void = { _ in }
    ) -> CAMARAReputation {
        CAMARAReputation(
            settings(change), send: { (request) throws(OutboundFault) in try await script.send(request) },
            assertions: FakeAssertions(), now: { Fixture.now }, randomBytes: Fixture.randomBytes,
            instant: { script.clock.now })
    }

    static func ask(
        _ source: CAMARAReputation, _ script: Script, knownSince: Timestamp? = nil, within seconds: Int = 3
    ) async -> Result<Reputation, ReputationFault> {
        do throws(ReputationFault) {
            return .success(
                try await source.standing(
                    ReputationQuery(Fixture.number, knownSince: knownSince),
                    by: script.clock.now.advanced(by: .seconds(seconds))))
        } catch { return .failure(error) }
    }

    static func ask(
        _ source: some ReputationSource, session: CorrelationID? = nil, number: PhoneNumber = Fixture.number
    ) async -> Result<Reputation, ReputationFault> {
        do throws(ReputationFault) {
            return .success(try await source.standing(ReputationQuery(number, knownSince: day, session: session)))
        } catch { return .failure(error) }
    }
}
