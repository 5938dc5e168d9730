package import HTTPServer
package import Possession
package import SurfaceKit

/// What backends call that were written for OTPLESS: send a code, check it, by the id of a request.
///
/// A request is a session that its backend drives.
package struct OtplessSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<OtplessSurface>] = [
        SurfaceCall { InitiateOTP(requests: $0.requests) },
        SurfaceCall { VerifyOTP(requests: $0.requests) },
        SurfaceCall { SendOrder(requests: $0.requests) },
        SurfaceCall { ResendOrder(requests: $0.requests) },
        SurfaceCall { VerifyOrder(requests: $0.requests) },
        SurfaceCall { ReadRequestStatus(requests: $0.requests) },
        SurfaceCall {
            ValidateToken(
                requests: $0.requests, idTokens: $0.idTokens, issuer: ReadDiscovery.issuer($0.publicURL))
        },
        SurfaceCall(ReadUserInfo.operations) { ReadUserInfo(requests: $0.requests, gate: $0.gate).routes },
        SurfaceCall(ReadDiscovery.operations) { [ReadDiscovery(publicURL: $0.publicURL).route] },
        SurfaceCall(ReadIDTokenKeys.operations) {
            [ReadIDTokenKeys(idTokens: $0.idTokens, now: $0.requests.engine.now).route]
        },
    ]

    fileprivate let backends: BackendGate<Tenant, OtplessError>
    private let gate: OtplessGate
    private let requests: OtplessRequests
    private let idTokens: any IDTokenIssuer
    private let publicURL: String

    /// - Parameters:
    ///   - logins: shared with the other surfaces of backends: one count of failures and one rate an API client.
    ///   - publicURL: scheme and authority of the server, as its callers reach it.
    ///   - carries: whether a message can leave by a channel, as the gateways are now.
    package init(
        engine: Engine, logins: ClientLogin, idTokens: any IDTokenIssuer, publicURL: String,
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) {
        gate = OtplessGate(logins: logins, report: engine.report)
        backends = gate.backends
        self.idTokens = idTokens
        self.publicURL = publicURL
        requests = OtplessRequests(engine, carries: carries)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The surface in an API description of its own.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [(ErrorShape.otpless.name, OtplessError.schema), ErrorShape.otpless.orFailure])

    package static let documentPath = OtplessPath.base + "/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast for callers of OTPLESS", summary: "Sends codes, checks them, and tells who has proven what.",
        detail: """
            The server calls of OTPLESS, all below /otpless. Callers show an API client's id and secret in the header \
            fields clientId and clientSecret. In requests, null and "" count as absent, and members that are not \
            described are ignored. What is the same as at OTPLESS, and what is not, is in docs/otpless.md.
            """)
}

extension SurfaceCall<OtplessSurface> {
    fileprivate init<E: OtplessEndpoint>(_ make: @escaping @Sendable (OtplessSurface) -> E) {
        self.init(E.operations) { $0.backends.routes(make($0)) }
    }
}
