internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Admits a backend: checks its access token, its tenant, its rate (API-01, ABU-01).
package struct PlatformGate: Sendable {
    let engine: Engine
    let rates: TenantRates?
    /// Rates of calls that the audit log records; `nil`: no limit.
    let auditedRates: TenantRates?
    let systemNow: Now
    let certificates: ClientCertificates
    let addresses: ClientAddress
    /// In a sandbox: a refused token gets an answer that says what is wrong with it. In live mode all refused tokens
    /// get the same text.
    let tellsTokens: Bool

    /// The calling tenant.
    /// - Throws: `.unauthorized`, `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func admit(_ request: Request) async throws(PlatformError) -> Tenant {
        let claims = try claims(of: request)
        request.notes?.note(caller: claims.clientID.text)
        let found: Tenant?
        do { found = try await engine.activeTenant(claims.clientID) } catch { throw PlatformError(error) }
        guard let tenant = found else { throw .unauthorized(wasSent: true) }
        do throws(LimitHit) { try takeOne(of: tenant.id) } catch { throw .rateLimited(error) }
        return tenant
    }

    /// Counts one call against the tenant's rate; browsers and phones that call for the tenant share that rate.
    func takeOne(of tenant: ClientID) throws(LimitHit) {
        try rates?.takeOne(of: tenant, engine, at: systemNow())
    }

    /// Checks the token itself (signature, audience and life), and the certificate that its client must have.
    func claims(of request: Request) throws(PlatformError) -> AccessTokenClaims {
        switch request.headers.count("authorization") {
        case 0: throw .unauthorized(wasSent: false)
        case 1: break
        default: throw .unauthorized(wasSent: true)
        }
        guard let value = request.headers.bytes("authorization"), let token = Credentials(value).token(of: "bearer"),
            let claims = engine.crypto.tokens.verifyAccessToken(token, at: engine.now())
        else { throw .unauthorized(wasSent: true) }
        guard certificates.allow(claims.clientID, over: request.channel) else { throw .certificateMissing }
        return claims
    }

    /// Access tokens live for an hour. A token that ended more than a day ago is reported as unknown.
    private static let hoursBack = 24

    private func hint(at request: Request) -> String? {
        guard tellsTokens, let value = request.headers.bytes("authorization") else { return nil }
        guard let token = Credentials(value).token(of: "bearer") else {
            return "the header must be Authorization: Bearer and the access token"
        }
        let now = engine.now()
        let isAuthToken =
            engine.crypto.tokens.verifyAuthToken(token, at: now) != nil
            || engine.crypto.tokens.expiredAuthToken(token, at: now) != nil
        if isAuthToken {
            return "this is the auth token of a session, which is for the app: send an access token of /token"
        }
        if engine.crypto.tokens.verifyAccessToken(token, at: now) != nil {
            return "the API client of this access token is gone"
        }
        let hasExpired = (1...Self.hoursBack).contains { hours in
            engine.crypto.tokens.verifyAccessToken(token, at: now.adding(.seconds(-3_600 * hours))) != nil
        }
        if hasExpired { return "the access token has expired: get a new one at /token" }
        return "this is no access token of this server: it was changed, or is of another server or database"
    }

    /// The routes of an endpoint, one for each path. Only admitted calls reach it.
    func routes<E: PlatformEndpoint>(_ endpoint: E) -> [Route] {
        SurfaceRoute<E>(
            report: engine.reports.log,
            render: { error, request in
                guard error == .unauthorized(wasSent: true), let hint = hint(at: request) else {
                    return E.response(to: error)
                }
                var response = Response.coded(401, code: 8002, message: hint)
                response.add("WWW-Authenticate", "Bearer error=\"invalid_token\"")
                return response
            },
            checkHead: { request throws(PlatformError) in
                _ = try claims(of: request)
                try SurfaceRoute<E>.checkBody(request)
            }
        ).routes { request, form throws(PlatformError) in try await answer(request, endpoint, form) }
    }

    private func answer<E: PlatformEndpoint>(
        _ request: Request, _ endpoint: E, _ form: EndpointForm<E>
    ) async throws(PlatformError) -> Response {
        let tenant = try await admit(request)
        let body = try read(request, form)
        if E.isAudited { try takeOneAudited(of: tenant.id) }
        do throws(PlatformRefusal) {
            guard E.isAudited else {
                return form.reply.response(try await endpoint.respond(to: body, of: request, from: tenant))
            }
            let entry = AuditEntry(
                .clientCall, by: .client, at: engine.now(), client: tenant.id,
                address: addresses.or(peerOf: request)?.text, requestID: request.id,
                detail: [("call", E.call.id), ("path", request.path)])
            return try await engine.reports.audit.recordingChange(entry, orElse: { auditedRates?.giveBack(tenant.id) })
            {
                () async -> Result<Response, PlatformRefusal> in
                do throws(PlatformRefusal) {
                    return .success(
                        form.reply.response(try await endpoint.respond(to: body, of: request, from: tenant)))
                } catch { return .failure(error) }
            }.get()
        } catch {
            throw E.error(of: error)
        }
    }

    /// Counts one call that the audit log will record. A call that changes nothing returns it.
    private func takeOneAudited(of tenant: ClientID) throws(PlatformError) {
        do throws(LimitHit) { try auditedRates?.takeOne(of: tenant, engine, at: systemNow()) } catch {
            throw .rateLimited(error)
        }
    }

    /// As `form.read`, but specialized for the endpoint's own types.
    private func read<E: PlatformEndpoint>(
        _ request: Request, _ form: EndpointForm<E>
    ) throws(PlatformError) -> E.Body {
        let fields: FieldReader
        do throws(BodyDefect) { fields = try form.body.reader(of: request, known: form.shape.names) } catch {
            throw PlatformError(error)
        }
        var body: E.Body
        do throws(FieldDefect) { body = try form.shape.read(fields) } catch {
            throw PlatformError(MisspeltMember.named(in: error, fields, known: form.shape.names))
        }
        if form.hasParameters { try form.parameters.read(request, into: &body) }
        return body
    }
}
