import HTTPServer
import Locks
@testable import Outbound
import Engine
import Possession

/// Values that the tests of operators share.
enum Fixture {
    static let now = Timestamp(seconds: 1_767_261_600)
    static let number = PhoneNumber(e164: "+12001004016")!
    static let other = PhoneNumber(e164: "+12001004014")!
    static let code = "SplxlOBeZQQYbYS6WxSbIA"
    static let verifier = "dBjftJeZ4CVP-mBfnNvb_9mFxJd1q8v0ThmVbgcLDJ8"
    static let accessToken = "SlAV32hkKG.token~x/y+z=="

    static func settings(_ name: String = "example") -> OperatorSettings {
        OperatorSettings(
            name: name, authorizeURL: "https://operator.example/authorize", tokenURL: "https://operator.example/token",
            apiURL: "https://api.operator.example/number-verification/v2", clientID: "holdfast",
            redirectURI: "https://device.example/ma/v1/cb", networks: ["192.0.2.0/24"])
    }

    /// Limits of a server that no slowness reaches.
    static var limits: HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        limits.headerTimeout = .seconds(600)
        limits.requestTimeout = .seconds(600)
        limits.keepAliveTimeout = .seconds(600)
        limits.responseTimeout = .seconds(600)
        limits.shedsLoad = false
        return limits
    }

    /// A client that gives up when a call's own time is over, and no sooner, and keeps its connections as long.
    static func client() -> OutboundHTTP {
        var limits = OutboundLimits()
        limits.idleTimeout = .seconds(600)
        return OutboundHTTP(connectTimeout: .seconds(600), limits: limits)
    }

    static func randomBytes(_ count: Int) throws(EntropyFault) -> [UInt8] { [UInt8](repeating: 0xAB, count: count) }
}

/// Writes what it was asked to sign.
struct FakeAssertions: ClientAssertionIssuer {
    var fails = false

    func issueClientAssertion(
        clientID: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        if fails { throw TokenFault("no key") }
        return "assertion for \(clientID) at \(audience), \(jti.count) bytes, \(now.seconds)"
    }

    func issueGrantAssertion(
        clientID: String, subject: String, scope: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        if fails { throw TokenFault("no key") }
        return "grant of \(clientID) for \(subject), \(scope) at \(audience), \(jti.count) bytes, \(now.seconds)"
    }
}

/// A clock that moves when a test says so.
final class FixedInstant: Sendable {
    private let instant = Locked(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }
    func advance(_ duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
}

/// Answers calls with what was prepared, one after another, and remembers them.
final class Script: Sendable {
    struct Step: Sendable {
        var result: Result<OutboundResponse, OutboundFault>
        var takes: Duration = .zero

        static func answer(_ status: Int, _ body: String, takes: Duration = .zero) -> Step {
            Step(result: .success(OutboundResponse(status: status, body: Array(body.utf8))), takes: takes)
        }

        static func fault(_ fault: OutboundFault) -> Step { Step(result: .failure(fault)) }

        static let token = answer(200, #"{"access_token":"\#(Fixture.accessToken)","token_type":"Bearer"}"#)
    }

    let clock = FixedInstant()
    private let steps: Locked<[Step]>
    private let seen = Locked<[OutboundRequest]>([])

    init(_ steps: [Step]) {
        self.steps = Locked(steps)
    }

    var requests: [OutboundRequest] { seen.withLock { $0 } }

    func send(_ request: OutboundRequest) async throws(OutboundFault) -> OutboundResponse {
        seen.withLock { $0.append(request) }
        guard let step = steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            throw .failed(reason: "nothing is prepared")
        }
        clock.advance(step.takes)
        return try step.result.get()
    }

    func makeOperator(
        _ settings: OperatorSettings = Fixture.settings(), assertions: FakeAssertions = FakeAssertions()
    ) -> CAMARAOperator {
        CAMARAOperator(
            settings, send: { (request) throws(OutboundFault) in try await self.send(request) },
            assertions: assertions, now: { Fixture.now }, randomBytes: Fixture.randomBytes,
            instant: { self.clock.now })
    }
}
