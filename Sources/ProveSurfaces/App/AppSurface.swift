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
    private let runs: OriginRuns?

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
        runs =
            settings.flowByOrigin
            ? OriginRuns(addresses: ClientAddress(trustedProxies: settings.trustedProxies)) : nil
        initialize = InitializeFlow(
            service: service, finalTargetURL: settings.finalTargetURL, runs: runs,
            cookie: FlowCookie(
                isAlwaysSecure: settings.publicURL.hasPrefix("https://"), trustedProxies: settings.trustedProxies),
            addresses: ClientAddress(trustedProxies: settings.trustedProxies))
        verify = VerifyFlow(service: service)
        finish = FinishFlow(service: service)
    }

    package var routes: [Route] {
        let credential: @Sendable (Request, FieldReader) throws(AppError) -> AppService.FlowCredential = {
            [runs] (request, fields) throws(AppError) in try AppRequest.credential(request, fields, runs)
        }
        return post(initialize) { _, _ in Nothing() } + post(verify, credential) + post(finish, credential)
    }

    /// The surface in the API description.
    package static let description = SurfaceDescription(
        InitializeFlow.operations(caller: nil) + VerifyFlow.operations(caller: .flowToken)
            + FinishFlow.operations(caller: .flowToken))

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

    /// The route of an endpoint, and that of its preflight.
    /// - Parameter caller: finds out who calls; gets the members of the body, which may say it.
    private func post<E: AppEndpoint>(
        _ endpoint: E, _ caller: @escaping @Sendable (Request, FieldReader) throws(AppError) -> E.Caller
    ) -> [Route] {
        [
            Route.immediate(
                .options, E.call.path, respond: { [crossOrigin] in crossOrigin.preflight($0, methods: "POST") }),
            Route(.post, E.call.path, body: bodyRule) { [self] request in
                request.notes?.note(caller: tenant.text)
                // Browsers name the origin of every POST to another one: a page that is not listed cannot use a cookie.
                let origins = request.headers.values("origin")
                guard origins.count <= 1, origins.allSatisfy(crossOrigin.mayCall) else {
                    return crossOrigin.permit(AppError.originNotAllowed.response, to: nil)
                }
                let response = await AppError.answer(request, report: engine.report) { () async throws(AppError) in
                    try await answer(request, endpoint, caller)
                }
                return crossOrigin.permit(response, to: origins.first)
            },
        ]
    }

    private func answer<E: AppEndpoint>(
        _ request: Request, _ endpoint: E, _ caller: (Request, FieldReader) throws(AppError) -> E.Caller
    ) async throws(AppError) -> Response {
        do throws(LimitHit) {
            try callers?.admit(request)
            try callers?.takeOne(of: tenant)
        } catch { throw .platform(.rateLimited(error)) }
        let fields: FieldReader
        do throws(BodyDefect) { fields = try E.call.body.reader(of: request) } catch { throw AppError(error) }
        let caller = try caller(request, fields)
        let body: E.Body
        do throws(FieldDefect) { body = try E.body.read(fields) } catch { throw AppError(error) }
        let answered = try await endpoint.respond(to: body, of: request, from: caller)
        var response = Response.json(200, E.reply.object(answered))
        for (name, value) in endpoint.headers(answered, request) { response.add(name, value) }
        return response
    }
}
