internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/server/auth/finish`: the result of the session, by subject. It does not end the session, and may be
/// repeated.
///
///     {"authId":"0193..."}
///     ->  200 {"authId":"0193...","appNamespace":"sandbox","subjects":{"mobile":{"success":{...}}}}
struct FinishAuth: AuthEndpoint {
    let service: PlatformService

    static let call = Call(
        .post, "/v1/server/auth/finish", id: "finishAuth", "Read the outcome, by subject",
        "Ends nothing and may be repeated; readable for 15 minutes after the end.",
        body: .json(#"{"authId":"019b7907-8d58-7500-8000-000000000001"}"#), demand: .reads)
    static let refusals: [PlatformError] = [.unknownAuthID]
    static let body = Shape("") { Member.authID }
    static let reply = Reply<AuthResult>(
        .record([
            must("authId", .identifier, "The session that the request names."),
            must("appNamespace", .choice(["prod", "sandbox"]), "The mode of this server."),
            must("subjects", AuthSchemas.results, "The subjects that start named."),
        ])
    ) { $0.object }

    func respond(
        to authID: String, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> AuthResult {
        let session = try await service.session(.auth(try Self.id(authID)), of: .auth, for: tenant.id)
        request.note(session.correlationID)
        return AuthResult(session: session, isSandbox: service.hasTestMode)
    }
}
