package import Sandbox
package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit

/// A mobile network operator that the sandbox simulates, with a real operator's wire formats: OpenID Connect without
/// interaction, and CAMARA Number Verification 2.1.0. `login_hint` names the number of the connection; the sandbox user
/// with that number determines the outcome.
package struct SimulatedOperator: Sendable {
    package struct Settings: Sendable {
        /// The URL of this server for the back channel, without a slash at the end: the token endpoint below it is the
        /// audience of assertions.
        let publicURL: String
        /// The only registered client.
        let clientID: String
        /// Compared exactly.
        let redirectURI: String

        package init(publicURL: String, clientID: String, redirectURI: String) {
            self.publicURL = publicURL
            self.clientID = clientID
            self.redirectURI = redirectURI
        }
    }

    package static let authorizePath = "/sandbox/operator/authorize"
    package static let tokenPath = "/sandbox/operator/token"
    package static let phoneTokenPath = "/sandbox/operator/operator-token"
    /// The test network, which no subscriber's SIM has.
    package static let plmn = "00101"
    /// The base path of the Number Verification calls.
    package static let apiPath = "/sandbox/operator/number-verification/v2"

    private let settings: Settings
    private let network: SimulatedNetwork
    private let grants: OperatorGrants
    private let assertions: any ClientAssertionVerifier
    private let now: Now
    private let sha256: @Sendable ([UInt8]) -> [UInt8]
    private let gate: OperatorAPIGate

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<SimulatedOperator>] = [
        SurfaceCall(AuthorizeConnection.operations) {
            [AuthorizeConnection(settings: $0.settings, network: $0.network, grants: $0.grants).route]
        },
        SurfaceCall(RedeemOperatorCode.operations) {
            RedeemOperatorCode(
                settings: $0.settings, grants: $0.grants, assertions: $0.assertions, now: $0.now, sha256: $0.sha256
            ).routes
        },
        SurfaceCall(IssueOperatorToken.operations) {
            IssueOperatorToken(network: $0.network, grants: $0.grants).routes
        },
        SurfaceCall(VerifyDeviceNumber.operations) { VerifyDeviceNumber(sha256: $0.sha256).routes($0.gate) },
        SurfaceCall(ReadDeviceNumber.operations) { ReadDeviceNumber().routes($0.gate) },
    ]

    /// Simulates a network that does not answer: waits longer than any caller.
    package typealias Hang = @Sendable () async -> Void

    /// Waits on the loop of the request; a shutdown of the server ends the wait.
    package static func hang(_ waits: WaitList) -> Hang {
        { _ = await waits.register("a network that hangs").wait(for: .seconds(15)) }
    }

    /// - Parameters:
    ///   - now: the clock of the signer, by which assertions are checked, and codes and tokens expire.
    ///   - sha256: for PKCE and hashed numbers.
    ///   - report: takes internal faults.
    package init(
        _ settings: Settings, users: SandboxUsers, assertions: any ClientAssertionVerifier, now: @escaping Now,
        randomBytes: @escaping RandomBytes, sha256: @escaping @Sendable ([UInt8]) -> [UInt8],
        hang: @escaping Hang, report: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.assertions = assertions
        self.now = now
        self.sha256 = sha256
        grants = OperatorGrants(now: now, randomBytes: randomBytes, report: report)
        network = SimulatedNetwork(users: users)
        gate = OperatorAPIGate(grants: grants, hang: hang)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [
            (ErrorShape.oauth.name, OAuthError.schema), (ErrorShape.camara.name, OperatorAPIError.schema),
            ErrorShape.oauth.orFailure, ErrorShape.camara.orFailure,
        ])
}
