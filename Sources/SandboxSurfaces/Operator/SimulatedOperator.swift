package import Sandbox
package import HTTPServer
package import Possession
internal import SurfaceKit

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
    /// Below it the calls of Number Verification.
    package static let apiPath = "/sandbox/operator/number-verification/v2"

    private let authorize: AuthorizeConnection
    private let redeem: RedeemOperatorCode
    private let verify: VerifyDeviceNumber
    private let read: ReadDeviceNumber

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
        let grants = OperatorGrants(now: now, randomBytes: randomBytes, report: report)
        let network = SimulatedNetwork(users: users)
        authorize = AuthorizeConnection(settings: settings, network: network, grants: grants)
        redeem = RedeemOperatorCode(
            settings: settings, grants: grants, assertions: assertions, now: now, sha256: sha256)
        let gate = OperatorAPIGate(grants: grants, hang: hang)
        verify = VerifyDeviceNumber(gate: gate, sha256: sha256)
        read = ReadDeviceNumber(gate: gate)
    }

    package var routes: [Route] {
        let body = BodyRule(maxBytes: BodyBound.short.bytes)
        return [
            Route(.get, Self.authorizePath) { [authorize] in authorize.respond(to: $0) },
            Route(.post, Self.tokenPath, body: body) { [redeem] in redeem.respond(to: $0) },
            Route(.post, Self.apiPath + "/verify", body: body) { [verify] in
                await OperatorAPIError.answer($0) { (request) throws(OperatorAPIError) in
                    try await verify.respond(to: request)
                }
            },
            Route(.get, Self.apiPath + "/device-phone-number") { [read] in
                await OperatorAPIError.answer($0) { (request) throws(OperatorAPIError) in
                    try await read.respond(to: request)
                }
            },
        ]
    }
}
