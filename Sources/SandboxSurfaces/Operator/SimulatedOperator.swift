package import Sandbox
package import HTTPServer
package import Possession
package import SurfaceKit

/// A mobile network operator that the sandbox plays, on the wire that a real one speaks: OpenID Connect without
/// interaction, and CAMARA Number Verification 2.1.0. Whose connection it is, `login_hint` says; how it goes, the
/// sandbox user with that number.
package struct SimulatedOperator: Sendable {
    package struct Settings: Sendable {
        /// This server as the back channel reaches it, without a slash at the end: the token endpoint below it is the
        /// audience of assertions.
        let publicURL: String
        /// The one registered client.
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
    /// The test network, which no subscriber's SIM names.
    package static let plmn = "00101"
    /// Below it the calls of Number Verification.
    package static let apiPath = "/sandbox/operator/number-verification/v2"

    private let settings: Settings
    private let network: SimulatedNetwork
    private let grants: OperatorGrants
    private let assertions: any ClientAssertionVerifier
    private let now: Now
    private let sha256: @Sendable ([UInt8]) -> [UInt8]
    private let gate: OperatorAPIGate

    /// Every endpoint: its route and its part of the API description come from here.
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

    /// How a network that hangs keeps somebody waiting: longer than anybody waits.
    package typealias Hang = @Sendable () async -> Void

    /// On the loop of a request, where the end of the server ends it.
    package static func hang(_ waits: WaitList) -> Hang {
        { _ = await waits.register("a network that hangs").wait(for: .seconds(15)) }
    }

    /// - Parameters:
    ///   - now: what assertions are checked by, and codes and tokens expire by: the clock of whoever signs.
    ///   - sha256: for PKCE and hashed numbers.
    ///   - report: takes what went wrong inside.
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

    /// The surface in the API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [
            (ErrorShape.oauth.name, OAuthError.schema), (ErrorShape.camara.name, OperatorAPIError.schema),
            ErrorShape.oauth.orFailure, ErrorShape.camara.orFailure,
        ])
}
