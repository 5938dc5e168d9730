internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Admits a backend by `Authorization: Basic` with an Account SID or client id, and the client secret.
struct TwilioGate: Sendable {
    let logins: ClientLogin
    let accounts: Accounts
    let brands: Brands
    let report: @Sendable (String) -> Void

    /// The parameter of paths below a service.
    static let serviceSID = "ServiceSid"

    var backends: BackendGate<TwilioCaller, TwilioError> {
        BackendGate(
            checkHead: { request throws(TwilioError) in _ = try Self.credentials(of: request) },
            admit: { request throws(TwilioError) in try await caller(of: request) }, report: report)
    }

    /// - Throws: `.unauthorized`, `.rateLimited`, `.notFound`: the service is not the caller's, `.overloaded`,
    ///   `.internalFault`.
    func caller(of request: Request) async throws(TwilioError) -> TwilioCaller {
        let basic = try Self.credentials(of: request)
        let name: String
        do { name = try await accounts.clientName(of: basic.name) } catch { throw TwilioError(error) }
        let tenant: Tenant
        do throws(ClientLogin.Refusal) {
            tenant = try await logins.caller(named: name, secret: basic.password, request)
        } catch { throw TwilioError(error) }
        let caller = TwilioCaller(tenant, accounts.sids(of: tenant.id))
        guard let text = request.parameters[Self.serviceSID] else { return caller }
        guard let sid = SID(text, of: .service) else { throw .notFound }
        return try await service(BrandID(bytes: sid.bytes), of: caller)
    }

    /// The first service exists even if nothing about it is stored.
    private func service(_ id: BrandID, of caller: TwilioCaller) async throws(TwilioError) -> TwilioCaller {
        let stored: Brand?
        do throws(EngineFault) { stored = try await brands.brand(id, of: caller.tenant.id) } catch {
            throw TwilioError(error)
        }
        guard let brand = stored ?? (id == caller.first.id ? caller.first : nil) else { throw .notFound }
        return caller.on(brand)
    }

    /// The credentials in the head, which can be checked before the body arrives.
    static func credentials(of request: Request) throws(TwilioError) -> BasicCredentials {
        guard let basic = BasicCredentials(plainOf: request) else { throw .unauthorized }
        return basic
    }
}
