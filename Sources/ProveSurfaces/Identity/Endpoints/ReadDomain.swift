internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /v3/domain/id`: what the tenant is called towards other tenants. It never changes, and is the issuer of what the
/// tenant says of its identities.
///
///     ->  200 {"pcid":"0193...","name":"Acme","issuerId":"0193..."}
struct ReadDomain: Sendable {
    let domains: Domains

    /// - Throws: `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let domain: Domain
        do throws(PlatformRefusal) { domain = try await domains.domain(of: tenant) } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("pcid", domain.id.text)
        object.set("name", domain.name)
        object.set("issuerId", domain.id.text)
        return .json(200, object)
    }
}
