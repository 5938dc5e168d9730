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

    /// - Throws: `.credentialsMissing`, `.unauthorized`, `.rateLimited`, `.overloaded`, `.internalFault`.
    private func tenant(of request: Request) async throws(OtplessError) -> Tenant {
        let shown = try Self.credentials(of: request)
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(named: shown.name, secret: shown.secret, request)
        } catch { throw OtplessError(error) }
    }

    /// Of the header fields `clientId` and `clientSecret`.
    private static func credentials(of request: Request) throws(OtplessError) -> Credentials {
        let headers = request.headers
        guard headers.count("clientid") <= 1, headers.count("clientsecret") <= 1 else { throw .unauthorized }
        guard let name = headers["clientid"], let secret = headers["clientsecret"], !name.utf8.isEmpty,
            !secret.utf8.isEmpty
        else { throw .credentialsMissing }
        return Credentials(name: name, secret: secret)
    }
}
