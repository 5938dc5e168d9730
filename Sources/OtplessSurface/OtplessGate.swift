internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Lets a backend in by the id and the secret of an API client, at each call.
struct OtplessGate: Sendable {
    let logins: ClientLogin
    let report: @Sendable (String) -> Void

    private struct Credentials: Sendable {
        let name: String
        let secret: String
    }

    var backends: BackendGate<Tenant, OtplessError> {
        BackendGate(
            checkHead: { request throws(OtplessError) in _ = try Self.credentials(of: request) },
            admit: { request throws(OtplessError) in try await tenant(of: request) }, report: report)
    }

    /// The refusals that every call of a backend may answer.
    static let refusals: [OtplessError] = [
        .credentialsMissing, .unauthorized, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
        .internalFault(""),
    ]

    /// - Throws: one of `refusals`.
    private func tenant(of request: Request) async throws(OtplessError) -> Tenant {
        try await tenant(showing: try Self.credentials(of: request), request)
    }

    /// The same for a call whose body may have the credentials. If the header fields have any, they are used.
    func tenant(
        of request: Request, orNamed name: String?, secret: String?
    ) async throws(OtplessError) -> Tenant {
        guard request.headers.count("clientid") == 0, request.headers.count("clientsecret") == 0 else {
            return try await tenant(of: request)
        }
        guard let name, let secret else { throw .credentialsMissing }
        return try await tenant(showing: Credentials(name: name, secret: secret), request)
    }

    private func tenant(showing shown: Credentials, _ request: Request) async throws(OtplessError) -> Tenant {
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(named: shown.name, secret: shown.secret, request)
        } catch { throw OtplessError(error) }
    }

    /// The credentials in the header fields `clientId` and `clientSecret`.
    private static func credentials(of request: Request) throws(OtplessError) -> Credentials {
        let headers = request.headers
        guard headers.count("clientid") <= 1, headers.count("clientsecret") <= 1 else { throw .unauthorized }
        guard let name = headers["clientid"], let secret = headers["clientsecret"], !name.utf8.isEmpty,
            !secret.utf8.isEmpty
        else { throw .credentialsMissing }
        return Credentials(name: name, secret: secret)
    }
}
