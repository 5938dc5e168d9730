internal import Logging
internal import Storage
internal import CamaraSurface
internal import ClientSurfaces
internal import DocsSurface
internal import HookSurface
internal import MessageSurfaces
internal import OnboardingSurface
internal import OperationsSurfaces
internal import OtplessSurface
internal import PreludeSurface
internal import ProveSurfaces
internal import SandboxSurfaces
internal import ServerDescription
internal import SurfaceKit
internal import TwilioVerifySurface
internal import Clocks
internal import HTTPServer
internal import Locks
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Sandbox
internal import Text
internal import Tokens

/// Every surface that callers and operators see. Each surface has one line in `routes` and a builder below.
struct Surfaces: Sendable {
    private let ground: StartContext
    private let engine: Engine
    private let routed: RoutedGateway?
    private let gatewayFigures: GatewayFigures?
    private let erasure: Erasure
    private let webhooks: WebhookManager
    private let waits: WaitList
    private let watchers: SessionWatchers
    /// The places for event streams and long polls.
    let places: WaitingPlaces
    /// Web origins of all API clients.
    let origins = Locked<Set<ByteText>>([])
    private let operations: OperationsSurface
    private let docs: DocsSurface
    /// The operator that a sandbox simulates; `nil`: a live server.
    private let simulatedOperator: SimulatedOperator?
    private let platform: PlatformSurface
    private let idTokens: IDTokens
    private let finder: any PersonFinder
    private let applications: [SandboxApplication]

    init(
        _ ground: StartContext, _ engine: Engine, _ network: NetworkServices, _ erasure: Erasure,
        _ webhooks: WebhookManager,
        _ readiness: Readiness, applications: [SandboxApplication], waits: WaitList, watchers: SessionWatchers
    ) {
        self.ground = ground
        self.engine = engine
        routed = network.messages.routed
        gatewayFigures = network.messages.figures
        finder = network.finder
        self.applications = applications
        self.erasure = erasure
        self.webhooks = webhooks
        self.waits = waits
        self.watchers = watchers
        let (server, registry) = (ground.configuration.server, ground.registry)
        let logger = ground.logger
        simulatedOperator = ground.environment.played.map {
            network.mobile.simulatedOperator($0.userList.users, hang: SimulatedOperator.hang(waits)) {
                logger.warning("\($0)")
            }
        }
        let (publicURL, isSandbox) = (ground.addresses.publicURL, ground.environment.isSandbox)
        places = WaitingPlaces(
            most: server.maxStreams, mostPerAddress: server.maxStreamsPerAddress,
            trustedProxies: server.trustedProxies)
        operations = OperationsSurface(
            engine: engine,
            notReady: { await readiness.reason() },
            metrics: { String(decoding: registry.render(), as: UTF8.self) }, sha256: SHA256.digest,
            description: {
                APIDescription(
                    version: BuildInfo.version, publicURL: publicURL, isSandbox: isSandbox, sha256: SHA256.digest)
            },
            sessions: {
                APIDescription(
                    ofSessions: BuildInfo.version, publicURL: publicURL, isSandbox: isSandbox, sha256: SHA256.digest)
            },
            vendors: Self.vendors(publicURL: publicURL).map { ($0.path, $0.description) })
        docs = DocsSurface(
            Self.documents(publicURL: publicURL, isSandbox: isSandbox), isSandbox: isSandbox, sha256: SHA256.digest)
        idTokens = IDTokens(ground.tokens, keeper: ground.store.keeper, now: ground.store.now)
        platform = PlatformSurface(
            engine: engine, settings: PlatformSurface.Settings(ground.configuration),
            systemNow: ground.store.machineNow)
    }

    // MARK: Routes

    /// Routes of the public server, without the front page and the error page.
    var routes: [Route] {
        let server = ground.configuration.server
        let parts: [[Route]] = [
            operations.publicRoutes(metrics: server.publicMetrics, description: server.publicDocs),
            server.publicDocs ? docs.routes : [],
            platform.routes, client.routes, links.routes, mobileAuth.routes, identities.routes, auth.routes,
            webhookRoutes, app?.routes ?? [], receipts?.routes ?? [], sandboxRoutes, prelude.routes,
            twilioVerify.routes, otpless.routes, onboarding.routes, hooks.routes, camara.routes,
        ]
        return parts.flatMap { $0 }
    }

    /// The surfaces that answer unknown paths below their prefix in their own format. All other unknown paths get the
    /// platform's format.
    var areas: [Area] {
        [client.area, prelude.area, twilioVerify.area, otpless.area, hooks.area, camara.area] + onboarding.areas
    }

    /// Routes of the server for operators, without those two pages.
    var operationsRoutes: [Route] {
        // The simulated operator is called here, because over TLS the server would have to trust its own certificate.
        operations.routes + docs.routes
            + (ground.configuration.server.tls == nil ? [] : simulatedOperator?.routes ?? [])
    }

