internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// The calling API client, and the session about the person.
struct CamaraCaller: Sendable {
    let tenant: Tenant
    /// The session that knows the person's number; `nil`: the credentials name no person.
    let session: CorrelationID?
}

/// Admits a backend by an access token from this surface's authorization server, if the token allows the call. On the
/// paths of `network-as-code` also by an API key, which names an API client but no person.
struct CamaraGate: Sendable {
    /// The credentials of a call.
    enum Credential: Sendable {
        case token(ScopedGrant)
        case key(String)
    }

    /// The header field in which `network-as-code` sends its key.
    static let keyField = "x-rapidapi-key"

    let logins: ClientLogin
    let engine: Engine
    /// The audience that a token must name.
    let audience: String

    /// Checks a token as far as possible without the store. For a key, checks only that it is present.
    /// - Throws: `.unauthorized`, `.scopeMissing`.
    func credential(of request: Request, for scope: CamaraScope) throws(CamaraError) -> Credential {
        let headers = request.headers
        if headers.count("authorization") == 0, headers.count(Self.keyField) == 1, let key = headers[Self.keyField],
            request.path.utf8.starts(with: CamaraPath.passthrough.utf8)
        {
            return .key(key)
        }
        guard headers.count("authorization") == 1, let value = headers.bytes("authorization"),
            let token = Credentials(value).token(of: "bearer"),
            let grant = engine.crypto.tokens.verifyScopedToken(token, audience: audience, at: engine.now())
        else { throw .unauthorized }
        let allowed = grant.scopes.compactMap { CamaraScope(word: $0) }
        guard allowed.contains(where: { $0.allows(scope) }) else { throw .scopeMissing(scope) }
        return .token(grant)
    }

    /// - Throws: as `credential`; also `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func caller(of request: Request, for scope: CamaraScope) async throws(CamaraError) -> CamaraCaller {
        let credential = try credential(of: request, for: scope)
        do throws(ClientLogin.Refusal) {
            switch credential {
            case .token(let grant):
                let tenant = try await logins.caller(named: grant.clientID, byTokenOf: request)
                return CamaraCaller(tenant: tenant, session: grant.session)
            case .key(let key):
                return CamaraCaller(tenant: try await logins.caller(byKey: key, request), session: nil)
            }
        } catch { throw CamaraError(error) }
    }
}
