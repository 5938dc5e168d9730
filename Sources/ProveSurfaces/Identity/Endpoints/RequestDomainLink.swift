internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v3/domain/link`: asks another tenant for a link. Nothing is shared before that tenant has agreed.
///
///     {"pcid":"0193...","scopes":["kyc"]}  ->  200 {"success":true}
///
/// Other scopes are another request, which waits beside the first; a link that stands keeps its own (403, 8003).
struct RequestDomainLink: Sendable {
    let domains: Domains

    /// - Throws: `.body`, `.field`, `.stepNotAllowed`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.single.reader(of: request)
        let domain: DomainID
        let scopes: [String]
        do throws(FieldDefect) {
            domain = try fields.requiredIdentifier("pcid", DomainID.self)
            scopes = try fields.scopes("scopes")
        } catch {
            throw .field(error)
        }
        do throws(PlatformRefusal) { try await domains.requestLink(to: domain, scopes: scopes, for: tenant) } catch {
            throw PlatformError(error)
        }
        return IdentityView.done
    }
}
