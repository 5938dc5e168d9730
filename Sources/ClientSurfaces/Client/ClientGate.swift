internal import HTTPServer
internal import Engine
internal import Possession
internal import Text
internal import SurfaceKit

/// The caller of the client surface, from its token and proof. The engine decides whether it is the session's client.
struct ClientCaller: Sendable {
    let authID: AuthID
    let credential: ClientAdmission.Credential
    /// The caller's address, behind the proxies; determined only if limits apply across sessions.
    var address: IPAddress?
    /// Notes of the request; `nil` if requests are not logged.
    var notes: RequestNotes?

    var noteSession: NoteSession? { notes?.noteSession }
}

/// Checks token and proof of a client (client protocol 4.3, TOK-15).
struct ClientGate: Sendable {
    let engine: Engine
    let admission: ClientAdmission
    let settings: ClientSurface.Settings
    let systemNow: Now

    /// - Throws: `.invalidToken`, `.notAdmitted(.invalidDPoPProof)`.
    func identify(_ request: Request) throws(ClientError) -> ClientCaller {
        var caller = try credential(of: request)
        caller.notes = request.notes
        if engine.limits.overSessions != nil {
            caller.address = settings.addresses.of(request)
        }
        return caller
    }

    private func credential(of request: Request) throws(ClientError) -> ClientCaller {
        guard let value = request.headers.bytes("authorization") else { throw .invalidToken(wasSent: false) }
        guard request.headers.count("authorization") == 1 else { throw .invalidToken(wasSent: true) }
        let credentials = Credentials(value)
        if settings.acceptsBearer, let token = credentials.token(of: "bearer") {
            // With a bearer token, a proof would not be checked, so the client would not get the protection that it
            // expects.
            guard request.headers.count("dpop") == 0 else { throw .notAdmitted(.invalidDPoPProof(.besideBearer)) }
            return ClientCaller(authID: try claims(of: token).authID, credential: .bearer)
        }
        guard let token = credentials.token(of: "dpop") else { throw .invalidToken(wasSent: true) }
        let claims = try claims(of: token)
        do throws(ProofFault) {
            try Self.checkCount(of: request)
            guard let text = request.headers["dpop"] else { throw .form }
            let proof = try engine.crypto.proofs.verifyDPoP(text, expecting: expectation(of: request, token, claims))
            return ClientCaller(authID: claims.authID, credential: .proof(proof))
        } catch { throw .notAdmitted(.invalidDPoPProof(error)) }
    }

    /// Requires exactly one `DPoP` header.
    private static func checkCount(of request: Request) throws(ProofFault) {
        switch request.headers.count("dpop") {
        case 0: throw .missing
        case 1: break
        default: throw .repeated
        }
    }

    /// Whether there are credentials in the right form, at the cost of a look at the head.
    /// - Throws: `.invalidToken`, `.notAdmitted(.invalidDPoPProof)`.
    func checkForm(_ request: Request) throws(ClientError) {
        guard let value = request.headers.bytes("authorization") else { throw .invalidToken(wasSent: false) }
        let credentials = Credentials(value)
        if settings.acceptsBearer, credentials.token(of: "bearer") != nil { return }
        guard credentials.token(of: "dpop") != nil else { throw .invalidToken(wasSent: true) }
        do throws(ProofFault) { try Self.checkCount(of: request) } catch {
            throw .notAdmitted(.invalidDPoPProof(error))
        }
    }

    /// Stores a session's expiry before the answer says that the token has expired, so that the session stays
    /// expired when a sandbox's clock goes back (DUR-13). In live mode no clock goes back.
    /// - Returns: the error to return instead, if it could not be stored.
    func keepExpiry(of request: Request) async -> ClientError? {
        guard let authID = expiredSession(of: request) else { return nil }
        do throws(ClientAdmission.Fault) { _ = try await admission.read(at: authID) } catch {
            if case .unknownSession = error { return nil }
            return ClientError(error)
        }
        return nil
    }

    /// The session whose token has expired; `nil` for any other refusal, and in live mode.
    func expiredSession(of request: Request) -> AuthID? {
        guard settings.acceptsLoopbackTargets, let value = request.headers.bytes("authorization"),
            let token = Credentials(value).token(of: "bearer") ?? Credentials(value).token(of: "dpop")
        else { return nil }
        return engine.crypto.tokens.expiredAuthToken(token, at: engine.now())
    }

    /// In a sandbox: what is wrong with a refused token. In live mode all refused tokens get the same text, so that
    /// showing a token reveals nothing about it.
    func hint(at request: Request) -> String? {
        guard settings.acceptsLoopbackTargets, let value = request.headers.bytes("authorization") else { return nil }
        guard let token = Credentials(value).token(of: "bearer") ?? Credentials(value).token(of: "dpop") else {
            return "the header must be Authorization: DPoP and the auth token, in a sandbox also Authorization: Bearer"
        }
        let now = engine.now()
        if engine.crypto.tokens.expiredAuthToken(token, at: now) != nil {
            return "the auth token has expired: the backend starts a new session"
        }
        if engine.crypto.tokens.verifyAccessToken(token, at: now) != nil {
            return "this is an access token, which is for backends: send the authToken of the session"
        }
        if engine.crypto.tokens.verifyAuthToken(token, at: now) != nil {
            return "the session of this auth token is gone"
        }
        return "this is no auth token of this server: it was changed, or is of another server or database"
    }

    private func claims(of token: String) throws(ClientError) -> AuthTokenClaims {
        guard let claims = engine.crypto.tokens.verifyAuthToken(token, at: engine.now()) else {
            throw .invalidToken(wasSent: true)
        }
        return claims
    }

    private func expectation(of request: Request, _ token: String, _ claims: AuthTokenClaims) -> DPoPExpectation {
        var targets = [settings.publicURL + request.path]
        // In a sandbox the client may have used another name of this machine (contract section 8).
        if settings.acceptsLoopbackTargets, let host = request.host, LoopbackHost.isOne(authority: host) {
            let scheme = request.channel == nil ? "http" : "https"
            targets.append("\(scheme)://\(host)\(request.path)")
        }
        return DPoPExpectation(
            method: request.method.text, targets: targets, accessToken: token, nonce: claims.nonce,
            systemNow: systemNow())
    }
}