    /// The surface that redirects browsers from http to https. It refuses calls of programs, because they have already
    /// sent their secrets in clear text.
    var redirect: RedirectSurface {
        let calls = [
            platform.routes, client.routes, identities.routes, auth.routes, webhookRoutes, app?.routes ?? [],
            receipts?.routes ?? [], prelude.routes, twilioVerify.routes, otpless.routes,
            onboarding.routes, hooks.routes, camara.routes,
        ]
        return RedirectSurface(publicURL: ground.addresses.publicURL, calls: calls.flatMap { $0 })
    }

    /// The front page for the given routes, and the page for failed requests.
    func front(beside routes: [Route]) -> FrontSurface {
        FrontSurface(beside: routes, isSandbox: ground.environment.isSandbox, sha256: SHA256.digest)
    }

    // MARK: One surface each

    private var trustedProxies: AddressRanges { ground.configuration.server.trustedProxies }

    private var client: ClientSurface {
        let origins = origins
        return ClientSurface(
            engine: engine, products: ProductName.ofPlatform,
            settings: ClientSurface.Settings(
                publicURL: ground.addresses.publicURL, isSandbox: ground.environment.isSandbox,
                trustedProxies: trustedProxies),
            callers: platform.callers, watchers: watchers, places: places,
            isOriginListed: { origin in origins.withLock { $0.contains(ByteText(origin)) } },
            systemNow: { SystemClock.now() })
    }

    /// The people that a played provider may return: the sandbox's users; none on a live server.
    private var people: @Sendable () -> [SandboxPerson] {
        guard let users = ground.environment.played?.userList.users else { return { [] } }
        return { users.all.map { SandboxPerson(number: $0.number, name: $0.name, email: $0.emailAddress) } }
    }

    private var links: LinkSurface {
        LinkSurface(
            engine: engine, products: ProductName.ofPlatform + [.otpless], people: people,
            trustedProxies: trustedProxies, callers: platform.callers, sha256: SHA256.digest)
    }

    private var mobileAuth: MobileAuthSurface {
        MobileAuthSurface(engine: engine, trustedProxies: trustedProxies, callers: platform.callers)
    }

    private var identities: IdentitySurface {
        IdentitySurface(gate: platform.gate, erasure: erasure)
    }

    private var auth: AuthSurface { AuthSurface(gate: platform.gate) }

    private var webhookRoutes: [Route] { WebhookSurface(gate: platform.gate, webhooks: webhooks).routes }

    /// `nil`: no API client is configured for apps.
    private var app: AppSurface? {
        AppSurface.Settings(ground.configuration, publicURL: ground.addresses.publicURL).map {
            AppSurface(engine: engine, settings: $0, callers: platform.callers)
        }
    }

    private var prelude: PreludeSurface {
        let origins = origins
        var settings = PreludeSurface.Settings(
            publicURL: ground.addresses.publicURL, isSandbox: ground.environment.isSandbox,
            trustedProxies: trustedProxies)
        // Not on a live server: strangers could use up the tries of windows that backends have opened.
        settings.appClient = ground.environment.isSandbox ? ground.configuration.app.clientID : nil
        settings.appOrigins = ground.configuration.app.allowedOrigins
        return PreludeSurface(
            engine: engine, settings: settings,
            logins: platform.logins, callers: platform.callers, webhookKeys: ground.tokens,
            isOriginListed: { origin in origins.withLock { $0.contains(ByteText(origin)) } })
    }

    /// `nil`: there are no gateways that could report on messages.
    private var receipts: MessageSurface? {
        routed.map { [gatewayFigures] routed in
            MessageSurface(
                engine: engine, reader: routed, publicURL: ground.addresses.publicURL,
                refused: { gatewayFigures?.noteRefusedReceipt($0, $1) })
        }
    }

    private var twilioVerify: TwilioSurface {
        let routed = routed
        return TwilioSurface(
            engine: engine, logins: platform.logins, carries: { routed?.carries($0) ?? true },
            publicURL: ground.addresses.publicURL, sha256: SHA256.digest, systemNow: ground.store.machineNow)
    }

    private var hooks: HookSurface {
        HookSurface(
            engine: engine, logins: platform.logins, mac: { MessageCode.hmac(.sha256, key: $0, $1) },
            systemNow: ground.store.machineNow)
    }

    private var otpless: OtplessSurface {
        let (routed, origins) = (routed, origins)
        return OtplessSurface(
            engine: engine,
            settings: OtplessSurface.Settings(
                publicURL: ground.addresses.publicURL, isSandbox: ground.environment.isSandbox,
                trustedProxies: trustedProxies),
            logins: platform.logins, callers: platform.callers, idTokens: idTokens,
            isOriginListed: { origin in origins.withLock { $0.contains(ByteText(origin)) } }, sha256: SHA256.digest,
            people: people, carries: { routed?.carries($0) ?? true })
    }

