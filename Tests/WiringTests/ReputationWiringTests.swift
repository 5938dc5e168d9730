import Outbound
import Engine
import Possession
import StrictJSON
import Testing

@testable import Observation
@testable import Wiring

/// Sources for the standing of numbers: the settings, and the figures.
@Suite struct ReputationWiringTests {
    private static func text(_ reputation: String, mode: String = "live", mobileAuth: String = "{}") -> String {
        #"""
        {"mode":"\#(mode)","data":{"directory":"d"},"server":{"publicUrl":"https://a.example"},
        "mobileAuth":\#(mobileAuth),"reputation":\#(reputation)}
        """#
    }

    private static let whole = #"""
        "tokenUrl":"https://idp.example/token","clientId":"us","prefixes":["+4915"],
        "simSwapUrl":"https://api.example/sim-swap/v2"
        """#

    @Test(arguments: ["sandbox", "live"]) func `asks nobody by default`(mode: String) throws {
        let reputation = try ConfigurationTests.read(Self.text("{}", mode: mode)).reputation
        #expect(!reputation.isAsked && reputation.whenUnknown == .fail && reputation.service == nil)
        #expect(reputation.simSwapHours == 24 && reputation.timeoutSeconds == 3)
    }

    @Test func `reads every setting of operators, and prints it so that it can be read again`() throws {
        let text = Self.text(
            #"""
            {"whenUnknown":"pass","simSwapHours":72,"timeoutSeconds":5,"circuitFailures":0,"circuitPauseSeconds":60,
            "operators":{"one":{\#(Self.whole),"numberRecyclingUrl":"https://api.example/number-recycling/v0.2",
            "tokenWay":"jwt-bearer","simSwapCall":"retrieve-date"},"two":{\#(Self.whole)}}}
            """#)
        let configuration = try ConfigurationTests.read(text)
        var one = ReputationOperatorSettings(
            name: "one", tokenURL: "https://idp.example/token", clientID: "us",
            simSwapURL: "https://api.example/sim-swap/v2", prefixes: ["+4915"])
        one.simSwapHours = 72
        one.breakerFailures = 0
        one.breakerPause = .seconds(60)
        var two = one
        two.name = "two"
        one.recyclingURL = "https://api.example/number-recycling/v0.2"
        one.tokenWay = .jwtBearer
        one.simSwapCall = .retrieveDate
        #expect(configuration.reputation.operatorSettings == [one, two])
        #expect(configuration.reputation.whenUnknown == .pass && configuration.reputation.timeoutSeconds == 5)
        let local = try ConfigurationTests.read(text, path: "test.json")
        #expect(try ConfigurationTests.read(local.report, path: "test.json") == local)
    }

    @Test func `borrows from the Mobile Auth operator of the same name`() throws {
        let mobileAuth = #"""
            {"operators":{"one":{"authorizeUrl":"https://idp.example/authorize","tokenUrl":"https://idp.example/token",
            "apiUrl":"https://api.example/number-verification/v2","clientId":"us","networks":["192.0.2.0/24"]}}}
            """#
        let own = #"{"operators":{"one":{"prefixes":["+1"],"simSwapUrl":"https://api.example/sim-swap/v2"}}}"#
        let settings = try ConfigurationTests.read(Self.text(own, mobileAuth: mobileAuth)).reputation.operatorSettings
        #expect(settings.first?.tokenURL == "https://idp.example/token" && settings.first?.clientID == "us")
        #expect(
            ConfigurationTests.mistakes(Self.text(own)) == [
                "reputation.operators.one.tokenUrl: must be a string that is not empty",
                "reputation.operators.one.clientId: must be a string that is not empty",
            ])
    }

    @Test(arguments: [
        (#"{"url":"https://risk.example/"}"#, ["reputation.secretFile: missing; reputation.url needs it"]),
        (#"{"secretFile":"s"}"#, ["reputation.url: missing; reputation.secretFile is for it"]),
        (
            #"{"url":"http://risk.example/","secretFile":"s"}"#,
            ["reputation.url: must begin with https://, except for loopback addresses"]
        ),
        (#"{"whenUnknown":"maybe"}"#, ["reputation.whenUnknown: must be one of: fail, pass"]),
        (#"{"simSwapHours":2401}"#, ["reputation.simSwapHours: must be an integer from 1 to 2400"]),
        (#"{"operators":[]}"#, ["reputation.operators: must be an object"]),
        (
            #"{"operators":{"one":7}}"#,
            [
                "reputation.operators.one: must be an object",
                "reputation.operators.one.tokenUrl: must be a string that is not empty",
                "reputation.operators.one.clientId: must be a string that is not empty",
                "reputation.operators.one.prefixes: must be a list of what its numbers begin with, such as +4915",
            ]
        ),
        (
            #"{"operators":{"one":{\#(whole),"tokenWay":"ciba","simSwapCall":true}}}"#,
            [
                "reputation.operators.one.tokenWay: must be one of: client-credentials, jwt-bearer",
                "reputation.operators.one.simSwapCall: must be one of: check, retrieve-date",
            ]
        ),
        (
            #"{"operators":{"one":{"tokenUrl":"https://a.example","clientId":"c","prefixes":["+1","1"]}}}"#,
            [
                "reputation.operators.one: needs simSwapUrl or numberRecyclingUrl: there is nothing to ask",
                "reputation.operators.one.prefixes[1]: must be + and up to 15 digits",
            ]
        ),
        (
            #"{"url":"https://a.example/","secretFile":"s","operators":{"one":{\#(whole)}}}"#,
            ["reputation.operators: reputation.url is set: there can be only one of the two"]
        ),
    ])
    func `names what is wrong with a setting`(reputation: String, mistakes: [String]) {
        #expect(ConfigurationTests.mistakes(Self.text(reputation)) == mistakes)
    }

    @Test func `is for live servers: a sandbox has its users file`() {
        #expect(
            ConfigurationTests.mistakes(Self.text(#"{"url":"https://a.example/","secretFile":"s"}"#, mode: "sandbox"))
                == ["reputation.url: the users file has the standing of numbers"])
        #expect(
            ConfigurationTests.mistakes(Self.text(#"{"operators":{"one":{\#(Self.whole)}}}"#, mode: "sandbox"))
                == ["reputation.operators: the users file has the standing of numbers"])
    }

    // MARK: Figures

    private struct Scripted: ReputationOperator {
        let name = "example"
        let answer: Result<Reputation, ReputationFault>
        var isAvailable: Bool { answer != .failure(.resting) }

        func standing(
            _ query: ReputationQuery, by deadline: ContinuousClock.Instant
        ) async throws(ReputationFault) -> Reputation { try answer.get() }
    }

    @Test(
        arguments: [
            (.success(Reputation()), "passed"),
            (.success(Reputation(failureReasons: [.init(code: "9135", text: "t")])), "bad"),
            (.failure(.notCovered), "not_covered"), (.failure(.timeout), "timeout"), (.failure(.resting), "resting"),
            (.failure(.failed(reason: "r")), "failed"), (.failure(.cancelled), "cancelled"),
        ] as [(Result<Reputation, ReputationFault>, String)])
    func `counts questions by what came of them`(answer: Result<Reputation, ReputationFault>, outcome: String) async {
        let registry = MetricsRegistry(CountedReputation.families)
        let counted = CountedReputation(Scripted(answer: answer), registry)
        for _ in 0..<2 {
            let query = ReputationQuery(PhoneNumber(e164: "+12015550123")!)
            _ = try? await counted.standing(query, by: .now)
        }
        let lines = MetricsTests.rendered(registry)
        #expect(lines.contains(#"holdfast_reputation_calls_total{operator="example",outcome="\#(outcome)"} 2"#))
        #expect(lines.count { $0.hasPrefix("holdfast_reputation_calls_total") && $0.hasSuffix(" 0") } == 6)
        let isOpen = answer == .failure(.resting) ? 1 : 0
        #expect(lines.contains(#"holdfast_reputation_circuit_open{operator="example"} \#(isOpen)"#))
    }
}
