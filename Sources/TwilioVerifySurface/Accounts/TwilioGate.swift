internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Lets a backend in by `Authorization: Basic`: Account SID or client id, and client secret.
struct TwilioGate: Sendable {
    let logins: ClientLogin
    let accounts: Accounts
    let report: @Sendable (String) -> Void

    /// The parameter of paths below a service.
    static let serviceSID = "ServiceSid"

    var backends: BackendGate<TwilioCaller, TwilioError> {
        BackendGate(
            checkHead: { request throws(TwilioError) in _ = try Self.credentials(of: request) },
            admit: { request throws(TwilioError) in try await caller(of: request) }, report: report)
    }

    /// - Throws: `.unauthorized`, `.rateLimited`, `.notFound` for a service that is not the caller's, `.overloaded`,
    ///   `.internalFault`.
    func caller(of request: Request) async throws(TwilioError) -> TwilioCaller {
        let basic = try Self.credentials(of: request)
        let name: String
        do { name = try await accounts.clientName(of: basic.name) } catch { throw TwilioError(EngineFault(error)) }
        let tenant: Tenant
        do throws(ClientLogin.Refusal) {
            tenant = try await logins.caller(named: name, secret: basic.password, request)
        } catch { throw TwilioError(error) }
        let caller = TwilioCaller(tenant: tenant, sids: accounts.sids(of: tenant.id))
        if let text = request.parameters[Self.serviceSID] {
            guard SID(text, of: .service) == caller.sids.service else { throw .notFound }
        }
        return caller
    }

    /// The credentials in the head, which are there before the body has come.
    static func credentials(of request: Request) throws(TwilioError) -> BasicCredentials {
        guard request.headers.count("authorization") == 1, let value = request.headers.bytes("authorization"),
            let word = Credentials(value).token(of: "basic"), let basic = BasicCredentials(plain: word)
        else { throw .unauthorized }
        return basic
    }
}
