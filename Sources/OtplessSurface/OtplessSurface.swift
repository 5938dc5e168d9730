package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit
package import Text

/// Serves backends and apps written for OTPLESS: they send a code or a link, or ask an operator, and read the result.
///
/// A request is a session that its backend or an app drives.
package struct OtplessSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<OtplessSurface>] = [
        SurfaceCall { InitiateOTP(verifications: $0.verifications) },
        SurfaceCall { VerifyOTP(verifications: $0.verifications) },
        SurfaceCall { SendOrder(verifications: $0.verifications) },
        SurfaceCall { ResendOrder(verifications: $0.verifications) },
        SurfaceCall { VerifyOrder(verifications: $0.verifications) },
        SurfaceCall { ReadRequestStatus(verifications: $0.verifications) },
        SurfaceCall { ValidateToken(verifications: $0.verifications, identities: $0.identities) },
        SurfaceCall { InitiateSNA(silent: $0.silent) },
        SurfaceCall { CreateRequest(verifications: $0.verifications) },
        SurfaceCall { ReadAuthStatus(verifications: $0.verifications) },
        SurfaceCall(hop: { FollowSilent(start: $0.start) }),
        SurfaceCall(hop: { ConfirmSilent(start: $0.start) }),
        SurfaceCall(hop: { EndSilent(silent: $0.silent, addresses: $0.addresses, answer: $0.start.answer) }),
        SurfaceCall { InitiateMagicLink(verifications: $0.verifications) },
        SurfaceCall { InitiateOTPLink(verifications: $0.verifications) },
        SurfaceCall { InitiateOAuth(verifications: $0.verifications) },
        SurfaceCall { VerifyCode(verifications: $0.verifications, identities: $0.identities) },
        SurfaceCall(AuthorizeLink.operations) { AuthorizeLink(verifications: $0.verifications, gate: $0.gate).routes },
        SurfaceCall(ExchangeToken.operations) {
            ExchangeToken(verifications: $0.verifications, gate: $0.gate, identities: $0.identities).routes
        },
        SurfaceCall(ReadUserInfo.operations) { ReadUserInfo(verifications: $0.verifications, gate: $0.gate).routes },
        SurfaceCall(ReadDiscovery.operations) { [ReadDiscovery(publicURL: $0.publicURL).route] },
        SurfaceCall(ReadIDTokenKeys.operations) {
            [ReadIDTokenKeys(idTokens: $0.idTokens, now: $0.verifications.engine.now).route]
        },
        SurfaceCall(headless: { ReadState(gate: $0.headless) }),
        SurfaceCall(headless: { ReadMerchantConfig(gate: $0.headless, carries: $0.verifications.carries) }),
        SurfaceCall(headless: { BeginTransaction(gate: $0.headless, machine: $0.machine) }),
        SurfaceCall(headless: { RedeemTransaction(gate: $0.headless, machine: $0.machine) }),
        SurfaceCall(headless: { CheckTransaction(gate: $0.headless, machine: $0.machine) }),
        SurfaceCall(headless: { ReadTransaction(gate: $0.headless, machine: $0.machine) }),
        SurfaceCall(headless: { ReadSilentTransaction(gate: $0.headless, machine: $0.machine) }),
    ]

    package struct Settings: Sendable {
        /// Scheme and authority of the server, as its callers reach it.
        package let publicURL: String
        /// Whether pages of a loopback origin may call.
        package let isSandbox: Bool
        /// Proxies whose `X-Forwarded-For` is trusted.
        package let trustedProxies: AddressRanges

        package init(publicURL: String, isSandbox: Bool, trustedProxies: AddressRanges) {
            self.publicURL = publicURL
            self.isSandbox = isSandbox
            self.trustedProxies = trustedProxies
        }
    }

    fileprivate let backends: BackendGate<Tenant, OtplessError>
    private let gate: OtplessGate
    private let verifications: OtplessVerifications
    private let idTokens: any IDTokenIssuer
    private let identities: IdentityTokens
    private let publicURL: String
    fileprivate let headless: HeadlessGate
    private let machine: HeadlessMachine
    private let silent: OtplessSilent
    private let start: SilentStart
    private let addresses: ClientAddress
    fileprivate let hops: PhoneHops<OtplessError>

    /// - Parameters:
    ///   - logins: shared with the other surfaces for backends, so that failures and rates of an API client are counted
    ///     once.
    ///   - callers: the limits and rates for calls without credentials, shared with other surfaces.
    ///   - isOriginListed: whether any API client lets pages of the origin call.
    ///   - sha256: the digest by which the pages' policy names their style.
    ///   - people: the sandbox persons that a provider may return; empty outside the sandbox.
    ///   - carries: whether a gateway carries a channel now.
    package init(
        engine: Engine, settings: Settings, logins: ClientLogin, callers: CallerGate?, idTokens: any IDTokenIssuer,
        isOriginListed: @escaping @Sendable (String) -> Bool, sha256: @Sendable ([UInt8]) -> [UInt8],
        people: @escaping @Sendable () -> [SandboxPerson] = { [] },
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) {
        gate = OtplessGate(logins: logins, report: engine.reports.log)
        backends = gate.backends
        self.idTokens = idTokens
        publicURL = settings.publicURL
        verifications = OtplessVerifications(engine, people: people, carries: carries)
        identities = IdentityTokens(
            idTokens: idTokens, issuer: ReadDiscovery.issuer(settings.publicURL), now: engine.now)
        silent = OtplessSilent(verifications, publicURL: settings.publicURL)
        addresses = ClientAddress(trustedProxies: settings.trustedProxies)
        start = SilentStart(
            silent: silent, hop: FirstHop(silent.chain, addresses),
            answer: SilentAnswer(pages: PagePolicy(sha256: sha256)))
        hops = PhoneHops(callers: callers, report: engine.reports.log)
        headless = HeadlessGate(
            engine: engine, callers: callers, addresses: addresses,
            crossOrigin: CrossOrigin(
                isListed: isOriginListed, acceptsLoopback: settings.isSandbox, grant: .otpless,
                refusal: OtplessError.originNotAllowed.response))
        machine = HeadlessMachine(verifications: verifications, silent: silent, identities: identities)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// Answers for paths below the prefix that no call has.
    package var area: Area { Area(OtplessPath.base) { OtplessError.absent($1).response } }

    /// The surface as a separate API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [(ErrorShape.otpless.name, OtplessError.schema), ErrorShape.otpless.orFailure]
            + TransactionReply.schemas)

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

    fileprivate init<E: SilentHop>(hop make: @escaping @Sendable (OtplessSurface) -> E) {
        self.init(E.operations) { $0.hops.routes(make($0)) }
    }

    fileprivate init<E: HeadlessEndpoint>(headless make: @escaping @Sendable (OtplessSurface) -> E) {
        self.init(E.operations) { $0.headless.routes(make($0)) }
    }
}

extension CrossOrigin.Grant {
    /// The methods and header fields that the SDK on a page may send.
    fileprivate static let otpless = CrossOrigin.Grant(
        requestHeaders: "Content-Type, appId, state", exposedHeaders: "Retry-After, X-Request-Id",
        withCredentials: false)
}