    private var onboarding: OnboardingSurface {
        let configuration = ground.configuration
        var settings = OnboardingSurface.Settings(
            version: BuildInfo.version, isSandbox: ground.environment.isSandbox, trustedProxies: trustedProxies)
        if configuration.onboarding.acceptsPlain { settings.plainClient = configuration.app.clientID }
        if let inbox = ground.environment.played?.inbox {
            settings.sentCode = { session in
                let messages = session.currentTarget.map { inbox.messages(to: $0, after: nil) } ?? []
                return messages.last { $0.correlationID == session.correlationID && $0.code != nil }?.code
            }
        }
        return OnboardingSurface(
            engine: engine, settings: settings, finder: finder, devices: ground.store.devices, logins: platform.logins,
            callers: platform.callers, systemNow: ground.store.machineNow)
    }

    private var camara: CamaraSurface {
        CamaraSurface(
            engine: engine, logins: platform.logins, keys: ClientKeyAssertions(),
            uses: SharedUses(ground.store.usedNames), publicURL: ground.addresses.publicURL, sha256: SHA256.digest,
            systemNow: ground.store.machineNow)
    }

    /// The API description of another vendor's format.
    private struct VendorDocument {
        let path: String
        /// The name in addresses of the documentation, and in the name of its guide.
        let name: String
        /// The name for readers.
        let heading: String
        let description: @Sendable () -> APIDescription
    }

    private static func vendors(publicURL: String) -> [VendorDocument] {
        let formats = [
            ("prelude", "Prelude", PreludeSurface.documentPath, PreludeSurface.description, PreludeSurface.info),
            ("otpless", "OTPLESS", OtplessSurface.documentPath, OtplessSurface.description, OtplessSurface.info),
            (
                "onboarding", "Digital Onboarding", OnboardingSurface.documentPath, OnboardingSurface.description,
                OnboardingSurface.info
            ),
            (
                "twilio-verify", "Twilio Verify", TwilioSurface.documentPath, TwilioSurface.description,
                TwilioSurface.info
            ),
            ("camara", "CAMARA", CamaraSurface.documentPath, CamaraSurface.description, CamaraSurface.info),
            ("sms-hooks", "SMS hooks", HookSurface.documentPath, HookSurface.description, HookSurface.info),
        ]
        return formats.map { name, heading, path, surface, info in
            VendorDocument(path: path, name: name, heading: heading) {
                APIDescription(
                    of: surface, info, version: BuildInfo.version, publicURL: publicURL, sha256: SHA256.digest)
            }
        }
    }

    /// The API descriptions that the documentation shows.
    private static func documents(publicURL: String, isSandbox: Bool) -> [DocsSurface.Document] {
        let own = DocsSurface.Document(
            "holdfast", heading: "Holdfast and Prove", path: "/openapi.json", errors: "errors/prove"
        ) {
            APIDescription(
                version: BuildInfo.version, publicURL: publicURL, isSandbox: isSandbox, sha256: SHA256.digest)
        }
        return [own]
            + vendors(publicURL: publicURL).map {
                DocsSurface.Document(
                    $0.name, heading: $0.heading, path: $0.path, errors: "errors/" + $0.name, make: $0.description)
            }
    }

    /// For each surface, the calls that produce a success and report it.
    private static let successCalls: [ProductName: String] = {
        let code = "with the code of GET /sandbox/messages"
        return [
            .prelude: "POST /prelude/v2/verification/check \(code)",
            .twilioVerify: "POST .../VerificationCheck \(code)",
            .camara: "POST .../validate-code \(code)",
            .camaraNumber: "the operator's answer to the phone",
            .hook: "the server that has made the code, which checks it itself",
            .onboarding: "the activation of a phone: POST /pa/v3/activation/create \(code)",
        ]
    }()

    /// The surface of the sandbox and its simulated operator; empty on a live server.
    private var sandboxRoutes: [Route] {
        guard let played = ground.environment.played else { return [] }
        let (clock, clockTable) = (played.clock, ground.store.sandboxClock)
        let users = played.userList.users
        let sandbox = SandboxSurface(
            engine: engine,
            places: places, inbox: played.inbox, clock: clock,
            keepClock: { () throws(EngineFault) in
                do { try await clockTable.save { clock.offsetSeconds } } catch { throw EngineFault(error) }
            },
            clockMoved: { await played.sendDueReceipts() }, users: users, applications: applications,
            successCalls: Self.successCalls, waits: waits)
        return sandbox.routes + (simulatedOperator?.routes ?? [])
    }
}
