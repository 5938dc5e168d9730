import Engine
import Possession
import Text
import Outbound
import PhoneNumbers
import Testing

@testable import Observation
@testable import Wiring

/// The figures about sessions, messages and those outside (OPS-06).
@Suite struct DomainFiguresTests {
    private static let json = "Content-Type: application/json"

    private static func rendered(_ port: UInt16) throws -> Set<String> {
        Set(try ServerFixture.call(port, "GET", "/metrics").text.split(separator: "\n").map(String.init))
    }

    /// A session that sends a code and takes two.
    private static func run(_ port: UInt16, codes: [String]) throws {
        let started = try ServerFixture.unify(port, try ServerFixture.token(port))
        let headers = [Self.json, "Authorization: Bearer \(started.member("authToken"))"]
        let session = "/client/v1/session"
        _ = try ServerFixture.call(port, "POST", session, headers, body: #"{"platform":"web","fallback":"otp"}"#)
        _ = try ServerFixture.call(port, "POST", session + "/otp", headers, body: "{}")
        for code in codes {
            _ = try ServerFixture.call(port, "POST", session + "/otp/verify", headers, body: #"{"code":"\#(code)"}"#)
        }
    }

    @Test func `count what comes of sessions and messages`() async throws {
        let configuration = try ServerFixture.configuration(ServerFixture.freshDirectory())
        try await ServerFixture.withServer(configuration) { _, port in
            #expect(
                try Self.rendered(port).contains(
                    #"holdfast_sessions_ended_total{outcome="cancelled",possession_type="desktop"} 0"#))
            try Self.run(port, codes: ["9999"])
            try Self.run(port, codes: ["1234"])
            let lines = try Self.rendered(port)
            for line in [
                #"holdfast_sessions_started_total{product="unify",possession_type="mobile"} 2"#,
                #"holdfast_sessions_ended_total{outcome="succeeded",possession_type="mobile"} 1"#,
                #"holdfast_sessions_ended_total{outcome="failed",possession_type="mobile"} 1"#,
                #"holdfast_numbers_proven_total{method="otp"} 1"#,
                #"holdfast_codes_refused_total{reason="wrong"} 1"#,
                #"holdfast_messages_total{kind="code",country="1",outcome="sent"} 2"#,
                #"holdfast_messages_converted_total{kind="code",country="1"} 1"#,
                #"holdfast_operator_circuit_open{operator="simulated"} 0"#,
            ] { #expect(lines.contains(line), "\(line)") }
            for name in ["holdfast_database_bytes", #"holdfast_signing_key_age_seconds{purpose="auth"}"#] {
                #expect(lines.contains { $0.hasPrefix(name + " ") })
            }
        }
    }

    @Test func `know every country of the numbering plan, and no more`() {
        for region in NumberingPlan.libraryRegions() {
            for example in NumberingPlan.examples(in: region) {
                let code = example.number.callingCodeValue
                #expect(CallingCodes.labels[CallingCodes.index(of: code)] == example.number.callingCode, "\(region)")
            }
        }
        #expect(CallingCodes.labels.count < 250)
        for code in [0, 210, 999, 1000, -1] { #expect(CallingCodes.labels[CallingCodes.index(of: code)] == "other") }
    }

    private struct Scripted: BreakableOperator {
        let name = "op\"x"
        var isAvailable = false
        var fault: OperatorFault?

        func authorizeURL(_ request: OperatorRequest) -> String? { "" }

        func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer {
            if let fault { throw fault }
            return .verified(true)
        }
    }

    @Test(arguments: [
        (nil, "answered"), (OperatorFault.notOnNetwork, "not_on_network"), (.timeout, "timeout"),
        (.circuitOpen, "circuit_open"), (.failed(reason: "+12015550123"), "failed"),
    ]) func `count questions to an operator by outcome, and tell when it is left alone`(
        fault: OperatorFault?, outcome: String
    ) async {
        let registry = MetricsRegistry(CountedOperator.families)
        let counted = CountedOperator(Scripted(fault: fault), registry)
        _ = try? await counted.identify(.code("c", verifier: "v"), claimed: nil)
        let lines = MetricsTests.rendered(registry)
        #expect(lines.contains(#"holdfast_operator_calls_total{operator="op\"x",outcome="\#(outcome)"} 1"#))
        #expect(lines.count { $0.hasPrefix("holdfast_operator_calls_total") && $0.hasSuffix(" 0") } == 4)
        #expect(lines.contains(#"holdfast_operator_circuit_open{operator="op\"x"} 1"#))
        #expect(!lines.contains { $0.contains("5550123") })
    }
}
