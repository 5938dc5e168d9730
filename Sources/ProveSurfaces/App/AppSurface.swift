package import HTTPServer
package import Possession
package import Text
package import SurfaceKit

/// What the published client guides call on "your backend": a Pre-Fill run that a browser or phone drives by itself
/// (contract section 3).
package struct AppSurface: Sendable {
    package struct Settings: Sendable {
        /// For which tenant runs are started (`app.clientId`).
        package let tenant: ClientID
        /// Web origins that may call, with cookies (`app.allowedOrigins`).
        package let allowedOrigins: Set<String>
        /// Pages served from this machine as well: sandbox only.
        package let acceptsLoopbackOrigins: Bool
        /// Whether `authId` alone opens a run (`app.acceptAuthId`).
        package let acceptsAuthID: Bool
        /// `server.publicUrl`: with https, cookies are for TLS alone.
        package let publicURL: String
        /// Peers whose `X-Forwarded-Proto` is believed.
        package let trustedProxies: AddressRanges
        /// The default of `/initialize` in the desktop flow (`app.finalTargetUrl`).
        package var finalTargetURL: FinalTargetURL?
        /// Sandbox: whether a page that brings nothing means its newest run (`sandbox.flowByOrigin`).
        package var flowByOrigin = false

        package init(
            tenant: ClientID, allowedOrigins: Set<String>, acceptsLoopbackOrigins: Bool, acceptsAuthID: Bool,
            publicURL: String, trustedProxies: AddressRanges
        ) {
            self.tenant = tenant
            self.allowedOrigins = allowedOrigins
            self.acceptsLoopbackOrigins = acceptsLoopbackOrigins
            self.acceptsAuthID = acceptsAuthID
            self.publicURL = publicURL
            self.trustedProxies = trustedProxies
        }
    }

    private let engine: Engine
    private let tenant: ClientID
    /// Those of the platform surface: a tenant has one rate, whichever way it is called (ABU-01).
    private let callers: CallerGate?
    private let crossOrigin: CrossOrigin
    private let initialize: InitializeFlow
    private let verify: VerifyFlow
    private let finish: FinishFlow

    /// - Parameter callers: the limits and rates that these calls share with other surfaces.
    package init(engine: Engine, settings: Settings, callers: CallerGate? = nil) {
        self.engine = engine
        tenant = settings.tenant
        self.callers = callers
        let service = AppService(engine, tenant: settings.tenant, acceptsAuthID: settings.acceptsAuthID)
        let origins = Set(settings.allowedOrigins.map { ByteText($0) })
        let own = settings.publicURL
        crossOrigin = CrossOrigin(
            isListed: { origins.contains(ByteText($0)) || $0.isSame(as: own) },
            acceptsLoopback: settings.acceptsLoopbackOrigins,
            grant: .app, refusal: AppError.originNotAllowed.response)
        let runs =
            settings.flowByOrigin
            ? OriginRuns(addresses: ClientAddress(trustedProxies: settings.trustedProxies)) : nil
        initialize = InitializeFlow(
            service: service, finalTargetURL: settings.finalTargetURL, runs: runs,
            cookie: FlowCookie(
                isAlwaysSecure: settings.publicURL.hasPrefix("https://"), trustedProxies: settings.trustedProxies),
            addresses: ClientAddress(trustedProxies: settings.trustedProxies))
        verify = VerifyFlow(service: service, runs: runs)
        finish = FinishFlow(service: service, runs: runs)
    }

    package var routes: [Route] {
        post("/initialize", initialize.respond) + post("/verify", verify.respond) + post("/finish", finish.respond)
    }

    /// Type and size; the flow may be named in the body, so nothing is said of it before.
    private var bodyRule: BodyRule {
        let answer: @Sendable (BodyDefect, Request) -> Response = { [crossOrigin] defect, request in
            let origins = request.headers.values("origin")
            let mayRead = origins.count == 1 && origins.allSatisfy(crossOrigin.mayCall)
            return crossOrigin.permit(AppError.platform(.body(defect)).response, to: mayRead ? origins.first : nil)
        }
        return BodyRule(
            maxBytes: BodyBound.session.bytes,
            refusal: { request in
                do throws(BodyDefect) {
                    try RequestBody.checkHeadIfAnnounced(request, mediaType: RequestBody.json, upTo: .session)
                    return nil
                } catch { return answer(error, request) }
            },
            tooLarge: { answer(.tooLarge(.session), $0) })
    }

    private func post(
        _ pattern: String, _ respond: @escaping @Sendable (Request) async throws(AppError) -> Response
    ) -> [Route] {
        [
            Route.immediate(
                .options, pattern, respond: { [crossOrigin] in crossOrigin.preflight($0, methods: "POST") }),
            Route(.post, pattern, body: bodyRule) { [self] request in
                request.notes?.note(caller: tenant.text)
                // Browsers name the origin of every POST to another one: a page that is not listed cannot use a cookie.
                let origins = request.headers.values("origin")
                guard origins.count <= 1, origins.allSatisfy(crossOrigin.mayCall) else {
                    return crossOrigin.permit(AppError.originNotAllowed.response, to: nil)
                }
                do throws(AppError) {
                    do throws(LimitHit) {
                        try callers?.admit(request)
                        try callers?.takeOne(of: tenant)
                    } catch { throw AppError.platform(.rateLimited(error)) }
                    return crossOrigin.permit(try await respond(request), to: origins.first)
                } catch {
                    if let reason = error.report { engine.report("request \(request.id): \(reason)") }
                    return crossOrigin.permit(error.response, to: origins.first)
                }
            },
        ]
    }
}
