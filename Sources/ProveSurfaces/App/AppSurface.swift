package import HTTPServer
package import Engine
package import Possession
package import Text
package import SurfaceKit

/// Calls to "your backend" from the published client guides: a Pre-Fill run that a browser or phone drives by itself
/// (contract section 3).
package struct AppSurface: Sendable {
    package struct Settings: Sendable {
        /// The tenant for which runs are started (`app.clientId`).
        package let tenant: ClientID
        /// Web origins that may call, with cookies (`app.allowedOrigins`).
        package let allowedOrigins: Set<String>
        /// Whether pages served from this machine may call too: sandbox only.
        package let acceptsLoopbackOrigins: Bool
        /// Whether `authId` without a flow token opens a run (`app.acceptAuthId`).
        package let acceptsAuthID: Bool
        /// `server.publicUrl`; if it is https, cookies are `Secure`.
        package let publicURL: String
        /// Peers whose `X-Forwarded-Proto` is trusted.
        package let trustedProxies: AddressRanges
        /// The default of `/initialize` in the desktop flow (`app.finalTargetUrl`).
        package var finalTargetURL: FinalTargetURL?
        /// When limits apply across sessions: whether a run has more than one try at a code (`app.allowOtpRetry`).
        package var allowsOTPRetry = true
        /// Sandbox: whether a page without a flow token means its newest run (`sandbox.flowByOrigin`).
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
    /// The limits of the platform surface: a tenant has one rate for all surfaces (ABU-01).
    private let callers: CallerGate?
    private let crossOrigin: CrossOrigin
    private let service: AppService
    private let finalTargetURL: FinalTargetURL?
    /// `nil` outside of the sandbox.
    private let runs: OriginRuns?
    private let cookie: FlowCookie
    private let addresses: ClientAddress

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<AppSurface>] = [
        SurfaceCall {
            InitializeFlow(
                service: $0.service, finalTargetURL: $0.finalTargetURL, runs: $0.runs, cookie: $0.cookie,
                addresses: $0.addresses)
        },
        SurfaceCall { VerifyFlow(service: $0.service) },
        SurfaceCall { FinishFlow(service: $0.service) },
    ]

    /// - Parameter callers: the limits and rates that these calls share with other surfaces.
    package init(engine: Engine, settings: Settings, callers: CallerGate? = nil) {
        self.engine = engine
        tenant = settings.tenant
        self.callers = callers
        let origins = Set(settings.allowedOrigins.map { ByteText($0) })
        let own = settings.publicURL
        crossOrigin = CrossOrigin(
            isListed: { origins.contains(ByteText($0)) || $0.isSame(as: own) },
            acceptsLoopback: settings.acceptsLoopbackOrigins,
            grant: .app, refusal: AppError.originNotAllowed.response)
        addresses = ClientAddress(trustedProxies: settings.trustedProxies)
        service = AppService(
            engine, of: [.prefill, .identity], tenant: settings.tenant, acceptsAuthID: settings.acceptsAuthID,
            finalTargetURL: settings.finalTargetURL, allowsOTPRetry: settings.allowsOTPRetry)
        finalTargetURL = settings.finalTargetURL
        runs = settings.flowByOrigin ? OriginRuns(addresses: addresses) : nil
        cookie = FlowCookie(
            isAlwaysSecure: settings.publicURL.hasPrefix("https://"), trustedProxies: settings.trustedProxies)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))

    /// The route of an endpoint, and that of its preflight. The flow may be named in the body, so the head shows only
    /// type and size.
    fileprivate func routes<E: AppEndpoint>(_ endpoint: E) -> [Route] {
        let preflight = Route.immediate(
            .options, E.call.path, respond: { [crossOrigin] in crossOrigin.preflight($0, methods: "POST") })
        let calls = SurfaceRoute<E>(
            report: engine.reports.log, finish: { [crossOrigin] in crossOrigin.permit($0, to: $1.headers) },
            permit: crossOrigin.permit
        ).routes { [self] request, form throws(AppError) in
            request.notes?.note(caller: tenant.text)
            // Browsers send the origin with every cross-origin POST: a page that is not listed cannot use a cookie.
            let origins = request.headers.values("origin")
            guard origins.count <= 1, origins.allSatisfy(crossOrigin.mayCall) else { throw .originNotAllowed }
            return try await answer(request, endpoint, form)
        }
        return [preflight] + calls
    }

    private func answer<E: AppEndpoint>(
        _ request: Request, _ endpoint: E, _ form: EndpointForm<E>
    ) async throws(AppError) -> Response {
        do throws(LimitHit) { try callers?.admit(request) } catch { throw .platform(.rateLimited(error)) }
        let fields: FieldReader
        do throws(BodyDefect) { fields = try form.body.reader(of: request) } catch { throw AppError(error) }
        let caller = try E.Caller(request, fields, runs)
        do throws(LimitHit) {
            try await callers?.takeOne(of: tenant, naming: caller.sessionKey(engine), in: service.fence, request)
        } catch { throw .platform(.rateLimited(error)) }
        let body: E.Body
        do throws(FieldDefect) { body = try form.shape.read(fields) } catch { throw AppError(error) }
        let answered = try await endpoint.respond(to: body, of: request, from: caller)
        var response = form.reply.response(answered)
        for (name, value) in endpoint.headers(answered, request) { response.add(name, value) }
        return response
    }
}

extension SurfaceCall<AppSurface> {
    fileprivate init<E: AppEndpoint>(_ make: @escaping @Sendable (AppSurface) -> E) {
        self.init(E.operations) { $0.routes(make($0)) }
    }
}
