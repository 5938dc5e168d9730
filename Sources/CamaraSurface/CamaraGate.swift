internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// The API client that calls, and the session about the person.
struct CamaraCaller: Sendable {
    let tenant: Tenant
    /// That proved the number of the person; `nil`: the token is about nobody.
    let session: CorrelationID?
}

/// Lets a backend in by an access token of the surface's own authorization server, for calls that the token allows.
struct CamaraGate: Sendable {
    let logins: ClientLogin
    let engine: Engine
    /// That tokens must be for.
    let audience: String

    /// Checks everything that the token tells by itself.
    /// - Throws: `.unauthorized`, `.scopeMissing`.
    func grant(of request: Request, for scope: CamaraScope) throws(CamaraError) -> ScopedGrant {
        guard request.headers.count("authorization") == 1, let value = request.headers.bytes("authorization"),
            let token = Credentials(value).token(of: "bearer"),
            let grant = engine.tokens.verifyScopedToken(token, audience: audience, at: engine.now())
        else { throw .unauthorized }
        guard grant.scopes.contains(where: { $0.isSame(as: scope.rawValue) }) else { throw .scopeMissing(scope) }
        return grant
    }

    /// - Throws: also `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func caller(of request: Request, for scope: CamaraScope) async throws(CamaraError) -> CamaraCaller {
        let grant = try grant(of: request, for: scope)
        do throws(ClientLogin.Refusal) {
            let tenant = try await logins.caller(named: grant.clientID, byTokenOf: request)
            return CamaraCaller(tenant: tenant, session: grant.session)
        } catch { throw CamaraError(error) }
    }
}
