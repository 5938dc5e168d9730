package import HTTPServer
package import Engine
package import Possession
package import Text
package import SurfaceKit

/// Serves Prelude's SDKs, under `/prelude`: verifications by a backend, the app's own calls from Prelude's guide, and
/// the signals that the SDK on a phone sends.
package struct PreludeSurface: Sendable {
    package struct Settings: Sendable {
        /// Scheme and authority of the hops of silent verifications (`server.publicUrl`).
        package let publicURL: String
        /// Whether pages of a loopback origin may call, and callers may add sandbox numbers.
        package let isSandbox: Bool
        /// Proxies whose `X-Forwarded-For` is trusted.
        package let trustedProxies: AddressRanges
        /// The tenant for which apps call without a backend; `nil`: apps cannot call.
        package var appClient: ClientID?
        /// Web origins that may make these calls (`app.allowedOrigins`).
        package var appOrigins: [String] = []

        package init(publicURL: String, isSandbox: Bool, trustedProxies: AddressRanges) {
            self.publicURL = publicURL
            self.isSandbox = isSandbox
            self.trustedProxies = trustedProxies
        }
    }

    let engine: Engine
    fileprivate let backends: BackendGate<Tenant, PreludeError>
    /// Shared with the platform surface: a tenant has one rate, and an address one limit.
    let callers: CallerGate?
    let crossOrigin: CrossOrigin
    private let notices: ConnectionNotices
    private let lists: NumberLists
    private let senders: SenderNames
    private let testNumbers: TestNumbers
    fileprivate let appClient: ClientID?
    private let isSandbox: Bool
    private let verifications: PreludeVerifications
    private let addresses: ClientAddress
    private let chain: MobileAuthService
    private let look: NumberRisk
    private let webhookKeys: any WebhookKeyPair

    /// Every endpoint: its routes and its part of the API description come from here.
    private static let calls: [SurfaceCall<PreludeSurface>] = [
        SurfaceCall { CreateVerification(verifications: $0.verifications) },
        SurfaceCall { CheckVerification(verifications: $0.verifications) },
        SurfaceCall { ListHistory(engine: $0.engine) },
        SurfaceCall { ReadHistory(engine: $0.engine, backend: $0.verifications.verifications) },
        SurfaceCall { ListNumbers(lists: $0.lists) },
        SurfaceCall { AddNumber(lists: $0.lists, engine: $0.engine) },
        SurfaceCall { RemoveNumber(lists: $0.lists, engine: $0.engine) },
        SurfaceCall { ListTestNumbers(numbers: $0.testNumbers) },
        SurfaceCall { PutTestNumber(numbers: $0.testNumbers, engine: $0.engine, isSandbox: $0.isSandbox) },
        SurfaceCall { RemoveTestNumber(numbers: $0.testNumbers, engine: $0.engine) },
        SurfaceCall { ListSenders(senders: $0.senders) },
        SurfaceCall { AskForSender(senders: $0.senders) },
        SurfaceCall { LookUpNumber(engine: $0.engine) },
        SurfaceCall { PredictOutcome(look: $0.look) },
        SurfaceCall { EvaluateRules(look: $0.look) },
        SurfaceCall { _ in TakeEvents() },
        SurfaceCall { _ in TakeFeedback() },
        SurfaceCall(ReadWebhookKey.operations) {
            $0.routes(ReadWebhookKey(engine: $0.engine, keys: $0.webhookKeys))
        },
        SurfaceCall(app: { StartInApp(verifications: $0.verifications, addresses: $0.addresses) }),
        SurfaceCall(app: { CheckInApp(verifications: $0.verifications) }),
        SurfaceCall(NoteSignals.operations) {
            $0.routes(
                NoteSignals(
                    engine: $0.engine, notices: $0.notices, callers: $0.callers, addresses: $0.addresses))
        },
        SurfaceCall(hop: { FollowSilent(hop: FirstHop($0.chain, $0.addresses), engine: $0.engine) }),
        SurfaceCall(hop: { EndSilent(service: $0.chain, engine: $0.engine) }),
    ]

    /// - Parameters:
    ///   - logins: shared with the other surfaces whose backends send their credentials with each call.
    ///   - callers: the limits and rates for calls without credentials, shared with other surfaces.
    ///   - webhookKeys: receivers of webhooks check signatures by the public key.
    ///   - isOriginListed: whether any API client lets pages of the origin call.
    package init(
        engine: Engine, settings: Settings, logins: ClientLogin, callers: CallerGate?,
        webhookKeys: any WebhookKeyPair, isOriginListed: @escaping @Sendable (String) -> Bool
    ) {
        self.engine = engine
        notices = ConnectionNotices(engine)
        lists = NumberLists(engine)
        senders = SenderNames(engine)
        testNumbers = TestNumbers(engine)
        self.callers = callers
        self.webhookKeys = webhookKeys
        backends = PreludeGate(logins: logins, report: engine.reports.log).backends
        appClient = settings.appClient
        isSandbox = settings.isSandbox
        addresses = ClientAddress(trustedProxies: settings.trustedProxies)
        let silent = SilentVerifications(engine, notices: notices, publicURL: settings.publicURL)
        verifications = PreludeVerifications(engine, silent: silent, lists: lists)
        chain = MobileAuthService(engine, in: SessionFence(products: [.prelude]))
        look = NumberRisk(engine: engine, lists: lists)
        let (own, origins) = (settings.publicURL, Set(settings.appOrigins.map { ByteText($0) }))
        crossOrigin = CrossOrigin(
            isListed: { $0.isSame(as: own) || origins.contains(ByteText($0)) || isOriginListed($0) },
            acceptsLoopback: settings.isSandbox, grant: .prelude,
            refusal: PreludeError.originNotAllowed.response)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The vendor's products that this server does not offer, by their paths.
    private static let othersProducts = ["/notify", "/transactional", "/intel"].map { Array("/prelude/v2\($0)".utf8) }

    /// Answers for paths below the prefix that no call has. A wrong method is answered before the key is checked.
    package var area: Area {
        let (backends, report) = (backends, engine.reports.log)
        return Area("/prelude") { request, failure in
            await PreludeError.answer(request, report: report, render: { $0.response(requestID: request.id) }) {
                () async throws(PreludeError) in
                guard failure == .notFound else { throw .absent(failure) }
                _ = try await backends.caller(of: request)
                let isOthers = Self.othersProducts.contains { request.path.utf8.starts(with: $0) }
                throw isOthers ? PreludeError.notOffered(what: "this product") : PreludeError.absent(failure)
            }
        }
    }

    /// The surface in the API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [(ErrorShape.prelude.name, PreludeError.schema), ErrorShape.prelude.orFailure])
}

extension SurfaceCall<PreludeSurface> {
    fileprivate init<E: PreludeEndpoint>(_ make: @escaping @Sendable (PreludeSurface) -> E) {
        self.init(E.operations) { $0.backends.routes(make($0)) }
    }

    /// Has no routes if no API client is configured for apps.
    fileprivate init<E: PreludeAppEndpoint>(app make: @escaping @Sendable (PreludeSurface) -> E) {
        self.init(E.operations) { surface in
            surface.appClient.map { surface.routes(make(surface), for: $0) } ?? []
        }
    }

    fileprivate init<E: SilentHop>(hop make: @escaping @Sendable (PreludeSurface) -> E) {
        self.init(E.operations) { surface in
            PhoneHops(
                callers: surface.callers, report: surface.engine.reports.log,
                render: { $0.response(requestID: $1.id) }
            ).routes(make(surface))
        }
    }
}

extension CrossOrigin.Grant {
    /// Header fields that the SDK on a page may send.
    fileprivate static let prelude = CrossOrigin.Grant(
        requestHeaders: """
            Content-Type, Content-Encoding, X-SDK-Key, X-SDK-DispatchID, X-SDK-Request-Date, X-SDK-Implemented-Features
            """,
        exposedHeaders: "Retry-After, X-Request-Id", withCredentials: false)
}
